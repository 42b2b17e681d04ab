# SPDX-License-Identifier: Apache-2.0
"""The estimator that the settings ask for."""

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.planar.estimator import PlanarEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel

Estimator = StateEstimator | PlanarEstimator
"""Both hear the same measurements and give out the same kind of state."""


def estimator_of(model: RobotModel, settings: EstimatorSettings) -> Estimator:
    """By `process`. Raises RobotDescriptionError, or ConfigurationError where the robot cannot be planar."""
    kinds: dict[str, type[StateEstimator] | type[PlanarEstimator]] = {"spatial": StateEstimator, "planar": PlanarEstimator}
    return kinds[settings.process](model.description, model, settings)

# SPDX-License-Identifier: Apache-2.0
"""A robot that does not know its heading, as one whose filter was started again, walks as well as any other."""

from typing import Any

import numpy as np
import pytest

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel


@pytest.mark.parametrize("deviation", [0.0001, 2.0])
def test_it_walks_and_says_how_well_it_knows_its_velocity(
    hyq: RobotModel, settings: EstimatorSettings, trot: Any, noisy: Any, deviation: float
) -> None:
    start = settings.start.model_copy(update={"place_standard_deviation": deviation})
    estimator = StateEstimator(hyq.description, hyq, settings.model_copy(update={"start": start}))
    states = [estimator.update(sample) for sample in noisy(trot, 5)[:1250]][500:]
    assert all(state.valid for state in states)
    assert np.sqrt(states[-1].pose_covariance[5, 5]) == pytest.approx(deviation, abs=0.01)
    assert max(np.sqrt(state.twist_covariance.diagonal()[:3].max()) for state in states) < 0.02

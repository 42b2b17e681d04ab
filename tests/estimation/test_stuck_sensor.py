# SPDX-License-Identifier: Apache-2.0
"""A force sensor of one foot that says the same all the time, in a walk whose torques are right: the estimate stays what it was."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample

Array = NDArray[np.float64]
COUNT, WALKING, FOOT = 1250, 500, 1


def run(hyq: RobotModel, settings: EstimatorSettings, samples: list[SensorSample]) -> tuple[StateEstimator, Array, Array]:
    """The estimator after the samples, and of each the position and what the feet are taken for."""
    estimator = StateEstimator(hyq.description, hyq, settings)
    states = [estimator.update(sample) for sample in samples[:COUNT]]
    return estimator, np.array([state.base_position for state in states]), np.array([state.contact_probability > 0.5 for state in states])


@pytest.mark.parametrize("says", [0.0, 400.0])
def test_a_force_sensor_that_is_stuck_is_named_and_the_estimate_goes_on(
    hyq: RobotModel, settings: EstimatorSettings, trot: Any, with_torques: list[SensorSample], says: float
) -> None:
    healthy, position, contact = run(hyq, settings, with_torques)
    assert healthy.diagnostics == {}
    walk = slice(WALKING, COUNT)
    assert np.mean(contact[walk, FOOT] == trot.contact[walk, FOOT]) > 0.9
    spoilt = []
    for sample in with_torques:
        force = sample.foot_force.copy()
        force[FOOT] = (0.0, 0.0, says)
        spoilt.append(replace(sample, foot_force=force))
    estimator, stuck_position, stuck_contact = run(hyq, settings, spoilt)
    assert estimator.diagnostics == {"foot_force_contradicted": hyq.description.foot_names[FOOT]}
    assert np.mean(stuck_contact[walk, FOOT] == trot.contact[walk, FOOT]) > 0.85
    assert np.abs(stuck_position - position)[walk].max() < 0.01
    assert np.mean(stuck_contact[walk] == contact[walk]) > 0.9


def test_without_force_sensors_the_torques_and_the_motion_tell_contact(
    hyq: RobotModel, settings: EstimatorSettings, trot: Any, with_torques: list[SensorSample]
) -> None:
    none = np.full((4, 3), np.nan)
    estimator, position, contact = run(hyq, settings, [replace(sample, foot_force=none) for sample in with_torques])
    walk = slice(WALKING, COUNT)
    assert np.mean(contact[walk] == trot.contact[walk]) > 0.9
    assert np.abs(position[walk] - trot.position[walk]).max() < 0.03
    assert estimator.diagnostics == {"foot_force_silent": ", ".join(hyq.description.foot_names)}

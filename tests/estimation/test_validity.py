# SPDX-License-Identifier: Apache-2.0
"""All feet slide: the state is not one to walk on, and the attitude is told on for a while."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.estimation import validity
from surefoot.estimation.estimator import StateEstimator
from surefoot.robot.state import SensorSample


@pytest.fixture
def sliding(still) -> list[SensorSample]:
    """Everything below the base runs away as on a treadmill for half a second, while the IMU feels nothing."""
    samples = []
    for sample in still(125, start=1.0):
        angle = 3.0 * (sample.time - 1.0)
        joints = sample.joint_position + np.tile([0.0, angle, 0.0], 4)
        samples.append(replace(sample, joint_position=joints, joint_velocity=np.tile([0.0, 3.0, 0.0], 4)))
    return samples


def test_feet_that_all_slip_are_left_out_and_make_the_state_invalid(estimator: StateEstimator, still, sliding) -> None:
    states = [estimator.update(sample) for sample in [*still(250), *sliding]][250:]
    assert any("disagreed" in state.invalid_reason for state in states)
    assert abs(states[60].base_linear_velocity[0]) < 0.1


def test_the_gyroscope_tells_the_attitude_for_a_while_when_all_feet_slip(estimator: StateEstimator, still, sliding, monkeypatch) -> None:
    for sample in still(250):
        estimator.update(sample)
    for sample in sliding:
        state = estimator.update(sample)
        assert estimator.attitude_problem == ""
        if "disagreed" in state.invalid_reason:
            break
    assert "disagreed" in state.invalid_reason
    monkeypatch.setattr(validity, "GYROSCOPE_ALONE", 0.1)
    estimator.state(sample.time)
    assert "disagreed" in estimator.attitude_problem

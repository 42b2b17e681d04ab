# SPDX-License-Identifier: Apache-2.0

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from surefoot.estimation.estimator import StateEstimator
from surefoot.robot.model import RobotModel
from surefoot.robot.state import SensorSample

STILL = 375


def sliding(samples: list[SensorSample], leg: int, ratio: float) -> list[SensorSample]:
    """One foot slides inwards while it bears load, with a tangential force of its own."""
    result = []
    for k, sample in enumerate(samples):
        joints, speeds, force = sample.joint_position.copy(), sample.joint_velocity.copy(), sample.foot_force.copy()
        joints[3 * leg] += 0.6 * 0.004 * k
        speeds[3 * leg] = 0.6
        force[leg, 1] = ratio * force[leg, 2]
        result.append(replace(sample, joint_position=joints, joint_velocity=speeds, foot_force=force))
    return result


def test_a_foot_that_slips_is_left_out_and_tells_its_friction(
    estimator: StateEstimator, hyq: RobotModel, still: Callable[..., list[SensorSample]]
) -> None:
    before = [estimator.update(sample) for sample in still(STILL)][-1]
    assert np.isnan(estimator.state(0.0).foot_friction).all()
    for sample in sliding(still(50, start=0.004 * STILL), 1, 0.25):
        after = estimator.update(sample)
    assert after.valid, after.invalid_reason
    # Three feet stand, so the robot has not moved, whatever the fourth says.
    assert np.abs(after.base_position - before.base_position).max() < 0.005
    assert np.abs(after.base_linear_velocity).max() < 0.05
    assert estimator.state(0.0).foot_friction[1] == pytest.approx(0.25, abs=0.02)
    assert np.isnan(estimator.state(0.0).foot_friction[[0, 2, 3]]).all()


def test_a_foot_that_holds_more_than_it_slipped_at_has_not_slipped_on_this_ground(
    estimator: StateEstimator, still: Callable[..., list[SensorSample]]
) -> None:
    for sample in still(STILL):
        estimator.update(sample)
    for sample in sliding(still(50, start=0.004 * STILL), 1, 0.25):
        estimator.update(sample)
    slid = sample.joint_position
    for k, (held, believed) in enumerate(((0.2, 0.25), (0.4, np.nan))):
        for sample in still(100, start=0.004 * (STILL + 50 + 100 * k)):
            pushed = sample.foot_force + np.array([held, 0.0, 0.0]) * sample.foot_force[:, 2:]
            state = estimator.update(replace(sample, joint_position=slid, foot_force=pushed))
        assert state.foot_friction[1] == pytest.approx(believed, abs=0.02, nan_ok=True)


def test_nothing_is_believed_before_the_start(estimator: StateEstimator) -> None:
    assert np.isnan(estimator.state(0.0).foot_friction).all()

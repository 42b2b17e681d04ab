# SPDX-License-Identifier: Apache-2.0
"""Whole-body control stands, walks and trots in the simulator."""

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.robot.model import RobotModel
from surefoot.rotation import roll_pitch_yaw


def loop_of(model: RobotModel, perfect_sensors: bool) -> ClosedLoop:
    controller = ReferenceController(model, controller="whole_body_qp")
    return ClosedLoop(model, seed=1, perfect_sensors=perfect_sensors, controller=controller)


@pytest.mark.parametrize("gait", ["walk", "trot"])
def test_it_walks_with_noise_and_delay(hyq: RobotModel, gait: str) -> None:
    loop = loop_of(hyq, perfect_sensors=False)
    loop.run(1.5)
    loop.change_gait(gait)
    loop.run(2.0, (0.3, 0.0, 0.0))
    begin = loop.course.truth[-1]
    loop.run(1.0, (0.3, 0.0, 0.0))
    assert not loop.fallen
    assert loop.failures == 0
    moved = loop.course.truth[-1].base_position - begin.base_position
    assert moved[0] == pytest.approx(0.3, rel=0.1)
    angles = np.array([roll_pitch_yaw(sample.base_quaternion)[:2] for sample in loop.course.truth])
    assert np.abs(angles).max() < 0.05


def test_standing_does_not_drift_or_swing(hyq: RobotModel) -> None:
    loop = loop_of(hyq, perfect_sensors=True)
    loop.run(0.5)
    begin = len(loop.course.truth)
    loop.run(6.0)
    position = np.array([sample.base_position for sample in loop.course.truth[begin:]])
    effort = np.array([sample.joint_effort for sample in loop.course.truth[begin:]])
    assert np.ptp(position, axis=0).max() < 0.005
    half = len(effort) // 2
    assert (np.ptp(effort[half:], axis=0) <= np.ptp(effort[:half], axis=0) + 0.05).all()


def test_a_light_robot_with_heavy_legs_stays_level(links: RobotModel) -> None:
    # Its swing legs can throw it over: the base has to come before them.
    loop = loop_of(links, perfect_sensors=True)
    loop.run(0.4)
    loop.change_gait("walk")
    loop.run(1.6, (0.1, 0.0, 0.0))
    angles = np.array([roll_pitch_yaw(sample.base_quaternion)[:2] for sample in loop.course.truth])
    assert np.abs(angles).max() < 0.05

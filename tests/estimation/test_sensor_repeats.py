# SPDX-License-Identifier: Apache-2.0
"""Joints that repeat themselves, and an IMU that shows whether they should move."""

import numpy as np
import pytest

from surefoot.estimation.refusals import Refusal
from surefoot.estimation.sensor_gate import RawImu, RawJoints, SensorGate
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import RobotModel

PERIOD, QUANTUM = 0.004, 0.0015


class Standing:
    """Joints that say the same for ever, beside a noisy IMU that turns (rad/s), is pushed (m/s^2) or trembles (rad/s) as it is told."""

    def __init__(self, hyq: RobotModel, settings: EstimatorSettings) -> None:
        self.gate, self._joints = SensorGate(hyq, settings.gate), RawJoints(hyq.joint_names, hyq.stand_joint_position)
        self._generator, self._tick = np.random.default_rng(1), 0

    def hear(self, seconds: float, rate: float = 0.0, push: float = 0.0, trembles: float = 0.0) -> list[bool]:
        """Whether the joints were refused as frozen, tick by tick."""
        refused = []
        for _ in range(round(seconds / PERIOD)):
            time, self._tick = PERIOD * self._tick, self._tick + 1
            noise = self._generator.normal(size=6) * np.array([0.002] * 3 + [0.02] * 3)
            noise += trembles * np.sin(2.0 * np.pi * 30.0 * time) * np.array([1.0] * 3 + [10.0] * 3)
            imu = noise + np.array((0.0, rate, 0.0, 0.0, 0.0, 9.81 + push))
            assert not isinstance(self.gate.admit_imu(time, RawImu(imu[:3], imu[3:])), Refusal)
            answer = self.gate.admit_joints(time, self._joints)
            refused.append(isinstance(answer, Refusal) and answer.kind == "frozen" and answer.sensor == "joints")
        return refused


@pytest.fixture
def standing(hyq: RobotModel, settings: EstimatorSettings) -> Standing:
    return Standing(hyq, settings)


@pytest.mark.parametrize("motion", [{"rate": 0.1}, {"rate": 0.3}, {"push": 3.0}])
def test_joints_that_say_the_same_while_the_imu_moves_are_not_believed(standing: Standing, motion: dict[str, float]) -> None:
    assert not any(standing.hear(2.0))
    assert any(standing.hear(0.5, **motion))


def test_a_robot_that_stands_still_or_trembles_may_say_the_same_for_as_long_as_it_likes(standing: Standing) -> None:
    assert not any(standing.hear(10.0) + standing.hear(10.0, trembles=0.3))


def test_nor_does_the_bias_of_a_gyroscope_move_a_robot(standing: Standing) -> None:
    assert not any(standing.hear(20.0, rate=0.08))


def test_a_robot_that_was_carried_with_joints_that_friction_holds_is_believed_once_it_rests(standing: Standing) -> None:
    standing.hear(1.0)
    assert standing.hear(1.0, rate=0.5)[-1]
    assert not standing.hear(1.5)[-1]


def test_other_joints_are_news(standing: Standing, hyq: RobotModel) -> None:
    standing.hear(1.0)
    assert standing.hear(1.0, rate=0.5)[-1]
    moved = RawJoints(hyq.joint_names, hyq.stand_joint_position + QUANTUM)
    assert not isinstance(standing.gate.admit_joints(PERIOD * 500, moved), Refusal)

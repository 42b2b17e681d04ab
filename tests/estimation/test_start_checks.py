# SPDX-License-Identifier: Apache-2.0
"""Cases 50, 56, 66 and their kinds: what a person reads when the robot cannot start."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.filter_state import level_rotation
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.start_checks import start_problems, tilt_from_vertical
from surefoot.robot.model import RobotModel

ZERO = np.zeros(3)


def problems(
    model: RobotModel, settings: EstimatorSettings, force: list[float], rate: Any = ZERO, joints: Any = None, travel: float = 0.0,
    speeds: Any = ZERO,
) -> str:  # fmt: skip
    angles = model.stand_joint_position if joints is None else joints
    travels, limits = travel * np.linspace(0.5, 1.0, 12), (model.position_lower, model.position_upper)
    says = np.resize(speeds, 12)
    return "; ".join(start_problems(np.array(force), rate, angles, says, travels, model.joint_names, *limits, settings.start))


@pytest.mark.parametrize(
    ("force", "word"),
    [
        ([0.0, 0.0, 9.81], ""),
        ([0.3, -2.0, 9.6], ""),
        ([0.0, 0.0, 1.0], "in g"),
        ([0.01, -0.02, 0.0], "dead"),
        ([0.0, 0.0, 20.0], "unit and calibration"),
        ([-9.81, 0.0, 0.0], "gravity not on +z"),
        ([0.0, 0.0, -9.81], "upside down"),
    ],
)
def test_gravity(hyq: RobotModel, settings: EstimatorSettings, force: list[float], word: str) -> None:
    words = problems(hyq, settings, force)
    assert word in words
    assert bool(words) == bool(word)


def test_a_turning_gyroscope_and_a_joint_beyond_its_limit_are_named(hyq: RobotModel, settings: EstimatorSettings) -> None:
    joints = hyq.stand_joint_position.copy()
    joints[4] = hyq.position_upper[4] + 0.2
    words = problems(hyq, settings, [0.0, 0.0, 9.81], np.array([0.0, 0.3, 0.0]), joints)
    assert "0.300 rad/s" in words
    assert hyq.joint_names[4] in words
    assert hyq.joint_names[3] not in words


def test_a_joint_that_moves_is_named(hyq: RobotModel, settings: EstimatorSettings) -> None:
    words = problems(hyq, settings, [0.0, 0.0, 9.81], travel=0.3)
    assert f"joint '{hyq.joint_names[11]}' moved by 0.300 rad, more than 0.1" in words
    assert problems(hyq, settings, [0.0, 0.0, 9.81], travel=0.01) == ""


def test_a_joint_whose_speed_disagrees_with_its_position_is_named(hyq: RobotModel, settings: EstimatorSettings) -> None:
    speeds = np.full(12, np.nan)
    assert problems(hyq, settings, [0.0, 0.0, 9.81], speeds=speeds) == ""
    speeds[5] = -0.8
    words = problems(hyq, settings, [0.0, 0.0, 9.81], speeds=speeds)
    assert f"joint '{hyq.joint_names[5]}' says that it moves at -0.80 rad/s" in words
    assert hyq.joint_names[4] not in words


def test_the_filter_does_not_start_while_a_joint_says_that_it_moves_and_does_not(estimator: StateEstimator, still: Callable) -> None:
    for sample in still(500, joint_velocity=np.eye(12)[3]):
        state = estimator.update(sample)
    assert not estimator.started
    assert "while its position stays" in state.invalid_reason
    for sample in still(100, start=2.0):
        state = estimator.update(sample)
    assert state.valid


def test_the_filter_starts_once_the_legs_are_still(estimator: StateEstimator, still: Callable, hyq: RobotModel) -> None:
    fold = 0.5 * np.linspace(1.0, 0.0, 250)
    for sample, more in zip(still(250), fold, strict=True):
        state = estimator.update(replace(sample, joint_position=sample.joint_position + more))
    assert not estimator.started
    assert "keep the robot still, it falls or is being moved" in state.invalid_reason
    for sample in still(150, start=1.0):
        state = estimator.update(sample)
    assert estimator.started
    assert state.valid


def test_the_filter_does_not_start_on_a_wrong_imu_and_says_why(estimator: StateEstimator, still: Callable) -> None:
    for sample in still(500, specific_force_imu=np.array([0.01, -0.02, 0.0])):
        state = estimator.update(sample)
    assert not estimator.started
    assert "accelerometer reads" in state.invalid_reason
    assert np.linalg.norm(state.base_quaternion) == 1.0
    for sample in still(100, start=2.0):
        state = estimator.update(sample)
    assert state.valid


def test_angles_between_nearly_parallel_vectors_are_finite() -> None:
    assert tilt_from_vertical(np.array([0.0, 0.0, 1.0 + 1e-16])) == 0.0
    assert tilt_from_vertical(np.array([1e-12, 0.0, 9.81])) == pytest.approx(1e-12 / 9.81)
    assert tilt_from_vertical(np.array([0.0, 0.0, -9.81])) == math.pi
    for force in ([0.0, 0.0, 9.81], [1e-300, 0.0, 9.81], [-9.81, 0.0, 0.0], [0.0, -9.81, 1e-17]):
        rotation = level_rotation(np.array(force))
        np.testing.assert_allclose(rotation @ np.array(force), [0.0, 0.0, 9.81], atol=1e-9)
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)

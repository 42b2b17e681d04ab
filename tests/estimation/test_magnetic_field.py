# SPDX-License-Identifier: Apache-2.0
"""A noisy magnetic field: the heading is as wrong as it is said to be, and no worse than without."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement, MagneticMeasurement
from surefoot.robot.model import RobotModel
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]
SEEDS = range(6)


@pytest.fixture(scope="module")
def yaw(hyq: RobotModel, settings: EstimatorSettings, trot: Any, noisy: Callable) -> Callable[..., Array]:
    """Error of the yaw (rad) and what is said of its variance (rad^2) at the end of a walk, by seed, (n, 2)."""
    axes = hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation

    def one(seed: int, dip: float, noise: float, every: int, count: int) -> tuple[float, float]:
        generator, estimator = np.random.default_rng(1000 + seed), StateEstimator(hyq.description, hyq, settings)
        field = np.array([math.cos(dip), 0.0, -math.sin(dip)])
        for k, sample in enumerate(noisy(trot, seed)[:count]):
            estimator.take(
                ImuMeasurement(sample.time, sample.angular_velocity_imu, sample.specific_force_imu),
                JointMeasurement(sample.time, sample.joint_position, sample.joint_velocity, sample.joint_effort),
                FootForceMeasurement(sample.time, sample.foot_force),
            )
            if every and k % every == 0:
                there = axes.T @ trot.rotation[k].T @ field + noise * generator.normal(size=3)
                estimator.take(MagneticMeasurement(sample.time, there, noise))
        state = estimator.state(sample.time)
        assert state.valid, state.invalid_reason
        turn = rotation_matrix(state.base_quaternion) @ trot.rotation[count - 1].T
        return math.atan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]), float(state.pose_covariance[5, 5])

    def run(dip: float, noise: float, every: int = 5, count: int = 2500) -> Array:
        return np.array([one(seed, math.radians(dip), noise, every, count) for seed in SEEDS])

    return run


@pytest.mark.parametrize(("dip", "noise"), [(0.0, 0.02), (65.0, 0.02), (0.0, 0.001), (65.0, 0.001)])
def test_the_heading_is_as_wrong_as_it_is_said_to_be(yaw: Callable[..., Array], dip: float, noise: float) -> None:
    error, variance = yaw(dip, noise).T
    # Of the mean of six squares of Gaussian errors 998 of a thousand lie below.
    assert 0.05 < float(np.mean(error**2 / variance)) < 3.5


def test_a_good_field_tells_the_heading_better_than_a_gyroscope(yaw: Callable[..., Array]) -> None:
    without, told = yaw(0.0, 0.0, every=0), yaw(0.0, 0.001)
    assert np.mean(told[:, 1]) < 0.25 * np.mean(without[:, 1])
    assert np.mean(told[:, 0] ** 2) < 0.5 * np.mean(without[:, 0] ** 2)

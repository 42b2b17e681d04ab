# SPDX-License-Identifier: Apache-2.0
"""The state of the robot as the library passes it around: arrays in the order of the robot's description."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RobotState:
    """Estimated state at one instant. Legs are ordered as LEG_NAMES, joints leg by leg.

    Attributes:
        time: of the physical sample, s.
        base_position: base origin in odom, (3,), m.
        base_quaternion: odom_from_base, (4,), x y z w.
        base_linear_velocity: of the base origin, in the axes of odom, (3,), m/s.
        base_angular_velocity: in the axes of odom, (3,), rad/s.
        joint_position: (12,), rad.
        joint_velocity: (12,), rad/s.
        joint_effort: (12,), N m; NaN where it is not measured.
        contact_probability: per foot, (4,), 0 to 1.
        foot_force: force of the ground on each foot in odom, (4, 3), N; NaN where it is not measured.
        foot_friction: Coulomb coefficient that each foot has shown, (4,); NaN where it has shown none.
        pose_covariance: of x y z roll pitch yaw in odom, (6, 6).
        twist_covariance: of the linear and angular velocity along the base, written in the axes of odom by base_quaternion, (6, 6):
            whatever the heading is uncertain by.
        joint_position_variance: (12,), rad^2.
        joint_velocity_variance: (12,), (rad/s)^2.
        invalid_reason: why nothing may be walked on this, empty while the state is valid.
    """

    time: float
    base_position: Array
    base_quaternion: Array
    base_linear_velocity: Array
    base_angular_velocity: Array
    joint_position: Array
    joint_velocity: Array
    joint_effort: Array = field(default_factory=lambda: np.full(12, np.nan))
    contact_probability: Array = field(default_factory=lambda: np.ones(4))
    foot_force: Array = field(default_factory=lambda: np.full((4, 3), np.nan))
    foot_friction: Array = field(default_factory=lambda: np.full(4, np.nan))
    pose_covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))
    twist_covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))
    joint_position_variance: Array = field(default_factory=lambda: np.zeros(12))
    joint_velocity_variance: Array = field(default_factory=lambda: np.zeros(12))
    invalid_reason: str = ""

    @property
    def valid(self) -> bool:
        """Whether the robot may walk on this estimate."""
        return not self.invalid_reason


@dataclass(frozen=True)
class SensorSample:
    """What the sensors said at one instant, checked and in the order of the description.

    Attributes:
        time: of the physical sample, s.
        joint_position: (12,), rad.
        joint_velocity: (12,), rad/s; NaN where it is not measured.
        joint_effort: (12,), N m; NaN where it is not measured.
        angular_velocity_imu: in the axes of the IMU link, (3,), rad/s.
        specific_force_imu: what the accelerometer reads, +g upwards at rest (REP-145), in the axes of the IMU link, (3,), m/s^2.
        foot_force: force of the ground on each foot in the base frame, (4, 3), N; NaN where it is not measured.
    """

    time: float
    joint_position: Array
    joint_velocity: Array
    joint_effort: Array
    angular_velocity_imu: Array
    specific_force_imu: Array
    foot_force: Array

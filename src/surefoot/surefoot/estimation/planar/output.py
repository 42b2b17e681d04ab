# SPDX-License-Identifier: Apache-2.0
"""From the plane to the state of a robot."""

import numpy as np

from surefoot.estimation.planar.body import BACK, FRONT
from surefoot.estimation.planar.process import DOUBLE_SUPPORT, PINNED_BACK, PINNED_FRONT, Array
from surefoot.estimation.slot import JointMeasurement
from surefoot.robot.state import RobotState
from surefoot.rotation import quaternion_from_roll_pitch_yaw

UNKNOWN = 1e6
"""Variance of what is not known, m^2 and rad^2."""

RATE_DEVIATION = 0.02
"""Of a measured joint velocity, rad/s, where nothing better is said."""

_FROM_PLANE = np.zeros((6, 3))
"""x y z roll pitch yaw by x, y and the angle of the plane: that is against the pitch about y."""
_FROM_PLANE[[0, 2, 4], [0, 1, 2]] = 1.0, 1.0, -1.0


def planar_state(
    time: float, base: Array, spread: Array, joints: JointMeasurement, ahead: float, mode: int, out_of_plane: float,
    encoder_deviation: float, reason: str,
) -> RobotState:  # fmt: skip
    """The state of the robot.

    Args:
        time: s.
        base: x, y, angle and their rates, as `BaseInPlane`, (6,).
        spread: covariance of these, (6, 6).
        joints: the newest.
        ahead: by which the state is later than these, s.
        mode: which foot stands.
        out_of_plane: standard deviation of what is held to be zero.
        encoder_deviation: of a joint, rad.
        reason: why nothing may be walked on it.
    """
    stands = np.zeros(4)
    stands[list(BACK)] = float(mode in (PINNED_BACK, DOUBLE_SUPPORT))
    stands[list(FRONT)] = float(mode in (PINNED_FRONT, DOUBLE_SUPPORT))
    velocity = joints.velocity
    return RobotState(
        time=time,
        base_position=np.array([base[0], 0.0, base[1]]),
        base_quaternion=quaternion_from_roll_pitch_yaw(0.0, -float(base[2]), 0.0),
        base_linear_velocity=np.array([base[3], 0.0, base[4]]),
        base_angular_velocity=np.array([0.0, -base[5], 0.0]),
        joint_position=joints.position + max(ahead, 0.0) * velocity,
        joint_velocity=velocity.copy(),
        joint_effort=joints.effort.copy(),
        contact_probability=stands,
        pose_covariance=_spread(spread[:3, :3], out_of_plane),
        twist_covariance=_spread(spread[3:, 3:], out_of_plane),
        joint_position_variance=np.full(12, encoder_deviation**2 + (max(ahead, 0.0) * RATE_DEVIATION) ** 2),
        joint_velocity_variance=np.full(12, RATE_DEVIATION**2),
        invalid_reason=reason,
    )


def nothing_known(time: float, joints: JointMeasurement | None, reason: str) -> RobotState:
    """What is said before the filter runs: the joints, if they have spoken, and that the rest is unknown."""
    position, velocity = (np.zeros(12), np.zeros(12)) if joints is None else (joints.position.copy(), joints.velocity.copy())
    unknown = np.full(12, UNKNOWN if joints is None else RATE_DEVIATION**2)
    zero = np.zeros(3)
    return RobotState(
        time, zero, np.array([0.0, 0.0, 0.0, 1.0]), zero.copy(), zero.copy(), position, velocity,
        contact_probability=np.zeros(4), pose_covariance=np.eye(6) * UNKNOWN, twist_covariance=np.eye(6) * UNKNOWN,
        joint_position_variance=unknown, joint_velocity_variance=unknown.copy(), invalid_reason=reason,
    )  # fmt: skip


def _spread(plane: Array, out_of_plane: float) -> Array:
    """Covariance (6, 6) by that in the plane (3, 3)."""
    held: Array = np.diag(np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]) * out_of_plane**2)
    spread: Array = _FROM_PLANE @ plane @ _FROM_PLANE.T
    return 0.5 * (spread + spread.T) + held

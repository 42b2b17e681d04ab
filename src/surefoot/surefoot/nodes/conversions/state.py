# SPDX-License-Identifier: Apache-2.0
"""RobotState as a message and back."""

import numpy as np
from numpy.typing import NDArray
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.nodes.conversions.common import ODOM, Order, doubles, seconds_of, stamp_of
from surefoot.robot.description import RobotDescription
from surefoot.robot.state import RobotState

Array = NDArray[np.float64]

_ALWAYS_FINITE = (
    "base_position", "base_quaternion", "base_linear_velocity", "base_angular_velocity", "joint_position", "joint_velocity",
    "contact_probability", "pose_covariance", "twist_covariance", "joint_position_variance", "joint_velocity_variance",
)  # fmt: skip


def message_of_state(
    state: RobotState, description: RobotDescription, foot_position: Array, foot_velocity: Array
) -> RobotStateMessage:
    """The message of an estimate.

    Args:
        state: the estimate.
        description: names.
        foot_position, foot_velocity: in odom, (4, 3), m and m/s.
    """
    message = RobotStateMessage()
    message.header.stamp, message.header.frame_id, message.child_frame_id = stamp_of(state.time), ODOM, description.base
    message.base_position, message.base_orientation = state.base_position, state.base_quaternion
    message.base_linear_velocity, message.base_angular_velocity = state.base_linear_velocity, state.base_angular_velocity
    message.pose_covariance, message.twist_covariance = state.pose_covariance.reshape(36), state.twist_covariance.reshape(36)
    message.joint_names = list(description.joint_names)
    message.joint_position, message.joint_velocity = doubles(state.joint_position), doubles(state.joint_velocity)
    message.joint_effort = [] if np.isnan(state.joint_effort).any() else doubles(state.joint_effort)
    message.joint_position_variance = doubles(state.joint_position_variance)
    message.joint_velocity_variance = doubles(state.joint_velocity_variance)
    message.foot_names, message.foot_friction = list(description.foot_names), doubles(state.foot_friction)
    message.foot_contact_probability, message.foot_force = doubles(state.contact_probability), doubles(state.foot_force)
    message.foot_position, message.foot_velocity = doubles(foot_position), doubles(foot_velocity)
    message.valid, message.invalid_reason = state.valid, state.invalid_reason
    return message


class StateReader:
    """Reads RobotState messages of one robot."""

    def __init__(self, description: RobotDescription) -> None:
        self._joints, self._feet = Order("joint", description.joint_names), Order("foot", description.foot_names)

    def read(self, message: RobotStateMessage) -> RobotState:
        """The state of a message.

        Raises:
            SensorError: joints or feet are not those of the robot, or a number that has to be there is missing or not finite.
        """
        joints, feet = self._joints, self._feet
        joints.places(message.joint_names)
        feet.places(message.foot_names)
        effort = message.joint_effort
        state = RobotState(
            time=seconds_of(message.header.stamp),
            base_position=message.base_position,
            base_quaternion=message.base_orientation,
            base_linear_velocity=message.base_linear_velocity,
            base_angular_velocity=message.base_angular_velocity,
            joint_position=joints.values("joint_position", message.joint_position),
            joint_velocity=joints.values("joint_velocity", message.joint_velocity),
            joint_effort=joints.values("joint_effort", effort) if len(effort) else np.full(12, np.nan),
            contact_probability=feet.values("foot_contact_probability", message.foot_contact_probability),
            foot_force=feet.values("foot_force", message.foot_force, 3),
            foot_friction=feet.values("foot_friction", message.foot_friction),
            pose_covariance=message.pose_covariance.reshape(6, 6),
            twist_covariance=message.twist_covariance.reshape(6, 6),
            joint_position_variance=joints.values("joint_position_variance", message.joint_position_variance),
            joint_velocity_variance=joints.values("joint_velocity_variance", message.joint_velocity_variance),
            invalid_reason="" if message.valid else message.invalid_reason or "not valid",
        )
        # As bytes: to put a dozen small arrays behind each other costs NumPy more than to look at all of their numbers.
        if not np.isfinite(np.frombuffer(b"".join([getattr(state, name) for name in _ALWAYS_FINITE]))).all():
            broken = next(name for name in _ALWAYS_FINITE if not np.isfinite(getattr(state, name)).all())
            raise SensorError(f"{broken} of the state of {state.time:.3f} s is not finite")
        if any(friction < 0.0 for friction in message.foot_friction):
            least = np.nanmin(state.foot_friction)
            raise SensorError(f"foot_friction of the state of {state.time:.3f} s is {least:g}; it must not be below 0; NaN says unknown")
        return state

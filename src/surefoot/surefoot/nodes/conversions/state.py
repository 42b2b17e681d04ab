# SPDX-License-Identifier: Apache-2.0
"""RobotState as a message and back."""

import numpy as np
from numpy.typing import NDArray
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.nodes.conversions.common import (
    ODOM,
    Order,
    array_of,
    array_of_quaternion,
    by_name,
    point_of,
    quaternion_of,
    seconds_of,
    stamp_of,
    vector_of,
)
from surefoot.robot.description import RobotDescription
from surefoot.robot.state import RobotState
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]

_ALWAYS_FINITE = (
    "base_position", "base_quaternion", "base_linear_velocity", "base_angular_velocity", "joint_position", "joint_velocity",
    "contact_probability", "pose_covariance", "twist_covariance", "joint_position_variance", "joint_velocity_variance",
)  # fmt: skip


def _turned(covariance: Array, rotation: Array) -> Array:
    """A (6, 6) covariance of two vectors in other axes."""
    both = np.zeros((6, 6))
    both[:3, :3] = both[3:, 3:] = rotation
    result: Array = both @ covariance @ both.T
    return result


def message_of_state(
    state: RobotState, description: RobotDescription, foot_position: Array, foot_velocity: Array, friction: float
) -> RobotStateMessage:
    """The message of an estimate.

    Args:
        state: the estimate.
        description: names.
        foot_position, foot_velocity: in odom, (4, 3), m and m/s.
        friction: believed, NaN where nothing is.
    """
    message = RobotStateMessage()
    message.header.stamp, message.header.frame_id, message.child_frame_id = stamp_of(state.time), ODOM, description.base
    pose, twist = message.pose, message.twist
    pose.pose.position, pose.pose.orientation = point_of(state.base_position), quaternion_of(state.base_quaternion)
    pose.covariance = state.pose_covariance.reshape(36)
    base_from_odom = rotation_matrix(state.base_quaternion).T
    twist.twist.linear, twist.twist.angular = (
        vector_of(base_from_odom @ state.base_linear_velocity),
        vector_of(base_from_odom @ state.base_angular_velocity),
    )
    twist.covariance = _turned(state.twist_covariance, base_from_odom).reshape(36)
    message.joint_names = list(description.joint_names)
    message.joint_position, message.joint_velocity = state.joint_position.tolist(), state.joint_velocity.tolist()
    message.joint_effort = [] if np.isnan(state.joint_effort).any() else state.joint_effort.tolist()
    message.joint_position_variance = state.joint_position_variance.tolist()
    message.joint_velocity_variance = state.joint_velocity_variance.tolist()
    message.foot_names, message.foot_friction = list(description.foot_names), [friction] * 4
    message.foot_contact_probability = state.contact_probability
    message.foot_position, message.foot_velocity = foot_position.reshape(12), foot_velocity.reshape(12)
    message.foot_force = state.foot_force.reshape(12)
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
        joints = self._joints.places(message.joint_names)
        feet = self._feet.places(message.foot_names)
        quaternion = array_of_quaternion(message.pose.pose.orientation)
        odom_from_base = rotation_matrix(quaternion)
        effort = message.joint_effort
        state = RobotState(
            time=seconds_of(message.header.stamp),
            base_position=array_of(message.pose.pose.position),
            base_quaternion=quaternion,
            base_linear_velocity=odom_from_base @ array_of(message.twist.twist.linear),
            base_angular_velocity=odom_from_base @ array_of(message.twist.twist.angular),
            joint_position=by_name("joint_position", message.joint_position, joints),
            joint_velocity=by_name("joint_velocity", message.joint_velocity, joints),
            joint_effort=by_name("joint_effort", effort, joints) if len(effort) else np.full(12, np.nan),
            contact_probability=by_name("foot_contact_probability", message.foot_contact_probability, feet),
            foot_force=by_name("foot_force", message.foot_force, feet, 3),
            pose_covariance=np.array(message.pose.covariance).reshape(6, 6),
            twist_covariance=_turned(np.array(message.twist.covariance).reshape(6, 6), odom_from_base),
            joint_position_variance=by_name("joint_position_variance", message.joint_position_variance, joints),
            joint_velocity_variance=by_name("joint_velocity_variance", message.joint_velocity_variance, joints),
            invalid_reason="" if message.valid else message.invalid_reason or "not valid",
        )
        for name in _ALWAYS_FINITE:
            if not np.isfinite(getattr(state, name)).all():
                raise SensorError(f"{name} of the state of {state.time:.3f} s is not finite")
        return state

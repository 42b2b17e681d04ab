# SPDX-License-Identifier: Apache-2.0
"""A RobotState message as the standard messages for its base."""

import numpy as np
from geometry_msgs.msg import TransformStamped, Vector3
from nav_msgs.msg import Odometry
from std_msgs.msg import Header
from surefoot_msgs.msg import RobotState

from surefoot.nodes.conversions.common import point_of, quaternion_of, stamp_of, vector_of
from surefoot.rotation import rotation_matrix


def odometry_of_state(state: RobotState, time: float) -> Odometry:
    """Pose in odom, twist and its covariance in the base frame [REP-103, REP-105].

    Args:
        state: the estimate, stamped with the sample that it answers.
        time: for which it is true, s: the stamp, so that whoever looks a transform up at the stamp of a sensor finds what was true then.
    """
    message = Odometry(header=Header(stamp=stamp_of(time), frame_id=state.header.frame_id), child_frame_id=state.child_frame_id)
    pose, twist = message.pose, message.twist
    pose.pose.position, pose.pose.orientation = point_of(state.base_position), quaternion_of(state.base_orientation)
    pose.covariance = state.pose_covariance
    base_from_odom = rotation_matrix(state.base_orientation).T
    twist.twist.linear = vector_of(base_from_odom @ state.base_linear_velocity)
    twist.twist.angular = vector_of(base_from_odom @ state.base_angular_velocity)
    both = np.zeros((6, 6))
    both[:3, :3] = both[3:, 3:] = base_from_odom
    twist.covariance = (both @ state.twist_covariance.reshape(6, 6) @ both.T).reshape(36)
    return message


def transform_of_odometry(odometry: Odometry) -> TransformStamped:
    """The same pose as a transform."""
    transform = TransformStamped(header=odometry.header, child_frame_id=odometry.child_frame_id)
    position = odometry.pose.pose.position
    transform.transform.translation = Vector3(x=position.x, y=position.y, z=position.z)
    transform.transform.rotation = odometry.pose.pose.orientation
    return transform

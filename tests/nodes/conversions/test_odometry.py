# SPDX-License-Identifier: Apache-2.0
"""The standard messages for the base."""

import numpy as np
import pytest

from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.odometry import odometry_of_state, transform_of_odometry
from surefoot.nodes.conversions.state import message_of_state
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState

QUARTER_LEFT = np.array((0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))


def test_the_twist_of_odometry_is_in_the_base_frame_and_its_covariance_with_it(hyq: RobotModel) -> None:
    state = RobotState(
        time=1.5,
        base_position=np.array((1.0, 2.0, 0.5)),
        base_quaternion=QUARTER_LEFT,
        base_linear_velocity=np.array((0.0, 1.0, 0.0)),
        base_angular_velocity=np.array((0.5, 0.0, 0.2)),
        joint_position=np.zeros(12),
        joint_velocity=np.zeros(12),
        pose_covariance=np.diag((1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        twist_covariance=np.diag((1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
    )
    odometry = odometry_of_state(message_of_state(state, hyq.description, np.zeros((4, 3)), np.zeros((4, 3))), 3.003)
    assert seconds_of(odometry.header.stamp) == pytest.approx(3.003)
    twist, pose = odometry.twist, odometry.pose
    # A base that looks along odom's y and moves along it moves forward.
    assert (twist.twist.linear.x, twist.twist.linear.y, twist.twist.linear.z) == pytest.approx((1.0, 0.0, 0.0))
    assert (twist.twist.angular.x, twist.twist.angular.y, twist.twist.angular.z) == pytest.approx((0.0, -0.5, 0.2))
    np.testing.assert_allclose(np.diag(twist.covariance.reshape(6, 6)), (2.0, 1.0, 3.0, 5.0, 4.0, 6.0))
    np.testing.assert_allclose(np.diag(pose.covariance.reshape(6, 6)), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
    transform = transform_of_odometry(odometry)
    translation = transform.transform.translation
    assert (translation.x, translation.y, translation.z) == (1.0, 2.0, 0.5)
    assert transform.transform.rotation == pose.pose.orientation
    assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "base_link")

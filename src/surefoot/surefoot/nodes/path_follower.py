# SPDX-License-Identifier: Apache-2.0
"""Node: walks along the waypoints of a path, through the same door as any other program."""

import math

import numpy as np
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Path
from rclpy.qos import QoSProfile
from surefoot_msgs.msg import MotionPlan
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import ConfigurationError, SensorError
from surefoot.gait.waypoints import WaypointFollower
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import ODOM
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.parameters import PathFollowerParameters
from surefoot.rotation import roll_pitch_yaw

EVERY = 5
"""Ticks between two commands."""


class PathFollowerNode(SurefootNode):
    """Topics: /path (in odom), /robot_state, /motion_plan in; /cmd_vel out while there is a path to go.

    A new path takes the place of the one before, an empty one ends it.
    """

    def __init__(self) -> None:
        super().__init__("path_follower")
        given = self.declared(PathFollowerParameters)
        self._speed, self._turn_rate, self._again = given.speed, given.turn_rate, given.again
        self._near = given.near or 0.5 * self.model.description.stand_height
        # A number that cannot be is told at the start, not with the first path.
        WaypointFollower([(0.0, 0.0)], self._speed, self._turn_rate, self._near)
        self._follower: WaypointFollower | None = None
        self._reader = StateReader(self.model.description)
        self._count, self._base_twist = 0, 0.0
        self._commands = self.create_publisher(TwistStamped, "/cmd_vel", QoSProfile(depth=1))
        self.create_subscription(Path, "/path", self._hear_path, quality.EVENT)
        self.create_subscription(MotionPlan, "/motion_plan", self._hear_plan, quality.command(False))
        self.create_subscription(RobotStateMessage, "/robot_state", self.timed(self._tick), quality.command(False))

    def _hear_path(self, path: Path) -> None:
        self._follower = None
        if not path.poses:
            self.get_logger().info("an empty path: standing still")
            return
        if path.header.frame_id != ODOM:
            self.fault("refused_path_frame", f"a path in the frame '{path.header.frame_id}'; this node knows '{ODOM}' only")
            return
        points = [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]
        try:
            self._follower = WaypointFollower(points, self._speed, self._turn_rate, self._near, self._again)
        except ConfigurationError as error:
            self.fault("refused_path", str(error))
            return
        self.get_logger().info(f"a path of {len(points)} waypoints")

    def _hear_plan(self, plan: MotionPlan) -> None:
        # The base of a gait may look elsewhere than where it goes.
        self._base_twist = plan.base_twist if math.isfinite(plan.base_twist) else 0.0

    def _tick(self, message: RobotStateMessage) -> None:
        follower = self._follower
        self._count += 1
        if follower is None or self._count % EVERY:
            return
        command = np.zeros(3)
        try:
            state = self._reader.read(message)
            if state.valid:
                command = follower.command(state.base_position, float(roll_pitch_yaw(state.base_quaternion)[2]) - self._base_twist)
        except SensorError as error:
            self.fault("refused_message", str(error))
        twist = TwistStamped()
        twist.header.stamp, twist.header.frame_id = message.header.stamp, self.model.description.base
        twist.twist.linear.x, twist.twist.linear.y, twist.twist.angular.z = (float(value) for value in command)
        self._commands.publish(twist)
        if follower.finished:
            self._follower = None
            self.get_logger().info("the path is walked")


def main() -> None:
    """Entry point."""
    run(PathFollowerNode)


if __name__ == "__main__":
    main()

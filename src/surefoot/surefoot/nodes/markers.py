# SPDX-License-Identifier: Apache-2.0
"""Node: what the page shows, for RViz, Foxglove and every other viewer of ROS. No sender waits for it, and nobody notices its end."""

import time
from functools import partial
from typing import Any

from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from surefoot.errors import SurefootError
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.links import LinkFrames
from surefoot.nodes.conversions.markers import MarkerMaker
from surefoot.nodes.glance import Glance
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.nodes.parameters import MarkersParameters
from surefoot.nodes.view import GLANCED, SEEN, known_world
from surefoot.viewer.page.state import PageState

TOPICS = {"/markers": "visualization_msgs/msg/MarkerArray", "/robot_description": "std_msgs/msg/String"}
"""That only this node says."""
RATE = 15.0
"""Arrays a second, while somebody looks."""
AGAIN = 15
"""Beats after which somebody who has just come is told what was told before."""
EVENTS = {"/swing": quality.SHOWN, "/traces": SEEN, "/verdict": quality.EVENT}
"""Heard only while somebody looks: some of it is said only to those who listen."""


class MarkersNode(SurefootNode):
    """Topics: /robot_state, /motion_plan, /joint_command, /robot_mode, /operator_command, /swing, /traces, /verdict in; /markers,
    /robot_description, and on /tf the links below the base out, while somebody looks at /markers.
    """

    def __init__(self) -> None:
        super().__init__("markers")
        self._ears = PageEars(self.model.description, PageState(effort_limit=self.model.effort_limit))
        self._maker = MarkerMaker(self.model, known_world(self.declared(MarkersParameters).world))
        self._links = LinkFrames(self.model)
        self._markers = self.create_publisher(MarkerArray, "/markers", QoSProfile(depth=5))
        self._transforms = self.create_publisher(TFMessage, "/tf", QoSProfile(depth=10))
        self._description = self.create_publisher(String, "/robot_description", quality.EVENT)
        self._description.publish(String(data=self.model.urdf))
        self._glance = Glance("markers_glance")
        for topic in GLANCED:
            self._glance.subscribe(KINDS[topic], topic, partial(self._hear, topic))
        self._events: list[Subscription] = []
        self._beat = 0
        self.create_timer(1.0 / RATE, self.timed(self._tick))

    def _tick(self, *_: object) -> None:
        if not self._markers.get_subscription_count():
            for subscription in self._events:
                self.destroy_subscription(subscription)
            self._events = []
            return
        if not self._events:
            self._events = [
                self.create_subscription(KINDS[topic], topic, partial(self._hear, topic), profile) for topic, profile in EVENTS.items()
            ]
        self._glance.look()
        robot = self._ears.state.robot
        if robot is None:
            return
        self._beat += 1
        self._markers.publish(self._maker.array(self._ears.state, self._beat % AGAIN == 0))
        self._transforms.publish(TFMessage(transforms=self._links.transforms(stamp_of(robot.time), robot.joint_position)))

    def _hear(self, topic: str, message: Any) -> None:
        try:
            self._ears.hear(topic, message, time.monotonic())
        except SurefootError as error:
            self.fault("refused_message", str(error))


def main() -> None:
    """Entry point."""
    run(MarkersNode, watches=True)


if __name__ == "__main__":
    main()

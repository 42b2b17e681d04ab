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
from surefoot.nodes.conversions.plots import PLOTS, contact_transforms
from surefoot.nodes.glance import Glance
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.nodes.parameters import MarkersParameters
from surefoot.nodes.view import GLANCED, SEEN, known_world
from surefoot.viewer.page.state import PageState

TOPICS = {
    "/markers": "visualization_msgs/msg/MarkerArray", "/robot_description": "std_msgs/msg/String",
    **{topic: plot.type for topic, plot in PLOTS.items()},
}  # fmt: skip
"""That only this node says."""
RATE = 30.0
"""Messages of a plot a second, while somebody looks at it."""
MARKERS_EVERY = 2
"""Beats for one array of markers."""
AGAIN = 30
"""Beats after which somebody who has just come is told what was told before."""
EVENTS = {"/swing": quality.SHOWN, "/traces": SEEN, "/verdict": quality.EVENT, "/gait_status": quality.EVENT, "/diagnostics": SEEN}
"""Heard only while somebody looks: some of it is said only to those who listen."""
OF_PLOTS = {"/verdict", "/gait_status", "/diagnostics"}
"""Of these, what is heard for plots as well."""


class MarkersNode(SurefootNode):
    """Topics: /robot_state, /motion_plan, /joint_command, /robot_mode, /operator_command, /gait_status, /swing, /traces, /verdict,
    /diagnostics in; /robot_description out, and /markers and each of PLOTS while somebody looks at it; with them on /tf the links below
    the base and the places of the feet.
    """

    def __init__(self) -> None:
        super().__init__("markers")
        self._ears = PageEars(self.model.description, PageState(effort_limit=self.model.effort_limit))
        self._maker = MarkerMaker(self.model, known_world(self.declared(MarkersParameters).world))
        self._links = LinkFrames(self.model)
        self._markers = self.create_publisher(MarkerArray, "/markers", QoSProfile(depth=5))
        self._plots = {topic: self.create_publisher(plot.kind, topic, QoSProfile(depth=10)) for topic, plot in PLOTS.items()}
        self._transforms = self.create_publisher(TFMessage, "/tf", QoSProfile(depth=10))
        self._description = self.create_publisher(String, "/robot_description", quality.EVENT)
        self._description.publish(String(data=self.model.urdf))
        self._glance = Glance("markers_glance", partial(self.fault, "refused_message"))
        for topic in GLANCED:
            self._glance.subscribe(KINDS[topic], topic, partial(self._hear, topic))
        self._events: dict[str, Subscription] = {}
        self._beat = 0
        self.create_timer(1.0 / RATE, self.timed(self._tick))

    def _tick(self, *_: object) -> None:
        marked = self._markers.get_subscription_count() > 0
        plotted = [topic for topic, publisher in self._plots.items() if publisher.get_subscription_count()]
        self._listen_to(set(EVENTS) if marked else OF_PLOTS if plotted else set())
        if not (marked or plotted):
            return
        self._glance.look()
        state, robot = self._ears.state, self._ears.state.robot
        if robot is None:
            return
        self._beat += 1
        stamp = stamp_of(robot.time)
        if marked and self._beat % MARKERS_EVERY == 0:
            self._markers.publish(self._maker.array(state, self._beat % AGAIN == 0))
        for topic in plotted:
            message = PLOTS[topic].make(state, robot, stamp)
            if message is not None:
                self._plots[topic].publish(message)
        if self._beat % MARKERS_EVERY == 0:
            links = self._links.transforms(stamp, robot.joint_position)
            self._transforms.publish(TFMessage(transforms=[*links, *contact_transforms(robot)]))

    def _listen_to(self, wanted: set[str]) -> None:
        """Hear these of EVENTS, and no others."""
        for topic in set(self._events) - wanted:
            self.destroy_subscription(self._events.pop(topic))
        for topic in wanted - set(self._events):
            self._events[topic] = self.create_subscription(KINDS[topic], topic, partial(self._hear, topic), EVENTS[topic])

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

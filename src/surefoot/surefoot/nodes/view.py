# SPDX-License-Identifier: Apache-2.0
"""Node: the page in the browser, of a graph that runs. No sender waits for it, and nobody notices its end.

What comes often or in bulk it hears best effort; reliably only the few events that stay true, the gait status and the verdict. While a
person commands on the page it speaks as well.
"""

import time
from functools import partial
from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import GaitRequest, GaitStatus

from surefoot.errors import SurefootError
from surefoot.gait.of_robot import gaits_of
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.glance import Glance
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.nodes.parameters import ViewParameters
from surefoot.robot.locate import shared_directory
from surefoot.teleop.layout import read_layout
from surefoot.terrain.world import World, find_world, read_world
from surefoot.viewer.page.access import access
from surefoot.viewer.page.pad import LAYOUT
from surefoot.viewer.page.page import RATE, Page

SEEN = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Of what comes in bursts: what is missed is missing in the picture only."""

GLANCED = ("/motion_plan", "/joint_command", "/robot_state", "/robot_mode", "/operator_command")
"""Of these the newest message is enough, in this order: what the diagrams take of a plan is there when the robot comes."""

UNWATCHED_EVERY = 6
"""Beats for one look at the newest messages while nobody watches."""


class ViewNode(SurefootNode):
    """Topics: /robot_state, /motion_plan, /joint_command, /robot_mode, /operator_command, /gait_status, /verdict, /traces, /swing,
    /diagnostics in; /gait_request and /joy out, while a person commands on the page.
    """

    def __init__(self) -> None:
        super().__init__("view")
        config = shared_directory() / "config"
        description = self.model.description
        given = self.declared(ViewParameters)
        allowed = access(given.host, given.port, given.commands, given.pad, given.token)
        self._page = Page(
            self.model, gaits_of(self.model), read_layout(config / "gamepads", LAYOUT), allowed,
            known_world(given.world),
        )  # fmt: skip
        self._ears = PageEars(description, self._page.state)
        self._beat = 0
        self._glance = Glance("view_glance", partial(self.fault, "refused_message"))
        for topic in GLANCED:
            self._glance.subscribe(KINDS[topic], topic, partial(self._hear, topic))
        self.create_subscription(GaitStatus, "/gait_status", self._hear_status, quality.EVENT)
        for topic, profile in (
            ("/swing", quality.SHOWN), ("/traces", SEEN), ("/verdict", quality.EVENT), ("/diagnostics", SEEN),
        ):  # fmt: skip
            self.create_subscription(KINDS[topic], topic, partial(self._hear, topic), profile)
        self._requests = self.create_publisher(GaitRequest, "/gait_request", 10)
        # Only a page with a gamepad may be taken for one.
        self._joy = self.create_publisher(Joy, "/joy", QoSProfile(depth=50)) if allowed.pad else None
        self.create_timer(1.0 / RATE, self.timed(self._tick))
        print(f"open {self._page.address}", flush=True)

    def at_end(self) -> None:
        """Nobody drives any more."""
        self._page.close()

    def _tick(self, *_: object) -> None:
        self._beat += 1
        for asked in self._page.listen():
            own = [] if asked.own_gait is None else [message_of_gait(asked.own_gait, self.model.description)]
            self._requests.publish(GaitRequest(id=asked.request_id, gait=asked.gait, own_gait=own))
        pad = self._page.pad_message()
        if pad is not None and self._joy is not None:
            self._joy.publish(message_of_pad(pad, self.get_clock().now().to_msg(), LAYOUT))
        if self._page.watchers or self._beat % UNWATCHED_EVERY == 0:
            self._glance.look()
        if self._beat % RATE == 0:
            self._page.state.rates = self._glance.rates()
        self._page.show(time.monotonic())

    def _hear(self, topic: str, message: Any) -> None:
        try:
            self._ears.hear(topic, message, time.monotonic())
        except SurefootError as error:
            # What cannot be read is refused and counted.
            self.fault("refused_message", str(error))

    def _hear_status(self, message: GaitStatus) -> None:
        before = self._page.state.status
        self._hear("/gait_status", message)
        status = self._page.state.status
        self._page.gait_runs(status.gait)
        news = (status.request_id, status.state)
        if status.state in ("COMMITTED", "VETOED") and news != (before.request_id, before.state):
            self._page.verdict(status.requested_gait, status.state == "COMMITTED", status.reason)


def known_world(name: str) -> World | None:
    """The ground of a name or path; None for an empty one. Raises UnknownNameError or ConfigurationError where it cannot be read."""
    return read_world(find_world(name)) if name else None


def main() -> None:
    """Entry point."""
    run(ViewNode, watches=True)


if __name__ == "__main__":
    main()

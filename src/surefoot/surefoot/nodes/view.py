# SPDX-License-Identifier: Apache-2.0
"""Node: the page in the browser, of a graph that runs. No sender waits for it, and nobody notices its end.

What comes often or in bulk it hears best effort; reliably only the few events that stay true, the gait status and the verdict. While a
person commands on the page it speaks as well.
"""

import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import FootPlanState, GaitRequest, GaitStatus, MotionPlan, OperatorCommand, RobotMode, ServoCommand, Traces, Verdict
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SurefootError
from surefoot.gait.library import read_gaits
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.conversions.page import PageReader, health_of, mode_of, status_of, verdict_of
from surefoot.nodes.conversions.traces import candidate_shown, traces_shown
from surefoot.nodes.glance import Glance
from surefoot.robot.locate import shared_directory
from surefoot.teleop.layout import read_layout
from surefoot.terrain.world import World, find_world, read_world
from surefoot.viewer.page.access import access
from surefoot.viewer.page.pad import LAYOUT
from surefoot.viewer.page.page import RATE, Page
from surefoot.viewer.page.rehearsal import RehearsalShown
from surefoot.viewer.page.state import CommandShown

SEEN = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Of what comes in bursts: what is missed is missing in the picture only."""

ABSENT = "the dead-man switch is open, or the gamepad is silent"

UNWATCHED_EVERY = 6
"""Beats for one look at the newest messages while nobody watches."""


class ViewNode(SurefootNode):
    """Topics: /robot_state, /motion_plan, /joint_command, /robot_mode, /operator_command, /gait_status, /verdict, /traces, /swing,
    /diagnostics in; /gait_request and /joy out, while a person commands on the page.

    Parameters:
        host: to serve on; 127.0.0.1: this machine only.
        port: 0: 8080 or, where that is taken, a free one.
        commands: auto: on this machine only; on: from elsewhere too, with a token; off: nobody.
        pad: whether there is an on-screen gamepad.
        token: to be shown before commanding from elsewhere; empty: one is made up.
        world: name or path of the ground, where it is known; empty: it is not.
    """

    def __init__(self) -> None:
        super().__init__("view")
        config = shared_directory() / "config"
        description = self.model.description
        allowed = access(
            self.declare_parameter("host", "127.0.0.1").value,
            self.declare_parameter("port", 0).value,
            self.declare_parameter("commands", "auto").value,
            self.declare_parameter("pad", True).value,
            self.declare_parameter("token", "").value,
        )
        world: str = self.declare_parameter("world", "").value
        self._page = Page(
            self.model, read_gaits(config / "gaits" / f"{description.gait_set}.yaml"), read_layout(config / "gamepads", LAYOUT), allowed,
            _world(world),
        )  # fmt: skip
        self._reader, self._commands = PageReader(description), CommandReader(description)
        self._beat = 0
        self._glance = Glance("view_glance")
        self._glance.subscribe(MotionPlan, "/motion_plan", self._checked(self._hear_plan))
        self._glance.subscribe(ServoCommand, "/joint_command", self._checked(self._hear_command))
        self._glance.subscribe(RobotStateMessage, "/robot_state", self._checked(self._hear_robot))
        self._glance.subscribe(RobotMode, "/robot_mode", lambda message: self._page.state.take_mode(mode_of(message)))
        self._glance.subscribe(OperatorCommand, "/operator_command", self._hear_operator)
        self.create_subscription(GaitStatus, "/gait_status", self._hear_status, quality.EVENT)
        self.create_subscription(FootPlanState, "/swing", self._hear_swing, quality.SHOWN)
        self.create_subscription(Traces, "/traces", self._hear_traces, SEEN)
        self.create_subscription(Verdict, "/verdict", self._hear_verdict, quality.EVENT)
        self.create_subscription(DiagnosticArray, "/diagnostics", self._hear_diagnostics, SEEN)
        self._requests = self.create_publisher(GaitRequest, "/gait_request", 10)
        # Only a page with a gamepad may be taken for one.
        self._joy = self.create_publisher(Joy, "/joy", QoSProfile(depth=50)) if allowed.pad else None
        self.create_timer(1.0 / RATE, self.timed(self._tick))
        print(f"open {self._page.address}", flush=True)

    def at_end(self) -> None:
        """Nobody drives any more."""
        self._page.close()

    def _checked(self, hear: Callable[[Any], None]) -> Callable[[Any], None]:
        """The same, what cannot be read refused and counted."""

        def checked(message: Any) -> None:
            try:
                hear(message)
            except SurefootError as error:
                self.fault("refused_message", str(error))

        return checked

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

    def _hear_robot(self, message: RobotStateMessage) -> None:
        self._page.state.take_robot(self._reader.robot(message), time.monotonic())

    def _hear_plan(self, message: MotionPlan) -> None:
        self._page.state.take_plan(self._reader.plan(message))

    def _hear_swing(self, message: FootPlanState) -> None:
        swing = self._reader.swing(message)
        if swing is not None:
            self._page.state.swings[swing[0]] = swing[1]

    def _hear_command(self, message: ServoCommand) -> None:
        command = self._commands.read(message)
        self._page.state.command = None if command is None else CommandShown(command.position, command.effort, command.remarks)

    def _hear_operator(self, message: OperatorCommand) -> None:
        self._page.state.operator = "" if message.present else ABSENT

    def _hear_status(self, message: GaitStatus) -> None:
        state = self._page.state
        before, state.status = state.status, status_of(message)
        self._page.gait_runs(state.status.gait)
        news = (state.status.request_id, state.status.state)
        if state.status.state in ("COMMITTED", "VETOED") and news != (before.request_id, before.state):
            self._page.verdict(state.status.requested_gait, state.status.state == "COMMITTED", state.status.reason)

    def _hear_traces(self, message: Traces) -> None:
        # What was rehearsed for a counter-offer belongs to another speed: the fan shows what was asked for.
        if abs(message.command_factor - 1.0) > 1e-6:
            return
        rehearsal = self._rehearsal(message.request_id, message.gait_from, message.gait_to, seconds_of(message.header.stamp))
        try:
            rehearsal.add(message.number, candidate_shown(message), traces_shown(message))
        except SurefootError as error:
            self.fault("refused_message", str(error))

    def _hear_verdict(self, message: Verdict) -> None:
        stamp = seconds_of(message.header.stamp)
        rehearsal = self._rehearsal(message.request_id, message.gait_from, message.gait_to, stamp)
        for number, score in enumerate(message.scores):
            violated = dict(zip(score.violated, score.violated_count, strict=False))
            rehearsal.settle(number, candidate_shown(score), score.particles, score.survived, violated, score.lower_bound)
        rehearsal.answer(verdict_of(message), max(self._page.state.time, stamp))

    def _rehearsal(self, request_id: int, gait_from: str, gait_to: str, stamp: float) -> RehearsalShown:
        shown = self._page.state.rehearsal
        if shown is None or (shown.request_id, shown.time) != (request_id, stamp):
            shown = RehearsalShown(request_id, gait_from, gait_to, stamp)
            self._page.state.take_rehearsal(shown)
        return shown

    def _hear_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self._page.state.take_health(status.name, health_of(status, time.monotonic()))


def _world(name: str) -> World | None:
    return read_world(find_world(name)) if name else None


def main() -> None:
    """Entry point."""
    run(ViewNode)


if __name__ == "__main__":
    main()

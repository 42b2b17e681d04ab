# SPDX-License-Identifier: Apache-2.0
"""What a page makes of each message, whether a robot says it now or said it into a bag."""

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from surefoot_msgs.msg import FootPlanState, GaitStatus, MotionPlan, OperatorCommand, RobotMode, ServoCommand, Traces, Verdict
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.nodes.conversions.command import CommandReader
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.page import PageReader, health_of, mode_of, status_of, verdict_of
from surefoot.nodes.conversions.traces import candidate_shown, traces_shown
from surefoot.robot.description import RobotDescription
from surefoot.viewer.page.state import CommandShown, PageState

ABSENT = "dead-man switch open, or gamepad silent or to be armed anew"

KINDS: dict[str, Any] = {
    "/robot_state": RobotStateMessage, "/motion_plan": MotionPlan, "/joint_command": ServoCommand, "/robot_mode": RobotMode,
    "/operator_command": OperatorCommand, "/gait_status": GaitStatus, "/swing": FootPlanState, "/traces": Traces, "/verdict": Verdict,
    "/diagnostics": DiagnosticArray,
}  # fmt: skip
"""What a page hears, and the type of it."""


class PageEars:
    """Fills a state.

    Args:
        description: of the robot.
        state: of the page.
    """

    def __init__(self, description: RobotDescription, state: PageState) -> None:
        self.state = state
        self._reader, self._commands = PageReader(description), CommandReader(description)
        self._takers = {
            "/robot_state": self._robot, "/motion_plan": self._plan, "/joint_command": self._command, "/robot_mode": self._mode,
            "/operator_command": self._operator, "/gait_status": self._status, "/swing": self._swing, "/traces": self._traces,
            "/verdict": self._verdict, "/diagnostics": self._diagnostics,
        }  # fmt: skip

    def hear(self, topic: str, message: Any, now: float) -> None:
        """Take in a message of a topic out of KINDS that came at a time, s of the clock of the wall; infinite where that does not matter.

        Raises:
            SurefootError: it cannot be read.
        """
        self._takers[topic](message, now)

    def _robot(self, message: RobotStateMessage, now: float) -> None:
        self.state.take_robot(self._reader.robot(message), now)

    def _plan(self, message: MotionPlan, now: float) -> None:
        self.state.take_plan(self._reader.plan(message))

    def _command(self, message: ServoCommand, now: float) -> None:
        command = self._commands.read(message)
        self.state.command = None if command is None else CommandShown(command.position, command.effort, command.remarks)

    def _mode(self, message: RobotMode, now: float) -> None:
        self.state.take_mode(mode_of(message))

    def _operator(self, message: OperatorCommand, now: float) -> None:
        self.state.operator = "" if message.present else ABSENT

    def _status(self, message: GaitStatus, now: float) -> None:
        self.state.status = status_of(message)

    def _swing(self, message: FootPlanState, now: float) -> None:
        swing = self._reader.swing(message)
        if swing is not None:
            self.state.swings[swing[0]] = swing[1]

    def _traces(self, message: Traces, now: float) -> None:
        # What was rehearsed for a counter-offer belongs to another speed: the fan shows what was asked for.
        if message.offer:
            return
        traces, stamp = traces_shown(message), seconds_of(message.header.stamp)
        rehearsal = self.state.rehearsal_of(message.request_id, message.gait_from, message.gait_to, stamp)
        if rehearsal is self.state.rehearsal:
            rehearsal.add(message.number, candidate_shown(message), traces)

    def _verdict(self, message: Verdict, now: float) -> None:
        stamp = seconds_of(message.header.stamp)
        rehearsal = self.state.rehearsal_of(message.request_id, message.gait_from, message.gait_to, stamp)
        for number, score in enumerate(message.scores):
            violated = dict(zip(score.violated, score.violated_count, strict=False))
            rehearsal.settle(number, candidate_shown(score), score.particles, score.survived, violated, score.lower_bound)
        rehearsal.answer(verdict_of(message), max(self.state.time, stamp))

    def _diagnostics(self, message: DiagnosticArray, now: float) -> None:
        for status in message.status:
            self.state.take_health(status.name, health_of(status, now))

# SPDX-License-Identifier: Apache-2.0
"""Node: tells what happens while it happens, and writes it down as a story."""

from functools import partial
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from surefoot_msgs.msg import GaitStatus, RobotMode, Verdict

from surefoot.evaluation.story import FILE_NAME, Event, StoryWriter
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.parameters import NarratorParameters
from surefoot.nodes.teller import Teller
from surefoot.robot.locate import shared_directory
from surefoot.servos.modes import mode_name
from surefoot.teleop.layout import read_layout
from surefoot.teleop.next_step import next_step
from surefoot.teleop.script import find_story, read_story

USUAL = "xbox"


class NarratorNode(SurefootNode):
    """Topics: /robot_mode, /gait_status, /verdict, /diagnostics in."""

    def __init__(self) -> None:
        super().__init__("narrator")
        given = self.declared(NarratorParameters)
        story = given.story
        self._writer = StoryWriter(Path(given.record_directory) / FILE_NAME) if given.record_directory else None
        teller = self._teller = Teller(read_story(find_story(story)) if story else None, self._keep, partial(print, flush=True))
        self._layout = None if story else read_layout(shared_directory() / "config" / "gamepads", given.layout or USUAL)
        self._told: set[str] = set()
        self.create_subscription(RobotMode, "/robot_mode", self._hear_mode, quality.command(self.lockstep))
        self.create_subscription(GaitStatus, "/gait_status", self.refusing(teller.hear_status), quality.EVENT)
        self.create_subscription(Verdict, "/verdict", self.refusing(teller.hear_verdict), quality.EVENT)
        self.create_subscription(DiagnosticArray, "/diagnostics", self.refusing(teller.hear_diagnostics), QoSProfile(depth=50))

    def _hear_mode(self, message: RobotMode) -> None:
        self._teller.hear_mode(message)
        name = mode_name(message.mode)
        if self._layout is None or name in self._told:
            return
        # Once for each mode, but again after a stop: that is when somebody asks.
        self._told = {name} if name in ("STOPPED", "FAULT") else self._told | {name}
        if words := next_step(name, self._layout):
            print(f"           {words}", flush=True)

    def at_end(self) -> None:
        """Write the last health report of each node."""
        if self._writer is not None:
            for event in self._teller.health.values():
                self._writer.write(event)
            self._writer.close()

    def _keep(self, event: Event) -> None:
        if self._writer is not None:
            self._writer.write(event)


def main() -> None:
    """Entry point."""
    run(NarratorNode, watches=True)


if __name__ == "__main__":
    main()

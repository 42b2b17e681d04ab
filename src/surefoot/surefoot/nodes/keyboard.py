# SPDX-License-Identifier: Apache-2.0
"""Node: the keyboard of a terminal as a gamepad; what `surefoot drive` starts."""

import signal
import sys
import time
from collections.abc import Callable

from rcl_interfaces.msg import Log
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy, JoyFeedback
from surefoot_msgs.msg import GaitStatus, RobotMode

from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, finish, run
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.teller import Teller
from surefoot.nodes.unheard import Unheard
from surefoot.robot.locate import shared_directory
from surefoot.servos.modes import mode_name
from surefoot.teleop.keyboard import HELP, KeyboardPad
from surefoot.teleop.layout import read_layout
from surefoot.teleop.screen import Screen
from surefoot.teleop.terminal import Terminal
from surefoot.teleop.writer import GONE, PadMessage

LAYOUT = "keyboard"

RATE = 30.0
"""At which keys are read and the pad is sent, Hz; faster than keyboards repeat is of no use."""

VETO = 0.5
"""Intensity of a rumble from which on it is a bell: a veto shakes harder than an acceptance."""


DOOR = "teleop"
"""The node whose words are for whoever drives."""


class KeyboardNode(SurefootNode):
    """Topics: /joy out; /robot_mode, /gait_status, /joy/set_feedback and, of /rosout, what teleop says, in, for the screen."""

    def __init__(self) -> None:
        super().__init__("keyboard")
        self._terminal, self._screen = Terminal(), Screen(sys.stdout)
        self._pad = KeyboardPad(read_layout(shared_directory() / "config" / "gamepads", LAYOUT))
        self._joy = self.create_publisher(Joy, "/joy", QoSProfile(depth=50))
        self._teller = Teller(None, lambda event: None, self._say)
        self._mode, self._gait = "-", "gait -"
        self.create_subscription(RobotMode, "/robot_mode", self._hear_mode, quality.command(False))
        self.create_subscription(GaitStatus, "/gait_status", self.refusing(self._hear_gait), quality.EVENT)
        self.create_subscription(JoyFeedback, "/joy/set_feedback", self._ring, QoSProfile(depth=10))
        self.create_subscription(Log, "/rosout", self._hear_words, QoSProfile(depth=50))
        print(HELP, flush=True)
        self.create_timer(1.0 / RATE, self.timed(self._tick))
        Unheard(self, "/joy", DOOR, self._say)

    def at_end(self) -> None:
        """Nobody drives any more, and the terminal is as it was."""
        for _ in range(5):
            self._publish(GONE)
            time.sleep(0.02)
        self._terminal.close()

    def _tick(self, *_: object) -> None:
        now, keys = time.monotonic(), self._terminal.keys()
        if keys is None:
            # The terminal was closed.
            finish()
            return
        for key in keys:
            self._pad.key(now, key)
        self._publish(self._pad.message(now))
        self._write(lambda: self._screen.show(f"mode {self._mode}  {self._gait}  {self._pad.status(now)}"))

    def _publish(self, message: PadMessage) -> None:
        self._joy.publish(message_of_pad(message, self.get_clock().now().to_msg(), LAYOUT))

    def _hear_mode(self, mode: RobotMode) -> None:
        self._mode = mode_name(mode.mode)
        self._teller.hear_mode(mode)

    def _hear_gait(self, status: GaitStatus) -> None:
        self._gait = f"gait {status.gait}" + ("  press y for what is offered" if status.offer else "")
        self._teller.hear_status(status)

    def _hear_words(self, log: Log) -> None:
        if log.name == DOOR:
            self._say(log.msg)

    def _ring(self, feedback: JoyFeedback) -> None:
        if feedback.intensity >= VETO:
            self._write(self._screen.ring)

    def _say(self, line: str) -> None:
        self._write(lambda: self._screen.say(line))

    def _write(self, words: Callable[[], None]) -> None:
        try:
            words()
        except OSError:
            # The terminal was closed.
            finish()


def main() -> None:
    """Entry point."""
    # A closed terminal is noticed by reading from it, and then there is still time to say that nobody drives.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    run(KeyboardNode)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""`surefoot drive` in a terminal of its own, heard over real DDS."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy, JoyFeedback
from surefoot_msgs.msg import GaitStatus, RobotMode

from surefoot.nodes import quality
from surefoot.teleop.layout import read_layout
from surefoot.teleop.pad import PadReader

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = 101 + os.getpid() % 20
PATIENCE = 60.0  # s


class Terminal:
    """A terminal in which `surefoot drive` runs, and somebody who hears what it sends."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self.joys: list[Joy] = []
        node = Node("listener", context=self.context)
        # Whoever opens the door to the robot speaks by this name.
        self.door = Node("teleop", context=self.context)
        self.modes = node.create_publisher(RobotMode, "/robot_mode", quality.command(False))
        self.statuses = node.create_publisher(GaitStatus, "/gait_status", quality.EVENT)
        self.node = node
        node.create_subscription(Joy, "/joy", self.joys.append, QoSProfile(depth=1000))
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(node)
        self.ours, theirs = pty.openpty()
        environment = os.environ | {"ROS_DOMAIN_ID": str(DOMAIN), "PYTHONPATH": str(ROOT / "src" / "surefoot")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "surefoot", "drive"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        os.set_blocking(self.ours, False)
        self.screen = ""
        self._reader = PadReader(read_layout(ROOT / "config" / "gamepads", "keyboard"))

    def until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"gave up; the screen says: {self.screen[-2000:]}"
            self._executor.spin_once(timeout_sec=0.02)
            self._look()

    def type(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def pressed(self) -> set[str]:
        """Buttons that were down in any message so far."""
        return {button for joy in self.joys if joy.buttons for button in self._reader.read(joy.axes, joy.buttons).pressed}

    def close(self) -> None:
        """Close the terminal's window."""
        if self.ours >= 0:
            os.close(self.ours)
            self.ours = -1

    def _look(self) -> None:
        with contextlib.suppress(OSError):
            self.screen += os.read(self.ours, 4096).decode(errors="replace") if self.ours >= 0 else ""


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()
    if terminal.process.poll() is None:
        terminal.process.kill()
        terminal.process.wait()
    terminal.context.try_shutdown()


def gone(joy: Joy) -> bool:
    return not joy.axes and not joy.buttons


@pytest.mark.parametrize("end", ["closed", "ctrl-c"])
def test_keys_drive_and_its_end_stops(terminal: Terminal, end: str) -> None:
    terminal.until(lambda: terminal.joys and "emergency stop" in terminal.screen)
    assert terminal.joys[-1].header.frame_id == "keyboard"
    terminal.type("m")
    terminal.until(lambda: "arm" in terminal.pressed())
    terminal.type("w")
    terminal.until(lambda: terminal.joys[-1].axes[0] > 0.0)
    terminal.until(lambda: terminal.joys[-1].axes[0] == 0.0)  # let go
    terminal.type("www ")
    terminal.until(lambda: "stop" in terminal.pressed())
    assert terminal.joys[-1].axes[0] == 0.0
    if end == "closed":
        terminal.close()
    else:
        terminal.process.send_signal(signal.SIGINT)
    terminal.until(lambda: gone(terminal.joys[-1]))
    assert terminal.process.wait(PATIENCE) == 0


def test_the_screen_says_whole_what_the_robot_and_the_door_say(terminal: Terminal) -> None:
    reason = f"pace on ice ground is not vouched for: best known at 50% of walk, {', '.join(['tilt 3x'] * 40)}, 0.8 s after the change"
    status = GaitStatus(gait="walk", request_state=GaitStatus.VETOED, requested_gait="pace", reason=reason, offer="pace at 50%")
    terminal.until(lambda: terminal.door.get_publishers_info_by_topic("/joy"))
    terminal.statuses.publish(status)

    feedback = terminal.node.create_publisher(JoyFeedback, "/joy/set_feedback", 10)

    def told() -> bool:
        terminal.modes.publish(RobotMode(mode=RobotMode.WALKING, reason="asked for", refused="sit refused: it walks"))
        terminal.door.get_logger().info("tuning: period 0.8 s -> 0.78 s: edited")
        terminal.node.get_logger().info("somebody else's words")
        feedback.publish(JoyFeedback(type=JoyFeedback.TYPE_RUMBLE, intensity=1.0))
        bell = "\a"  # where a pad would shake
        words = (bell, f"request vetoed: {reason}", "mode WALKING: asked for", "refused: sit refused: it walks", "0.8 s -> 0.78 s: edited")
        return all(word in terminal.screen for word in (*words, "gait walk  press y for what is offered"))

    terminal.until(told)
    assert "somebody else's words" not in terminal.screen


def test_without_a_terminal_it_is_refused() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src" / "surefoot")}
    result = subprocess.run(
        [sys.executable, "-m", "surefoot", "drive"], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, check=False
    )
    assert result.returncode == 2
    assert "needs a terminal" in " ".join(result.stderr.split())

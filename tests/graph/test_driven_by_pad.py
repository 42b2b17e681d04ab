# SPDX-License-Identifier: Apache-2.0
"""From the gamepad to the joints and back: a person drives, tunes the gait, is vetoed, and pulls the pad out."""

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from std_msgs.msg import String
from surefoot_msgs.msg import GaitStatus, OperatorCommand, RobotMode, RobotState

from surefoot.nodes import quality
from surefoot.nodes.conversions.common import seconds_of

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.skipif(importlib.util.find_spec("sdl2") is None, reason="PySDL2 is not installed"),
]

HELD_FOR = 0.3
"""s of the wall that a finger stays on a button."""


class Hands:
    """A person's hands on the pad, and eyes on the robot."""

    def __init__(self, graph: Any, ear: Any, wait_until: Callable[..., Any]) -> None:
        self._wait_until = wait_until
        self._launch = graph.launch("particles:=2")
        self._pad = graph.run(str(Path(__file__).with_name("pad_at_hand.py")), "--ros-args", "-p", "lockstep:=false")
        self._says = ear.speak(String, "/hands")
        self.statuses: list[GaitStatus] = ear.hear(GaitStatus, "/gait_status", quality.EVENT)
        self.modes: list[RobotMode] = ear.hear(RobotMode, "/robot_mode", quality.command(False))
        self.states: list[RobotState] = ear.hear(RobotState, "/robot_state", quality.command(False))
        self.commands: list[OperatorCommand] = ear.hear(OperatorCommand, "/operator_command", quality.operator(False))
        self.until(lambda: self._says.get_subscription_count() > 0 and self.modes and self.states, "everything to run")

    @property
    def output(self) -> str:
        """What the graph said."""
        return str(self._launch.output)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        return self._wait_until(condition, lambda: f"{what}; {self.commands[-1:]}: {self.output[-3000:]} {self._pad.output[-1000:]}")

    def do(self, *words: str) -> None:
        for word in words:
            self._says.publish(String(data=word))

    def press(self, *buttons: str) -> None:
        """Push buttons together, and let them go."""
        self.do(*(f"button {button} 1" for button in buttons))
        time.sleep(HELD_FOR)
        self.do(*(f"button {button} 0" for button in buttons))
        time.sleep(HELD_FOR)

    def wait(self, seconds: float) -> None:
        """Wait some time of the robot, s: a change of gait is made over a cycle."""
        due = seconds_of(self.states[-1].header.stamp) + seconds
        self.until(lambda: seconds_of(self.states[-1].header.stamp) >= due, f"{seconds} s")

    def press_until(self, condition: Callable[[], Any], *buttons: str) -> None:
        """Push and look, and again if nothing came of it: what a busy machine delivers late does not count."""
        for _ in range(6):
            self.press(*buttons)
            patience = time.monotonic() + 10.0
            while time.monotonic() < patience:
                if condition():
                    return
                time.sleep(0.05)
        raise AssertionError(f"{buttons} do nothing: {self.commands[-1:]} {self._launch.output[-3000:]}")

    def mode(self) -> int:
        return int(self.modes[-1].mode)

    def heard_of(self, gait: str, *states: int) -> list[GaitStatus]:
        """What was said of requests for a gait."""
        return [one for one in self.statuses if one.requested_gait == gait and (not states or one.request_state in states)]

    def verdict(self, gait: str) -> GaitStatus:
        """Wait for what becomes of a request."""
        ends = (GaitStatus.COMMITTED, GaitStatus.VETOED)
        return self.until(lambda: self.heard_of(gait, *ends), f"a verdict on {gait}")[0]  # type: ignore[no-any-return]


@pytest.fixture
def hands(graph: Any, ear: Any, wait_until: Callable[..., Any]) -> Hands:
    return Hands(graph, ear, wait_until)


def test_a_person_drives_tunes_is_vetoed_and_pulls_the_pad_out(hands: Hands) -> None:
    hands.until(lambda: hands.states[-1].valid, "an estimate")
    hands.press_until(lambda: hands.mode() == RobotMode.DAMPING, "start")
    hands.press_until(lambda: hands.mode() == RobotMode.STANDING_UP, "dpad_up")
    hands.until(lambda: hands.mode() == RobotMode.READY, "standing")
    hands.do("button left_bumper 1")
    hands.press_until(lambda: hands.mode() == RobotMode.WALKING, "right_bumper")
    hands.do("axis left_y -20000")
    hands.until(lambda: hands.statuses[-1].gait == "walk" and hands.statuses[-1].command.linear.x > 0.2, "a walk at 0.2 m/s")
    hands.wait(1.5)

    # Both sticks pushed in open the page; its first parameter is the period.
    hands.press_until(lambda: "tuning page open" in hands.output, "left_stick", "right_stick")
    hands.press_until(lambda: "period 0.8 s -> " in hands.output, "dpad_right")
    hands.press_until(lambda: hands.heard_of("walk #1"), "a")
    tuned = hands.verdict("walk #1")
    assert tuned.request_state == GaitStatus.COMMITTED, tuned.reason
    hands.press_until(lambda: "tuning page closed" in hands.output, "left_stick", "right_stick")
    hands.wait(1.5)

    hands.press_until(lambda: hands.statuses[-1].ground == "ice", "dpad_left")
    hands.press_until(lambda: hands.heard_of("pace"), "y")
    refused = hands.verdict("pace")
    assert refused.request_state == GaitStatus.VETOED
    assert "pace on ice ground is not vouched for" in refused.reason
    assert hands.statuses[-1].gait == "walk #1"

    hands.do("unplug")
    hands.until(lambda: not hands.commands[-1].present, "the loss of the pad")
    hands.until(lambda: abs(hands.statuses[-1].command.linear.x) < 0.01, "a command of zero")
    assert hands.mode() in (RobotMode.WALKING, RobotMode.READY)
    assert hands.states[-1].base_position[2] > 0.5

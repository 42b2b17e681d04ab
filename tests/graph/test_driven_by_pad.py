# SPDX-License-Identifier: Apache-2.0
"""From the gamepad to the joints and back: a person drives, tunes the gait, is vetoed, and pulls the pad out."""

import importlib.util
import time
from collections.abc import Callable, Sequence
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

HEARD_WITHIN = 15.0
"""s of the wall after which a press that had no effect is lost; a press that comes late is dropped long before."""

ASK_AGAIN = ("ask again", "came too late")
"""Of these one is in each reason that says nothing of the gait: messages of the pad or the verdict itself were late."""

Heard = Callable[[Sequence[OperatorCommand], str], Any]
"""Whether a press was heard, by the commands and the output that came since."""


def asks(request: int) -> Heard:
    """The press becomes a request, which a command carries once."""
    return lambda since, _: any(one.request == request for one in since)


def says(words: str) -> Heard:
    """The press becomes a line."""
    return lambda _, output: words in output


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

    def press_until(self, condition: Callable[[], Any], *buttons: str, heard: Heard) -> Any:
        """Push until it is heard, then wait for what comes of it; gives that.

        Again only if nobody heard it: many a second press would undo the first. Before each, the state is looked at.
        """
        for _ in range(6):
            if value := condition():
                return value
            commands, said = len(self.commands), len(self.output)
            self.press(*buttons)
            patience = time.monotonic() + HEARD_WITHIN
            while time.monotonic() < patience:
                if heard(self.commands[commands:], self.output[said:]):
                    return self.until(condition, f"what {buttons} bring about")
                time.sleep(0.1)
        raise AssertionError(f"{buttons} are not heard: {self.commands[-1:]} {self.output[-3000:]}")

    def ask(self, gait: str, button: str) -> GaitStatus:
        """Ask for a gait; gives what became of it. Again if the answer was only that something came late."""
        ends = (GaitStatus.COMMITTED, GaitStatus.VETOED)
        for _ in range(6):
            self.until(lambda: self.commands[-1].present, "a pad that is held")
            last = self.commands[-1].gait_request_id

            def end(last: int = last) -> GaitStatus | None:
                of_this = (one for one in self.statuses if one.request_id > last and one.requested_gait == gait)
                return next((one for one in of_this if one.request_state in ends), None)

            def heard(since: Sequence[OperatorCommand], _: str, last: int = last) -> bool:
                return any(one.gait_request_id > last and one.gait == gait for one in since)

            answer: GaitStatus = self.press_until(end, button, heard=heard)
            if not any(words in answer.reason for words in ASK_AGAIN):
                return answer
        raise AssertionError(f"no verdict on the gait: {answer}")

    def mode(self) -> int:
        return int(self.modes[-1].mode)


@pytest.fixture
def hands(graph: Any, ear: Any, wait_until: Callable[..., Any]) -> Hands:
    return Hands(graph, ear, wait_until)


def test_a_person_drives_tunes_is_vetoed_and_pulls_the_pad_out(hands: Hands) -> None:
    hands.until(lambda: hands.states[-1].valid, "an estimate")
    hands.press_until(lambda: hands.mode() == RobotMode.DAMPING, "start", heard=asks(OperatorCommand.ARM))
    hands.press_until(lambda: hands.mode() in (RobotMode.STANDING_UP, RobotMode.READY), "dpad_up", heard=asks(OperatorCommand.STAND))
    hands.until(lambda: hands.mode() == RobotMode.READY, "standing")
    hands.do("button left_bumper 1")
    hands.until(lambda: hands.commands[-1].present, "a pad that is held")
    hands.press_until(lambda: hands.mode() == RobotMode.WALKING, "right_bumper", heard=asks(OperatorCommand.WALK))
    hands.do("axis left_y -20000")
    hands.until(lambda: hands.statuses[-1].gait == "walk" and hands.statuses[-1].command.linear.x > 0.2, "a walk at 0.2 m/s")
    hands.wait(1.5)

    # Both sticks pushed in open the page; its first parameter is the period.
    opened, closed = "tuning page open", "tuning page closed"
    hands.press_until(lambda: opened in hands.output, "left_stick", "right_stick", heard=says(opened))
    hands.press_until(lambda: "period 0.8 s -> " in hands.output, "dpad_right", heard=says("tuning: period"))
    tuned = hands.ask("walk #1", "a")
    assert tuned.request_state == GaitStatus.COMMITTED, tuned.reason
    hands.press_until(lambda: closed in hands.output, "left_stick", "right_stick", heard=says(closed))
    hands.wait(1.5)

    hands.press_until(lambda: hands.statuses[-1].ground == "ice", "dpad_left", heard=lambda since, _: any(one.ground for one in since))
    refused = hands.ask("pace", "y")
    assert refused.request_state == GaitStatus.VETOED
    assert "pace on ice ground is not vouched for" in refused.reason, refused.reason
    assert hands.statuses[-1].gait == "walk #1"

    hands.do("unplug")
    hands.until(lambda: not hands.commands[-1].present, "the loss of the pad")
    hands.until(lambda: abs(hands.statuses[-1].command.linear.x) < 0.01, "a command of zero")
    assert hands.mode() in (RobotMode.WALKING, RobotMode.READY)
    assert hands.states[-1].base_position[2] > 0.5

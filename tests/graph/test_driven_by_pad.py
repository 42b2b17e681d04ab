# SPDX-License-Identifier: Apache-2.0
"""From the gamepad to the joints and back: a person drives, tunes, is vetoed, takes up what is offered, and pulls the pad out."""

import importlib.util
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from std_msgs.msg import String
from surefoot_msgs.msg import GaitStatus, OperatorCommand, RobotMode, RobotState

from surefoot.nodes import quality

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.skipif(importlib.util.find_spec("sdl2") is None, reason="PySDL2 is not installed"),
]

HELD_FOR = 0.3
"""s of the wall that a finger stays on a button."""

HEARD_WITHIN = 15.0
"""s of the wall after which a press that had no effect is lost; a press that comes late is dropped long before."""

TRIES = 6
"""Of one thing: on a busy machine a press, a verdict or the pad itself may come too late."""

ASK_AGAIN = ("ask again", "came too late", "the command keeps changing")
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

    def press_until(self, condition: Callable[[], Any], *buttons: str, heard: Heard) -> Any:
        """Push until it is heard, then wait for what comes of it; gives that.

        Again only if nobody heard it: many a second press would undo the first. Before each, the state is looked at.
        """
        for _ in range(TRIES):
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
        for _ in range(TRIES):
            self.until(lambda: self.commands[-1].present, "a pad that is held")
            last = self.commands[-1].gait_request_id

            def heard(since: Sequence[OperatorCommand], _: str, last: int = last) -> bool:
                return any(one.gait_request_id > last and one.gait == gait for one in since)

            answer: GaitStatus = self.press_until(lambda last=last: self.end(gait, last), button, heard=heard)  # type: ignore[misc]
            if not any(words in answer.reason for words in ASK_AGAIN):
                return answer
        raise AssertionError(f"no verdict on the gait: {answer}")

    def end(self, gait: str, last: int) -> GaitStatus | None:
        """What became of the first request of a gait after another request."""
        ends = (GaitStatus.COMMITTED, GaitStatus.VETOED)
        of_this = (one for one in self.statuses if one.request_id > last and one.requested_gait == gait)
        return next((one for one in of_this if one.request_state in ends), None)

    def mode(self) -> int:
        return int(self.modes[-1].mode)


@pytest.fixture
def hands(graph: Any, calm_walk: Path, ear: Any, wait_until: Callable[..., Any]) -> Hands:
    return Hands(graph, ear, wait_until)


def test_a_person_drives_tunes_is_vetoed_takes_up_the_counter_offer_and_pulls_the_pad_out(hands: Hands) -> None:
    hands.until(lambda: hands.states[-1].valid, "an estimate")
    hands.press_until(lambda: hands.mode() == RobotMode.DAMPING, "start", heard=asks(OperatorCommand.ARM))
    hands.press_until(lambda: hands.mode() in (RobotMode.STANDING_UP, RobotMode.READY), "dpad_up", heard=asks(OperatorCommand.STAND))
    hands.until(lambda: hands.mode() == RobotMode.READY, "standing")
    hands.do("button left_bumper 1")
    hands.until(lambda: hands.commands[-1].present, "a pad that is held")
    hands.press_until(lambda: hands.mode() == RobotMode.WALKING, "right_bumper", heard=asks(OperatorCommand.WALK))
    hands.until(lambda: hands.statuses[-1].gait == "walk", "a walk")
    hands.do("axis left_y -32768")

    # Both sticks pushed in open the page; up from its first parameter is the gait as a whole, and left of the first gait the last one.
    opened, whole = "tuning page open", "to go on with another: "
    hands.press_until(lambda: opened in hands.output, "left_stick", "right_stick", heard=says(opened))
    hands.press_until(lambda: whole in hands.output, "dpad_up", heard=says(whole))
    chosen, first = "gait walk -> calm_walk: edited", "calm_walk: period = "
    hands.press_until(lambda: chosen in hands.output, "dpad_left", heard=says(chosen))
    hands.press_until(lambda: first in hands.output, "dpad_down", heard=says(first))
    hands.press_until(lambda: "period 0.8 s -> " in hands.output, "dpad_right", heard=says("tuning: period"))

    gait = "calm_walk #1"
    for _ in range(TRIES):
        hands.until(lambda: 0.45 <= hands.statuses[-1].command.linear.x <= 0.55, "the whole speed")
        vetoed = hands.ask(gait, "a")
        assert vetoed.request_state == GaitStatus.VETOED, vetoed.reason
        assert f"{gait} on dry ground is not vouched for" in vetoed.reason, vetoed.reason
        assert vetoed.offer_command_factor == 0.5, vetoed
        hands.until(lambda vetoed=vetoed: f"offered instead: {vetoed.offer}" in hands.output, "the offer")  # type: ignore[misc]
        last, slower = vetoed.request_id, says("slowing down to 50% of the speed")
        taken = hands.press_until(lambda last=last: hands.end(gait, last), "guide", heard=slower)  # type: ignore[misc]
        if taken.request_state == GaitStatus.COMMITTED:
            break
        assert any(words in taken.reason for words in ASK_AGAIN), taken.reason
    assert taken.request_state == GaitStatus.COMMITTED, taken.reason
    assert hands.statuses[-1].gait == gait
    assert 0.1 < hands.statuses[-1].command.linear.x < 0.3

    hands.do("unplug")
    hands.until(lambda: not hands.commands[-1].present, "the loss of the pad")
    hands.until(lambda: abs(hands.statuses[-1].command.linear.x) < 0.01, "a command of zero")
    hands.until(lambda: "nobody drives: no gamepad: it was unplugged" in hands.output, "the reason")
    assert hands.mode() in (RobotMode.WALKING, RobotMode.READY)
    assert hands.states[-1].base_position[2] > 0.5

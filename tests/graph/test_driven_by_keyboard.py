# SPDX-License-Identifier: Apache-2.0
"""Two terminals: in one of them the robot runs, in the other a person drives it by keys, and reads on that screen what becomes of it."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from surefoot_msgs.msg import GaitStatus, OperatorCommand, RobotMode, RobotState

from surefoot.gait.library import read_gaits
from surefoot.nodes import quality

TMUX = shutil.which("tmux") or ""

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(not TMUX, reason="no tmux on this machine; on Debian: apt-get install tmux"),
]

ASK_AGAIN = ("ask again", "came too late", "the command keeps changing")
"""Of these one is in each reason that says nothing of the gait: the keys or the verdict itself were late."""

PATIENCE = 180.0
"""s of the wall until this test gives up waiting; rehearsals beside busy programs take a while."""

HEARD_WITHIN = 15.0
"""s of the wall after which a key that had no effect is lost; a press that comes late is dropped long before."""

TRIES = 40
"""Of one thing: on a busy machine a press comes too late, or the key that is held seems to have been let go."""

LOST, COUNTS_AGAIN = "let go of the sticks and press arm", "the gamepad counts again"

REPEATS_EVERY = 0.04
"""s of the wall between two of a key that is held, as keyboards do."""

LOOKS_EVERY = 0.05
"""s of the wall between two looks at the screen."""

ERASED = re.compile(r"\r(\x1b\[K)?")
"""Back to the beginning of the line, to write over it."""


class Tmux:
    """A terminal multiplexer of this test's own, with a pane for each command.

    Attributes:
        held: key under a finger, empty for none.
    """

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._words = [TMUX, "-S", str(folder / "tmux"), "-f", str(folder / "tmux.conf")]
        self._environment = environment | {"TERM": "xterm"}
        (folder / "tmux.conf").write_text("set -g remain-on-exit on\nset -g default-shell /bin/sh\n")
        self._finger: subprocess.Popen[bytes] | None = None
        self._hand: subprocess.Popen[bytes] | None = None
        self.held = ""
        self._began = False

    def do(self, *words: str) -> str:
        return subprocess.run([*self._words, *words], env=self._environment, check=True, capture_output=True, text=True).stdout

    def open(self, name: str, *command: str) -> None:
        """A window of the size of a common terminal, and a command in it."""
        new = ("new-window", "-d") if self._began else ("new-session", "-d", "-s", "robot", "-x", "100", "-y", "40")
        self._began = True
        self.do(*new, "-n", name, *command)
        self.do("pipe-pane", "-t", name, f"exec cat >> {self._said(name)}")

    def screen(self, name: str) -> str:
        """All that a command wrote; what it wrote over is a line of its own."""
        said = self._said(name)
        return ERASED.sub("\n", said.read_text(errors="replace")) if said.exists() else ""

    def _said(self, name: str) -> Path:
        return self._folder / f"{name}.txt"

    def type(self, name: str, *keys: str) -> None:
        self.do("send-keys", "-t", name, *keys)

    def hold(self, name: str, key: str) -> None:
        """Lay a finger on a key, until `let_go`."""
        again = f"import time\nwhile True:\n    print('send-keys -t {name} {key}', flush=True)\n    time.sleep({REPEATS_EVERY})"
        self.held = key
        self._finger = subprocess.Popen([sys.executable, "-S", "-c", again], env=self._environment, stdout=subprocess.PIPE)
        # One client that takes commands from there: a process for each key would be late on a busy machine.
        words = [*self._words, "-C", "attach", "-t", "robot", "-f", "ignore-size,no-output"]
        self._hand = subprocess.Popen(
            words, env=self._environment, stdin=self._finger.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def let_go(self) -> None:
        self.held = ""
        for process in (self._finger, self._hand):
            if process is not None:
                process.kill()
                process.wait()
        self._finger = self._hand = None

    def close_window(self, name: str) -> None:
        """Take the terminal away from a command."""
        self.do("kill-window", "-t", name)

    def close(self) -> None:
        self.let_go()
        if self._began:
            subprocess.run([*self._words, "kill-server"], env=self._environment, check=False, capture_output=True)


class Person:
    """Somebody who types, reads the screen of `drive`, and does again what was not heard."""

    def __init__(self, graph: Any, ear: Any) -> None:
        self._began = time.monotonic()
        self.tmux = Tmux(graph.folder, graph.environment)
        self.statuses: list[GaitStatus] = ear.hear(GaitStatus, "/gait_status", quality.EVENT)
        self.modes: list[RobotMode] = ear.hear(RobotMode, "/robot_mode", quality.command(False))
        self.states: list[RobotState] = ear.hear(RobotState, "/robot_state", quality.command(False))
        self.commands: list[OperatorCommand] = ear.hear(OperatorCommand, "/operator_command", quality.operator(False))
        self.tmux.open("launch", sys.executable, "-m", "surefoot", "launch", "sim", "particles:=2")
        self.tmux.open("drive", sys.executable, "-m", "surefoot", "drive")

    def step(self, words: str) -> None:
        """Say what comes next."""
        print(f"{time.monotonic() - self._began:6.1f} s: {words}", flush=True)

    def said(self, words: str) -> int:
        """How often something is on the screen."""
        return self.tmux.screen("drive").count(words)

    def sees(self, words: str) -> bool:
        return self.said(words) > 0

    def reads(self, words: str) -> None:
        """Wait until something is on the screen."""
        self.until(lambda: self.sees(words), f"'{words}' on the screen")

    def until(self, condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        """Wait until a condition holds; gives its value. Whoever reads meanwhile that the keys do not count any more makes them count."""
        lost, deadline = self.said(LOST), time.monotonic() + patience
        while not (value := condition()):
            assert time.monotonic() < deadline, f"gave up waiting for {what}; {self.commands[-1:]}: {self.screens()}"
            if self.said(LOST) > lost:
                self.count_again()
                lost = self.said(LOST)
            time.sleep(LOOKS_EVERY)
        return value

    def screens(self) -> str:
        return " ".join(self.tmux.screen(name)[-3000:] for name in ("drive", "launch"))

    def is_at(self, least: float, most: float) -> None:
        """Wait until the keys are held and the robot is told a speed, m/s."""
        self.until(lambda: self.commands[-1].present and least <= self.statuses[-1].command.linear.x <= most, f"{least} to {most} m/s")

    def press(self, key: str, heard: Callable[[], Any], what: str) -> None:
        """Press until something comes of it. Whatever it is comes soon, or the press was not heard."""
        self.step(f"{key}: {what}")
        for _ in range(TRIES):
            lost = self.said(LOST)
            if heard():
                return
            self.tmux.type("drive", key)
            patience = time.monotonic() + HEARD_WITHIN
            while time.monotonic() < patience and self.said(LOST) == lost:
                if heard():
                    return
                time.sleep(LOOKS_EVERY)
            if self.said(LOST) > lost:
                self.count_again()
        raise AssertionError(f"{key} is not heard ({what}): {self.screens()}")

    def press_for(self, key: str, words: str, what: str) -> None:
        """Press until something is said once more."""
        before = self.said(words)
        self.press(key, lambda: self.said(words) > before, what)

    def count_again(self) -> None:
        """After keys that came so late that they count as a gamepad that was lost: let go, and arm."""
        held = self.tmux.held
        self.tmux.let_go()
        for _ in range(TRIES):
            before = self.said(COUNTS_AGAIN)
            time.sleep(1.0)
            self.step("m: the keys are to count again")
            self.tmux.type("drive", "m")
            patience = time.monotonic() + HEARD_WITHIN
            while time.monotonic() < patience and self.said(COUNTS_AGAIN) == before:
                time.sleep(LOOKS_EVERY)
            if self.said(COUNTS_AGAIN) > before:
                break
        if held:
            self.tmux.hold("drive", held)

    def mode(self) -> int:
        return int(self.modes[-1].mode) if self.modes else -1

    def ask(self, key: str, words: str, what: str) -> GaitStatus:
        """Press a key that asks for a gait; gives what became of that. The words say that it was heard."""
        last = max(status.request_id for status in self.statuses)
        self.press_for(key, words, what)
        ends = (GaitStatus.COMMITTED, GaitStatus.VETOED)

        def end() -> GaitStatus | None:
            return next((one for one in self.statuses if one.request_id > last and one.request_state in ends), None)

        status: GaitStatus = self.until(end, f"what becomes of: {what}")
        self.step(f"  {status.requested_gait}: {status.reason}; {status.offer}")
        return status


@pytest.fixture
def person(graph: Any, calm_walk: Path, ear: Any) -> Iterator[Person]:
    person = Person(graph, ear)
    yield person
    person.tmux.close()


def test_a_person_drives_tunes_is_vetoed_takes_up_the_counter_offer_and_closes_the_terminal(person: Person, calm_walk: Path) -> None:
    person.until(lambda: person.sees("mode OFF") and person.modes and person.states, "everything to run")
    person.press("m", lambda: person.mode() == RobotMode.DAMPING, "arm it")
    person.press("t", lambda: person.mode() in (RobotMode.STANDING_UP, RobotMode.READY), "stand it up")
    person.until(lambda: person.mode() == RobotMode.READY, "standing")
    person.press("v", lambda: person.mode() == RobotMode.WALKING, "walk")
    for part in ("75%", "100%"):
        person.press("r", lambda part=part: person.sees(f"stick {part}"), f"a stick of {part}")  # type: ignore[misc]
    person.until(lambda: person.statuses[-1].gait == "walk", "a gait")
    person.tmux.hold("drive", "w")

    person.press("p", lambda: person.sees("tuning page open"), "the page of the gait")
    # Of the gaits that the person keeps, and a little longer.
    person.press_for("Up", "to go on with another: ", "the gait as a whole")
    person.press_for("Left", "gait walk -> calm_walk: edited", "the last gait")
    person.press_for("Down", "calm_walk: period", "its period")
    person.press_for("Right", "tuning: period 0.8 s -> 0.82 s: edited", "a longer one")
    for _ in range(TRIES):
        person.is_at(0.45, 0.55)
        vetoed = person.ask("k", "requested", "the gait so made")
        assert vetoed.request_state == GaitStatus.VETOED, vetoed.reason
        if any(words in vetoed.reason for words in ASK_AGAIN):
            continue
        assert "not vouched for" in vetoed.reason, vetoed.reason
        assert vetoed.offer, vetoed.reason
        person.reads(vetoed.reason)
        person.reads(f"offered instead: {vetoed.offer}")
        person.reads("press y for what is offered")
        taken = person.ask("y", "slowing down to 50% of the speed", "what is offered")
        if taken.request_state == GaitStatus.COMMITTED:
            break
        assert any(words in taken.reason for words in ASK_AGAIN), taken.reason
    else:
        raise AssertionError(f"no verdict on the gait: {person.screens()}")
    assert taken.requested_gait == vetoed.requested_gait
    person.reads(f"{taken.requested_gait} taken")
    assert person.statuses[-1].gait == taken.requested_gait
    assert person.statuses[-1].command.linear.x < 0.3

    person.press_for("o", f"keep {taken.requested_gait} as 'calm_walk_slow'?", "a name for it")
    person.press_for("k", "gait calm_walk_slow saved", "that name")
    assert read_gaits(calm_walk)["calm_walk_slow"].period == pytest.approx(0.82)

    person.step("the terminal is closed, a finger still on the key")
    person.tmux.close_window("drive")
    deadline = time.monotonic() + PATIENCE
    while person.commands[-1].present or abs(person.statuses[-1].command.linear.x) > 0.01:
        assert time.monotonic() < deadline, f"it is still driven: {person.commands[-1:]} {person.statuses[-1:]}"
        time.sleep(LOOKS_EVERY)
    assert person.mode() in (RobotMode.WALKING, RobotMode.READY)
    assert person.states[-1].base_position[2] > 0.5
    person.step("the end")

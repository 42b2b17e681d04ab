# SPDX-License-Identifier: Apache-2.0
"""Brings a graph into a phase, lets one thing fail in it, and says what came of that."""

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType

from surefoot_msgs.msg import GaitStatus

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.evaluation.faults.expectations import Expectation
from surefoot.evaluation.faults.matrix import AFTERWARDS, UP, Cell, verdict
from surefoot.nodes.faults.graph import Graph, require_alive
from surefoot.nodes.faults.relay import Relay
from surefoot.nodes.stack_topics import STACK_TOPICS
from surefoot.robot.load import load_robot
from surefoot.servos.estimate import HELD
from surefoot.servos.modes import Mode

PATIENCE = 600.0
"""s of the wall after which a graph that gets nowhere is given up: seven nodes that start on a busy machine take minutes."""
LOOK = 0.004
ALONE = 2.0
"""s of the wall that somebody in the domain is looked for before the graph starts."""
LONGEST_LEAD = 15.0
"""s of the stamps from lying to the mode of a phase."""
LONGEST_FALL = 4.0
"""s of the stamps in which a damped robot comes to lie; one that may not be armed then fell onto its side."""
PRESS_EVERY = 0.3
"""s from one push of a button to the next: it has to be up in between."""
PRESSES = {Mode.OFF: "arm", Mode.FAULT: "arm", Mode.STOPPED: "arm", Mode.DAMPING: "stand", Mode.SITTING: "stand"}
"""The button that leads on from a mode."""
STICK = 0.6
RELEASED = 0.5
"""s after which a button that was pressed is up again."""
TRANSITION = 0.05
"""s from the beginning of a fault to the change of gait."""
AFTER_CHANGE = 0.1
"""s that a graph is still watched once the mode changed: 25 ticks, in which a fault has to last, and most of which nobody may answer."""
SETTLES = {"standing": 1.0, "walking": 2.0}
"""s from the beginning of a mode until what came before is over; half of it where the robot is in that mode already."""


class TimeIsOver(SurefootError):
    """The time for everything together ran out before something came: that says nothing about what was waited for."""


ENDS_THE_GRAPH = ("simulator", "recorder")
"""A robot that stands somewhere else all at once is another one, and a bag is written once."""


class Stage:
    """One graph with its relay. A context; what is in it ends at its end.

    Args:
        robot, seed, domain, record: see `Graph`.
        interfaces: that the relay carries.
        until: of time.monotonic(), at which whatever is waited for is given up, s; each single thing is after PATIENCE.

    Raises:
        ConfigurationError: somebody in the domain could be a robot.

    Attributes:
        relay, graph: see there.
        folder: for bags.
    """

    def __init__(
        self, robot: str, seed: int, interfaces: tuple[str, ...], domain: int, record: bool = False, until: float = math.inf
    ) -> None:
        self._given_up, self._interfaces = until, interfaces
        model = load_robot(robot)
        self._stand_height = model.description.stand_height
        self._folder = tempfile.TemporaryDirectory(prefix="surefoot_faults_")
        self.folder = Path(self._folder.name)
        self.relay = Relay(model, interfaces, domain, seed)
        try:
            require_alone(self.relay, domain)
            self.graph = Graph(robot, seed, interfaces, domain, self.folder, record)
        except BaseException:
            self.relay.close()
            self._folder.cleanup()
            raise

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End everything."""
        self.graph.close()
        self.relay.close()
        self._folder.cleanup()

    @property
    def mode(self) -> Mode:
        """Of the bridge; OFF before it spoke."""
        return Mode.OFF if self.relay.mode is None else Mode(self.relay.mode.mode)

    @property
    def reason(self) -> str:
        """Of the mode."""
        return "" if self.relay.mode is None else str(self.relay.mode.reason)

    @property
    def now(self) -> float:
        """On the clock of the stamps, s; that of the bridge where it went on without the robot."""
        return max(self.relay.time, min(self.relay.mode_time - self.relay.shift, self.relay.time + 60.0))

    @property
    def up(self) -> bool:
        """Whether the robot is up."""
        return bool(self.relay.height > UP * self._stand_height)

    def lead_in(self, phase: str, settle: float | None = None) -> None:
        """Get into a phase from wherever the robot is.

        Args:
            phase: 'standing', 'walking' or 'transition'.
            settle: s that it has to last; None: as long as it takes for what came before to be over.

        Raises:
            SurefootError: it does not get there, with what it is instead.
        """
        walking = phase != "standing"
        # A busy machine starts some nodes long after the others.
        self._until(lambda: not self.relay.silent, phase)
        # Nobody is armed by a pad whose stick is not at rest, and one that was lost meanwhile has to be armed anew while the robot is.
        self.relay.drive(0.0)
        if self.mode not in (Mode.OFF, Mode.STOPPED, Mode.FAULT):
            self.relay.press("arm")
            self.pause(RELEASED)
        goes_on = self.mode == (Mode.WALKING if walking else Mode.READY)
        if not (walking and goes_on):
            self._reach(Mode.READY, phase)
        if walking:
            self.relay.drive(STICK)
            self._reach(Mode.WALKING, phase)
        goal = self.mode
        if walking:
            self._press_until(self._steps, self._gait_button, phase)
        if settle is None:
            settle = SETTLES["walking" if walking else "standing"] * (0.5 if goes_on else 1.0)
        self._stay(settle, goal, phase)
        if phase == "transition":
            self._before_a_change(phase)

    def run_cell(self, name: str, fault: str, phase: str, expected: Expectation, begin: Callable[[], None]) -> Cell:
        """Let something begin to fail and watch what comes of it.

        Args:
            name, fault, phase: of the cell.
            expected: what is right.
            begin: lets it fail, with what of it takes its time. What it raises is the failure of the cell.

        Raises:
            TimeIsOver: see there.
        """
        before, since, changes = self.mode, self.now, len(self.relay.changes)
        height_known = self.relay.height
        stuck = ""
        try:
            begin()
            self._watch(max(since + AFTERWARDS, self.now + AFTER_CHANGE), changes)
        except TimeIsOver:
            raise
        except SurefootError as error:
            stuck = str(error)
        changed = self.relay.changes[changes:]
        reaction = changed[0][0] - self.relay.shift - since if changed else None
        up = self.up if height_known == height_known else False
        failed = stuck or left_a_fault([mode for _, mode, _ in changed])
        failed = failed or verdict(expected, before, self.mode, self.reason, reaction, up, self.relay.illegal)
        traces = self.graph.traces()
        if traces and not failed:
            failed = f"an exception that nobody handled: {traces[0]}"
        return Cell(name, fault, phase, self.mode.name, self.reason, reaction, up, self.relay.illegal, failed)

    @property
    def reusable(self) -> bool:
        """Whether the graph can be led into another phase. A damped robot is, once it has sunk down; whether one that fell is, shows."""
        return not self.graph.dead() and not self.graph.traces()

    def revive(self) -> None:
        """Start again the nodes that ended, but for those whose end is that of the graph: see `reusable`."""
        for name in self.graph.dead():
            if name not in ENDS_THE_GRAPH:
                if name == "servo_bridge":
                    self.relay.mode = None
                self.graph.start(name)
                self.relay.silent |= {topic for topic in self._interfaces if STACK_TOPICS[f"/{topic}"].node == name}

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until a condition holds, also while nodes are dead.

        Raises:
            SurefootError: it does not come; says for what it was waited, and where the robot is.
        """
        self._until(condition, what, alive=False)

    def commands_after(self, duration: float) -> bool:
        """Whether commands still leave the bridge during some more seconds of the stamps."""
        before = self.relay.commands
        self.pause(duration)
        return self.relay.commands > before

    def pause(self, duration: float) -> None:
        """Let some time of the stamps pass, s. Raises as `wait_for`."""
        until = self.now + duration
        self.wait_for(lambda: self.now >= until, f"{until:.3f} s")

    def _watch(self, until: float, changes: int) -> None:
        def over() -> bool:
            changed = self.relay.changes[changes:]
            if changed and changed[-1][1] == Mode.FAULT:
                return self.now >= min(until, changed[-1][0] - self.relay.shift + AFTER_CHANGE)
            return self.now >= until

        self.wait_for(over, f"{until:.3f} s")

    def _before_a_change(self, phase: str) -> None:
        """Ask for the other gait, and wait until a moment before it comes."""
        running = "" if self.relay.gait is None else self.relay.gait.gait
        wanted = "gait_1" if running == "trot" else "gait_2"
        deadline = self._deadline()
        while time.monotonic() < deadline:
            before = 0 if self.relay.gait is None else self.relay.gait.request_id
            self.relay.press(wanted)
            self._until(lambda seen=before: self.relay.gait is not None and self.relay.gait.request_id != seen, phase)  # type: ignore[misc]
            self._until(lambda: self.relay.gait is not None and self.relay.gait.request_state != GaitStatus.REHEARSING, phase)
            status = self.relay.gait
            if status is not None and status.request_state in (GaitStatus.SCHEDULED, GaitStatus.COMMITTED):
                begin = status.switch_time - TRANSITION
                break
        else:
            raise SurefootError(f"no change of gait was accepted: {self.relay.gait.reason if self.relay.gait else 'the planner is silent'}")
        self._until(lambda: self.now >= begin, phase)

    def _steps(self) -> bool:
        return self.relay.gait is not None and self.relay.gait.gait not in ("", "stand")

    def _gait_button(self) -> str:
        """The button that asks for the walk, where no request is under way: a planner that stopped by itself waits to be asked."""
        asked = self.relay.gait is not None and self.relay.gait.request_state in (GaitStatus.REHEARSING, GaitStatus.SCHEDULED)
        return "" if asked else "gait_1"

    def _reach(self, goal: Mode, phase: str) -> None:
        """Push the buttons that lead to READY or WALKING."""
        since = fault_since = self.now
        presses = PRESSES | {Mode.READY: "walk" if goal == Mode.WALKING else "", Mode.WALKING: "" if goal == Mode.WALKING else "stand"}

        def over() -> bool:
            nonlocal fault_since
            fault_since = fault_since if self.mode == Mode.FAULT else self.now
            fell = self.now > fault_since + LONGEST_FALL
            there = self.mode == goal and self.up and HELD not in self.reason
            return fell or there or self.now > since + LONGEST_LEAD

        self._press_until(over, lambda: presses.get(self.mode, ""), phase)
        if self.mode != goal or HELD in self.reason:
            raise SurefootError(f"the robot does not get to {phase}: {self.mode.name}: {self.reason}; {self.relay.refused}")

    def _press_until(self, condition: Callable[[], bool], action: Callable[[], str], phase: str) -> None:
        next_press = -1.0

        def look() -> bool:
            nonlocal next_press
            if not condition() and self.relay.mode is not None and self.relay.mode_time > next_press:
                if word := action():
                    self.relay.press(word)
                next_press = self.relay.mode_time + PRESS_EVERY
            return condition()

        self._until(look, phase)

    def _stay(self, duration: float, goal: Mode, phase: str) -> None:
        until = self.now + duration
        self._until(lambda: self.now >= until or self.mode != goal, phase)
        if self.mode != goal:
            raise SurefootError(f"without any fault the robot does not stay {phase}: {self.mode.name}: {self.reason}")

    def _deadline(self) -> float:
        return min(time.monotonic() + PATIENCE, self._given_up)

    def _until(self, condition: Callable[[], bool], what: str, alive: bool = True) -> None:
        deadline, next_look = self._deadline(), time.monotonic()
        while not condition():
            self.relay.require_sound()
            now = time.monotonic()
            if alive and now > next_look:
                require_alive(self.graph)
                next_look = now + 1.0
            if now > deadline:
                kind = TimeIsOver if now > self._given_up else SurefootError
                silent = f"; nothing was said on {', '.join(sorted(self.relay.silent))}" if self.relay.silent else ""
                raise kind(f"the graph does not get to {what}: at {self.now:.3f} s it is {self.mode.name}: {self.reason}{silent}")
            time.sleep(LOOK)


def require_alone(relay: Relay, domain: int) -> None:
    """Raises ConfigurationError: somebody in the domain moves a robot, or could hear what is said to the simulated one."""
    until = time.monotonic() + ALONE
    while time.monotonic() < until:
        if stranger := relay.stranger():
            raise ConfigurationError(
                f"{stranger}: a robot or another graph is alive in ROS domain {domain}, and nothing is made to fail beside it. End it, or "
                "choose another domain with --domain"
            )
        time.sleep(0.05)


def left_a_fault(modes: Sequence[Mode]) -> str:
    """Words on a fault that did not last, out of the modes that came one after the other; nobody armed the robot again."""
    for fault, after in pairwise(modes):
        if fault == Mode.FAULT:
            return f"a fault did not last: {after.name} came after it"
    return ""

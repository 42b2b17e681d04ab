# SPDX-License-Identifier: Apache-2.0
"""The matrix of faults: each interface, kind and phase in a run of its own, from the same moment of the same walk."""

import gc
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from surefoot.errors import SurefootError, UnknownNameError
from surefoot.evaluation.faults.expectations import Expectation, expectations
from surefoot.evaluation.faults.loop import FaultLoop, interfaces_of
from surefoot.evaluation.faults.outcome import Outcome, outcome_of
from surefoot.evaluation.faults.taps import Kind
from surefoot.robot.command import JointCommand
from surefoot.robot.load import load_robot
from surefoot.servos.intake import MOST_VELOCITY
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings

PHASES = ("standing", "walking", "transition")
AFTERWARDS = 1.5
"""s that are watched after the fault begins."""
GAIT, NEXT_GAIT, SPEED = "walk", "trot", 0.2
TRANSITION = 0.05
"""s from the beginning of the fault to the change of gait."""
BEYOND = BridgeSettings().overrun_margin
"""rad beyond its limits, where a joint may lie and a target begin when the robot stands up."""
UNTOUCHED = "no message was touched: nothing failed"
INTERRUPTED = "it was interrupted"
UP = 0.6
"""Share of the standing height below which a robot is down."""


@dataclass(frozen=True)
class Cell:
    """One cell of the matrix, and what came of it.

    Attributes:
        interface, fault, phase: which.
        mode: at the end.
        reason: of the mode.
        reaction: s from the beginning of the fault to the change of mode; None where there was none.
        up: whether the robot is up at the end.
        illegal: what left the bridge that must not; empty for nothing.
        failed: what is not as it has to be; empty for nothing.
        not_run: why nothing can be said of it; empty for a cell that passed or failed.
    """

    interface: str
    fault: str
    phase: str
    mode: str
    reason: str
    reaction: float | None
    up: bool
    illegal: str
    failed: str
    not_run: str = ""

    @property
    def outcome(self) -> Outcome:
        """Of this cell."""
        return outcome_of(bool(self.failed), bool(self.not_run))


def missed(interface: str, fault: str, phase: str, why: str) -> Cell:
    """A cell of which nothing can be said."""
    return Cell(interface, fault, phase, "", "", None, False, "", "", why)


@dataclass(frozen=True)
class Matrix:
    """The whole matrix.

    Attributes:
        robot: its name.
        seed: of every run.
        cells: that there was an attempt at.
        asked: how many were asked for.
        ended: why there was no attempt at the others; empty where there was.
    """

    robot: str
    seed: int
    cells: tuple[Cell, ...]
    asked: int
    ended: str = ""

    @property
    def failed(self) -> tuple[Cell, ...]:
        """Those that did not pass."""
        return self._of(Outcome.FAILED)

    @property
    def passed(self) -> tuple[Cell, ...]:
        """Those that were run, and in which all was right."""
        return self._of(Outcome.PASSED)

    @property
    def not_run(self) -> tuple[Cell, ...]:
        """Those of which nothing can be said."""
        return self._of(Outcome.CUT_OFF)

    @property
    def outcome(self) -> Outcome:
        """Of all of them together: passed are they only if each that was asked for did."""
        return outcome_of(bool(self.failed), self.asked == 0 or len(self.passed) < self.asked)

    def _of(self, outcome: Outcome) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.outcome == outcome)


def run_matrix(
    robot: str = "hyq",
    seed: int = 0,
    interfaces: Sequence[str] = (),
    kinds: Sequence[str] = tuple(Kind),
    phases: Sequence[str] = PHASES,
    progress: Callable[[Cell], None] = lambda cell: None,
) -> Matrix:
    """Run cells of the matrix; what is interrupted from the keyboard gives those that were run until then.

    Args:
        robot: its name.
        seed: of every run.
        interfaces: all that the robot has if none.
        kinds, phases: of the cells.
        progress: called with each cell.

    Raises:
        UnknownNameError: an interface, a fault or a phase that there is none.
        SurefootError: the robot does not even get into a phase without a fault.
    """
    there_are = interfaces_of(load_robot(robot).description)
    for kind_of_name, names, known in (("interface", interfaces, there_are), ("fault", kinds, tuple(Kind)), ("phase", phases, PHASES)):
        for name in names:
            if name not in known:
                raise UnknownNameError(kind_of_name, name, known)
    interfaces = interfaces or there_are
    cells: list[Cell] = []
    ended = ""
    try:
        for phase in phases:
            loop = lead_in(robot, seed, phase)
            for interface in interfaces:
                for kind in kinds:
                    # A fork begins at this very moment, and leaves it untouched for the next.
                    cell = _in_a_fork(loop, interface, Kind(kind), phase)
                    cells.append(cell)
                    progress(cell)
    except KeyboardInterrupt:
        ended = INTERRUPTED
    return Matrix(robot, seed, tuple(cells), len(interfaces) * len(kinds) * len(phases), ended)


def lead_in(robot: str, seed: int, phase: str) -> FaultLoop:
    """A robot that stood up by itself and is in a phase.

    Raises:
        SurefootError: it is not, with its mode and the reason.
    """
    loop = FaultLoop(load_robot(robot), seed)
    ways = {Mode.OFF: Request.ARM, Mode.DAMPING: Request.STAND}
    if phase != "standing":
        ways[Mode.READY] = Request.WALK
    goal = Mode.READY if phase == "standing" else Mode.WALKING
    settle = 1.0 if phase == "standing" else 2.0
    since = None
    for tick in range(round(20.0 / loop.robot.period)):
        output = loop.step()
        if output.mode == goal:
            if since is None:
                since = loop.time
                if phase != "standing":
                    loop.change_gait(GAIT, 0.02)
                    loop.twist = np.array((SPEED, 0.0, 0.0))
            if loop.time - since >= settle:
                return loop
        elif tick % 25 == 24:
            loop.request = int(ways.get(output.mode, Request.NONE))
    raise SurefootError(f"without any fault {robot} does not get to {phase}: {output.mode.name}: {output.reason}")


def run_cell(loop: FaultLoop, interface: str, kind: Kind, phase: str) -> Cell:
    """Let something fail in a phase and watch; uses the loop up."""
    before, begin, reaction = loop.output, loop.time, None
    assert before is not None
    loop.taps[interface].fail(kind, begin)
    if phase == "transition":
        loop.change_gait(NEXT_GAIT, TRANSITION, 0.3)
    illegal = ""
    while loop.time < begin + AFTERWARDS:
        output = loop.step()
        illegal = illegal or illegal_command(output.command, output.mode, loop.limits, loop.model.description.servos.safe_damping)
        if reaction is None and output.mode != before.mode:
            reaction = loop.time - begin
    up = bool(loop.robot.truth().base_position[2] > UP * loop.model.description.stand_height)
    expected = expectations(loop.settings)[interface, kind]
    failed = verdict(expected, before.mode, output.mode, output.reason, reaction, up, illegal)
    if not illegal and output.counters.get("exceptions", 0):
        failed = f"the bridge caught an exception: {output.reason}"
    not_run = "" if failed or loop.taps[interface].touched else UNTOUCHED
    return Cell(interface, kind, phase, output.mode.name, output.reason, reaction, up, illegal, failed, not_run)


def verdict(expected: Expectation, before: Mode, mode: Mode, reason: str, reaction: float | None, up: bool, illegal: str) -> str:
    """What is not as it has to be; empty where all is.

    Args:
        expected: what is right.
        before: the mode before the fault.
        mode: after it.
        reason: of that mode.
        reaction: s from the fault to the first change of the mode; None where there was none.
        up: whether the robot is up.
        illegal: what left the bridge that must not.
    """
    if illegal:
        return illegal
    if expected.stands and before == Mode.WALKING:
        return "" if mode == Mode.READY and reason.startswith("operator lost") and up else f"it should stand: {reason}"
    if expected.held and before == Mode.READY:
        return "" if mode == before and up else f"it should be held where it stands: {mode.name}: {reason}"
    if mode == before:
        if not expected.keeps and not (expected.moving and before == Mode.READY):
            return f"it should be a fault ({', '.join(expected.trips)}), and nothing happened"
        return "" if up else "the robot is down, and nobody says so"
    if mode != Mode.FAULT or not reason.startswith(expected.trips):
        return f"{mode.name}: {reason}; right would be {', '.join(expected.trips) or 'to go on'}"
    if expected.within is not None and (reaction is None or reaction > expected.within):
        return f"the reaction took {reaction:.3f} s, and may take {expected.within:.3f} s"
    return ""


def illegal_command(made: JointCommand, mode: Mode, limits: JointLimits, safe_damping: float) -> str:
    """What must never leave the bridge and did; empty for nothing.

    Args:
        made: the command.
        mode: in which it left.
        limits: of the joints.
        safe_damping: of a robot that is damped, N m s/rad.
    """
    for name in ("position", "velocity", "effort", "stiffness", "damping"):
        values = getattr(made, name)
        if not np.isfinite(values).all():
            return f"{name} of a command is {values}"
    if (np.abs(made.effort) > limits.effort).any():
        return f"effort {made.effort} is beyond {limits.effort}"
    if made.damping.any() and (np.abs(made.velocity) > limits.velocity).any():
        return f"velocity {made.velocity} is beyond {limits.velocity}"
    beyond = BEYOND if mode == Mode.STANDING_UP else 0.0
    if made.stiffness.any() and limits.position_problem(made.position, beyond):
        return f"position {made.position} is outside of the limits"
    if mode in (Mode.FAULT, Mode.STOPPED):
        if made.stiffness.any() or made.effort.any():
            return f"torque in {mode.name}"
        # Less only where it would brake with more than the effort limit.
        least = limits.damping_inside(safe_damping, np.full_like(limits.effort, MOST_VELOCITY))
        if not ((made.damping >= least) & (made.damping <= safe_damping)).all():
            return f"damping {made.damping} in {mode.name}; it has to be {safe_damping:g}, and less only at joints that are fast"
    return ""


def _in_a_fork(loop: FaultLoop, interface: str, kind: Kind, phase: str) -> Cell:
    reading, writing = os.pipe()
    # What this process has lost may belong to threads that the child does not have: it must not clear that away.
    gc.freeze()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "w") as out:
                out.write(json.dumps(asdict(run_cell(loop, interface, kind, phase))))
            code = 0
        finally:
            os._exit(code)
    gc.unfreeze()
    os.close(writing)
    with os.fdopen(reading) as words:
        said = words.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not said:
        words_of_end = f"the run ended with code {os.waitstatus_to_exitcode(status)} and no word"
        return Cell(interface, kind, phase, "", "", None, False, "", words_of_end)
    return Cell(**json.loads(said))


def cells_of(matrix: Matrix) -> Iterator[tuple[str, str, list[Cell]]]:
    """Interface, fault, and the cells of all phases."""
    for interface in dict.fromkeys(cell.interface for cell in matrix.cells):
        for kind in dict.fromkeys(cell.fault for cell in matrix.cells):
            yield interface, kind, [cell for cell in matrix.cells if (cell.interface, cell.fault) == (interface, kind)]

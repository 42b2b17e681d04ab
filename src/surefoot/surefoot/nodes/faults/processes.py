# SPDX-License-Identifier: Apache-2.0
"""The fault matrix with real processes over real DDS."""

import math
import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from surefoot.bringup.process import ManagedProcess
from surefoot.errors import ConfigurationError, SurefootError, UnknownNameError
from surefoot.evaluation.faults.expectations import (
    CLOCK,
    CLOCK_JUMPS,
    PROCESS_FAULTS,
    SILENT_SERVOS,
    STOPPED_FOR,
    UNTOLD,
    Expectation,
    expectations,
    process_expectations,
)
from surefoot.evaluation.faults.loop import INTERFACES, interfaces_of
from surefoot.evaluation.faults.matrix import INTERRUPTED, PHASES, UNTOUCHED, Cell, Matrix, missed
from surefoot.evaluation.faults.taps import Kind
from surefoot.evaluation.journal import Journal
from surefoot.nodes.faults import DOMAIN
from surefoot.nodes.faults.stage import ENDS_THE_GRAPH, Stage, TimeIsOver
from surefoot.robot.load import load_robot
from surefoot.servos.settings import BridgeSettings, bridge_settings

DISK = 2_000_000
"""Bytes after which the disk under a recorder is full."""

TRIES = 2
"""Of getting into a phase: a busy machine may spoil one."""

MOST_MISSED = 2
"""Cells in a row that are not run before everything is given up."""

KIND = "cells of the fault matrix between processes"
"""Of a journal."""

TIME_OVER = "its time was over"

Name = tuple[str, str, str]
"""Of a cell: what fails, how, and in which phase."""


def cells_there_are(settings: BridgeSettings, interfaces: Sequence[str] = INTERFACES) -> list[Name]:
    """All cells, phase by phase, and in each those first that a robot goes on through, and those last that cost a process or the graph."""
    right = right_between_processes(settings)
    ways = [(name, str(kind)) for name in interfaces for kind in Kind]

    def costs(cell: tuple[str, str]) -> tuple[bool, bool, bool, bool, bool]:
        name, fault = cell
        return name == "recorder", name in ENDS_THE_GRAPH, fault == "killed", not right[cell].keeps, bool(right[cell].trips)

    there_are = sorted((*ways, *sorted(process_expectations(settings))), key=costs)
    return [(name, fault, phase) for phase in PHASES for name, fault in there_are if name != "recorder" or phase == "standing"]


def right_between_processes(settings: BridgeSettings) -> dict[tuple[str, str], Expectation]:
    """What is right, by what fails and how."""
    right = {(name, str(kind)): one for (name, kind), one in expectations(settings).items()} | dict(process_expectations(settings))
    # The stamps of the joints set the clock of the bridge: of a delay the beginning alone shows, for about as long as silence may last.
    right["joint_states", str(Kind.DELAYED)] = UNTOLD
    return right


def run_processes(
    robot: str = "hyq",
    seed: int = 0,
    interfaces: Sequence[str] = (),
    faults: Sequence[str] = (),
    phases: Sequence[str] = PHASES,
    sample: int | None = None,
    domain: int = DOMAIN,
    progress: Callable[[Cell], None] = lambda cell: None,
    only: Sequence[Name] | None = None,
    within: float = math.inf,
    journal: Path | None = None,
) -> Matrix:
    """Run cells of the matrix between real processes; what is interrupted from the keyboard gives those that were run until then.

    Args:
        robot: its name.
        seed: of sensors, faults, and of the sample.
        interfaces: topics without their slashes, nodes, or 'clock'; all if none.
        faults: kinds of faults; all if none.
        phases: that they happen in.
        sample: how many of those cells, drawn by the seed; None: all.
        domain: ROS domain of the graphs.
        progress: called with each cell.
        only: these cells in this order, whatever else is asked for.
        within: s of the wall after which everything that is still waited for is given up, in words.
        journal: file that keeps the cells that were run; a matrix that was cut off goes on from there, with other cells as well.

    Raises:
        UnknownNameError: an interface, a fault or a phase that there is none, or none together.
        ConfigurationError: the journal is of another matrix, or somebody in the domain could be a robot.
    """
    settings = bridge_settings()
    description = load_robot(robot).description
    names = cells_there_are(settings, interfaces_of(description))
    for place, (kind, asked) in enumerate((("interface", interfaces), ("fault", faults), ("phase", phases))):
        known = tuple(dict.fromkeys(name[place] for name in names))
        for word in asked:
            if word not in known:
                raise UnknownNameError(kind, word, known)
        names = [name for name in names if not asked or name[place] in asked]
    if sample is not None and sample < len(names):
        drawn = set(random.Random(seed).sample(names, sample))
        names = [name for name in names if name in drawn]
    if only is not None:
        names = list(only)
    right = right_between_processes(settings)
    kept = None if journal is None else Journal(journal, KIND, {"seed": seed, "robot": description.model_dump(mode="json")})
    cells = {} if kept is None else _known(kept, names)
    run = _Runner(robot, seed, domain, time.monotonic() + within)
    in_a_row, ended = 0, ""
    try:
        for name in names:
            if name in cells:
                continue
            try:
                cell = run.cell(name, right[name[:2]])
            except ConfigurationError:
                raise
            except SurefootError as error:
                cell = missed(*name, str(error))
                ended = TIME_OVER if isinstance(error, TimeIsOver) else ""
            cells[name] = cell
            if kept is not None and not cell.not_run:
                kept.add(asdict(cell))
            progress(cell)
            in_a_row = in_a_row + 1 if cell.not_run else 0
            if in_a_row > MOST_MISSED:
                ended = f"{in_a_row} cells in a row could not be run"
            if ended:
                break
    except KeyboardInterrupt:
        ended = INTERRUPTED
    finally:
        run.close()
    return Matrix(robot, seed, tuple(cells.values()), len(names), ended)


def _known(journal: Journal, names: Sequence[Name]) -> dict[Name, Cell]:
    """Those of the cells that a journal has. Raises ConfigurationError: what it keeps are no cells."""
    try:
        kept = [Cell(**line) for line in journal.kept]
    except TypeError as error:
        raise ConfigurationError(f"{journal.path} is no journal of {KIND}: {error}; give this run another file") from error
    by_name = {(cell.interface, cell.fault, cell.phase): cell for cell in kept}
    return {name: by_name[name] for name in names if name in by_name}


class _Runner:
    """Uses one graph for as many cells as it survives."""

    def __init__(self, robot: str, seed: int, domain: int, until: float) -> None:
        self._robot, self._seed, self._domain, self._until = robot, seed, domain, until
        self._stage: Stage | None = None
        self._setting = (False, False)

    def cell(self, name: Name, expected: Expectation) -> Cell:
        """Run one."""
        what, fault, phase = name
        stage = self._ready(phase, (what == "recorder", fault == "disk full"))
        if what == "servo_bridge" and fault == "second":
            return second_bridge(stage, name, expected)
        if what == "recorder" and fault == "disk full":
            return full_disk(stage, name, expected)
        touched = stage.relay.touched
        cell = stage.run_cell(what, fault, phase, expected, lambda: _begin(stage, what, fault))
        if fault not in PROCESS_FAULTS and not cell.failed and stage.relay.touched == touched:
            return replace(cell, not_run=UNTOUCHED)
        if what == "servo_bridge" and fault == "killed":
            if what not in stage.graph.dead():
                return replace(cell, failed=cell.failed or "the bridge is still alive")
            return replace(cell, mode="", failed=SILENT_SERVOS if not cell.illegal and stage.commands_after(0.1) else cell.illegal)
        return cell

    def close(self) -> None:
        """End what runs."""
        if self._stage is not None:
            self._stage.close()
            self._stage = None

    def _ready(self, phase: str, setting: tuple[bool, bool]) -> Stage:
        error: SurefootError | None = None
        for _ in range(TRIES):
            if self._stage is not None and setting == self._setting and error is None:
                self._stage.revive()
            if self._stage is not None and (setting != self._setting or error is not None or not self._stage.reusable):
                self.close()
            if self._stage is None:
                self._stage, self._setting = Stage(self._robot, self._seed, INTERFACES, self._domain, setting[0], self._until), setting
            self._stage.relay.heal()
            try:
                self._stage.lead_in(phase)
                return self._stage
            except TimeIsOver:
                raise
            except SurefootError as problem:
                error = problem
        assert error is not None
        raise error


def _begin(stage: Stage, what: str, fault: str) -> None:
    if what == CLOCK:
        stage.relay.shift = CLOCK_JUMPS[fault]
    elif fault in PROCESS_FAULTS:
        stage.graph.signal(what, signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
        if fault == "killed":
            stage.wait_for(lambda: what in stage.graph.dead(), f"the end of {what}")
        else:
            stage.pause(STOPPED_FOR)
            stage.graph.signal(what, signal.SIGCONT)
    else:
        stage.relay.fail(what, Kind(fault))


def second_bridge(stage: Stage, name: Name, expected: Expectation) -> Cell:
    """A cell in which another bridge is started, until that ends or runs, however slowly it starts."""
    second: list[ManagedProcess] = []

    def begin() -> None:
        second.append(stage.graph.second("servo_bridge"))
        stage.wait_for(lambda: second[0].poll() is not None or stage.relay.bridges > 1, "a second bridge that ends or runs")

    try:
        cell = stage.run_cell(*name, expected, begin)
        end = second[0].poll() if second else None
    finally:
        for process in second:
            process.stop(signal.SIGKILL)
    if cell.failed:
        return cell
    if end is None:
        return replace(cell, failed="a second bridge runs beside the first")
    if end.code != 2 or not any("another servo bridge" in line for line in end.tail):
        return replace(cell, failed=f"the second bridge should refuse: {end}: {' / '.join(end.tail[-3:])}")
    return cell


def full_disk(stage: Stage, name: Name, expected: Expectation) -> Cell:
    """A cell in which the disk of the recorder fills up, until that says so."""
    words, said = "recording_stopped", stage.graph.lines["recorder"]

    def told() -> str:
        return next((line for line in list(said) if words in line), "")

    def begin() -> None:
        stage.graph.fill_disk("recorder", DISK)
        stage.wait_for(lambda: bool(told()), "a recorder that says that its disk is full")

    cell = stage.run_cell(*name, expected, begin)
    line = told()
    if not line:
        bags = ", ".join(str(path.name) for path in Path(stage.folder).rglob("*") if path.is_file())
        return replace(cell, failed=f"{cell.failed or 'the recorder says nothing of a full disk'}; there are {bags}")
    return replace(cell, reason=line.partition(words)[2].strip(" :") or line)

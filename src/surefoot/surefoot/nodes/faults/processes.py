# SPDX-License-Identifier: Apache-2.0
"""The fault matrix with real processes over real DDS."""

import math
import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from surefoot.bringup.process import ManagedProcess
from surefoot.errors import ConfigurationError, SurefootError, UnknownNameError
from surefoot.evaluation.faults.expectations import (
    CLOCK,
    CLOCK_JUMPS,
    PROCESS_FAULTS,
    SILENT_SERVOS,
    STOPPED_FOR,
    Expectation,
    expectations,
    process_expectations,
)
from surefoot.evaluation.faults.loop import INTERFACES
from surefoot.evaluation.faults.matrix import PHASES, Cell, Matrix
from surefoot.evaluation.faults.taps import Kind
from surefoot.nodes.faults import DOMAIN
from surefoot.nodes.faults.stage import Stage
from surefoot.robot.locate import shared_directory
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import read_settings

DISK = 2_000_000
"""Bytes after which the disk under a recorder is full."""

TRIES = 2
"""Of getting into a phase: a busy machine may spoil one."""

NOT_RUN = "it was not run"
"""How the failure of a cell begins into whose phase the robot did not get."""

MOST_MISSED = 2
"""Cells in a row that are not run before everything is given up."""

Name = tuple[str, str, str]
"""Of a cell: what fails, how, and in which phase."""


def cells_there_are(settings: BridgeSettings) -> list[Name]:
    """All cells, phase by phase, and in each those first after which the graph is likely to be whole."""
    ways = [(name, str(kind)) for name in INTERFACES for kind in Kind]
    happenings = sorted(process_expectations(settings), key=lambda cell: (cell[1] == "killed", cell[0] == "recorder", cell))
    return [(name, fault, phase) for phase in PHASES for name, fault in (*ways, *happenings) if name != "recorder" or phase == "standing"]


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
) -> Matrix:
    """Run cells of the matrix between real processes.

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

    Raises:
        UnknownNameError: an interface, a fault or a phase that there is none.
        ConfigurationError: somebody in the domain could be a robot.
        SurefootError: for some cells in a row, the robot does not get into the phase without a fault.
    """
    settings = read_settings(BridgeSettings, shared_directory() / "config" / "servo_bridge.yaml")
    names = cells_there_are(settings)
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
    right: dict[tuple[str, str], Expectation] = {(name, str(kind)): one for (name, kind), one in expectations(settings).items()}
    right |= process_expectations(settings)
    run = _Runner(robot, seed, domain, time.monotonic() + within)
    cells: list[Cell] = []
    missed = 0
    try:
        for name in names:
            try:
                cell, missed = run.cell(name, right[name[:2]]), 0
            except ConfigurationError:
                raise
            except SurefootError as error:
                missed += 1
                if missed > MOST_MISSED:
                    raise
                cell = Cell(*name, "", "", None, False, "", f"{NOT_RUN}: {error}")
            progress(cell)
            cells.append(cell)
    finally:
        run.close()
    return Matrix(robot, seed, tuple(cells))


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
        cell = stage.run_cell(what, fault, phase, expected, lambda: _begin(stage, what, fault))
        if what == "servo_bridge" and fault == "killed":
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
            except SurefootError as problem:
                error = problem
        assert error is not None
        raise error


def _begin(stage: Stage, what: str, fault: str) -> None:
    if what == CLOCK:
        stage.relay.shift = CLOCK_JUMPS[fault]
    elif fault in PROCESS_FAULTS:
        stage.graph.signal(what, signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
        if fault == "stopped":
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

# SPDX-License-Identifier: Apache-2.0
"""What is done to processes, on a stage that is none."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from surefoot.bringup.process import ProcessExit
from surefoot.errors import ConfigurationError, SurefootError, UnknownNameError
from surefoot.evaluation.faults.expectations import SURVIVED
from surefoot.evaluation.faults.matrix import PHASES, UNTOUCHED, Cell
from surefoot.nodes.faults import processes as module
from surefoot.nodes.faults.processes import (
    MOST_MISSED,
    TIME_OVER,
    cells_there_are,
    full_disk,
    right_between_processes,
    run_processes,
    second_bridge,
)
from surefoot.nodes.faults.stage import TimeIsOver
from surefoot.servos.settings import bridge_settings

SECOND, DISK = ("servo_bridge", "second", "standing"), ("recorder", "disk full", "standing")
REFUSED = ProcessExit("servo_bridge", 1, 2, False, ("error: another servo bridge runs",))


class Stage:
    """Notes in which order things happen."""

    def __init__(self, end: ProcessExit | None = None, bridges: int = 1, told: str = "") -> None:
        self.order: list[str] = []
        self.folder = Path("/nowhere")
        self.relay = SimpleNamespace(bridges=bridges, touched=0)
        self._lines: list[str] = []
        process = SimpleNamespace(poll=lambda: end, stop=lambda number: self.order.append("stopped"))

        def second(name: str) -> Any:
            self.order.append(f"second {name}")
            return process

        def fill_disk(name: str, size: int) -> None:
            self.order.append(f"full {name}")
            self._lines += [told] if told else []

        self.graph = SimpleNamespace(second=second, fill_disk=fill_disk, lines={"recorder": self._lines})

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        if not condition():
            raise SurefootError(f"the graph does not get to {what}")

    def run_cell(self, name: str, fault: str, phase: str, expected: Any, begin: Callable[[], None]) -> Cell:
        self.order.append("before")
        failed = ""
        try:
            begin()
        except SurefootError as error:
            failed = str(error)
        self.order.append("watched")
        return Cell(name, fault, phase, "READY", "pose reached", None, True, "", failed)


@pytest.mark.parametrize(
    ("end", "bridges", "failed"),
    [
        (REFUSED, 1, ""),
        (None, 2, "a second bridge runs beside the first"),
        (None, 1, "the graph does not get to a second bridge that ends or runs"),
        (ProcessExit("servo_bridge", 7, 1, False, ("oops",)), 1, "the second bridge should refuse"),
    ],
)
def test_a_second_bridge_is_waited_for_until_it_ends_or_runs(end: ProcessExit | None, bridges: int, failed: str) -> None:
    stage: Any = Stage(end, bridges)
    cell = second_bridge(stage, SECOND, SURVIVED)
    assert cell.failed.startswith(failed)
    assert bool(cell.failed) == bool(failed)
    assert stage.order == ["before", "second servo_bridge", "watched", "stopped"]


def test_a_disk_fills_up_while_it_is_watched_and_the_recorder_says_so() -> None:
    stage: Any = Stage(told="[recorder] recording_stopped: no room")
    cell = full_disk(stage, DISK, SURVIVED)
    assert (cell.failed, cell.reason) == ("", "no room")
    assert stage.order == ["before", "full recorder", "watched"]
    silent: Any = Stage()
    assert "a recorder that says that its disk is full; there are " in full_disk(silent, DISK, SURVIVED).failed


CELLS = [
    ("imu", "burst", "standing"),
    ("imu", "off", "standing"),
    *[("imu", kind, "walking") for kind in ("slow", "wrong", "stuck")][: MOST_MISSED + 1],
]


class Theatre(Stage):
    """One after the other, of which some do not get into a phase."""

    made = 0
    bad: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    touches = 1
    ran: ClassVar[list[tuple[str, str, str]]] = []

    def __init__(self, *_: Any) -> None:
        super().__init__()
        Theatre.made += 1
        self.reusable, self.relay.heal, self.relay.fail = True, lambda: None, self._fail
        self.graph.signal = lambda name, number: None

    def _fail(self, *_: Any) -> None:
        self.relay.touched += self.touches

    def revive(self) -> None:
        self.order.append("revived")

    def lead_in(self, phase: str) -> None:
        if Theatre.made in self.late:
            raise TimeIsOver(f"the graph does not get to {phase}")
        if Theatre.made in self.bad:
            raise SurefootError(f"the robot does not get to {phase}")

    def close(self) -> None:
        self.order.append("closed")

    def run_cell(self, name: str, fault: str, phase: str, expected: Any, begin: Callable[[], None]) -> Cell:
        Theatre.ran.append((name, fault, phase))
        return super().run_cell(name, fault, phase, expected, begin)


@pytest.fixture
def theatre(monkeypatch: pytest.MonkeyPatch) -> type[Theatre]:
    monkeypatch.setattr(module, "Stage", Theatre)
    monkeypatch.setattr(Theatre, "ran", [])
    monkeypatch.setattr(Theatre, "made", 0)
    return Theatre


def test_first_comes_what_a_robot_goes_on_through_and_last_what_costs_a_process() -> None:
    settings = bridge_settings()
    right = right_between_processes(settings)
    there_are = cells_there_are(settings)
    assert len(there_are) == len(set(there_are)) == 3 * (len(right) - 3) + 3, "the recorder is watched in one phase"
    for phase in PHASES:
        cells = [cell for cell in there_are if cell[2] == phase and cell[0] != "recorder"]
        costs = [2 * (cell[1] == "killed") + (not right[cell[:2]].keeps) for cell in cells if cell[0] != "simulator"]
        assert costs == sorted(costs)
        assert {name for name, _, _ in cells[-2:]} == {"simulator"}


def test_one_graph_serves_cell_after_cell(theatre: type[Theatre]) -> None:
    matrix = run_processes(only=CELLS)
    assert [cell.outcome for cell in matrix.cells] == ["passed"] * len(CELLS)
    assert matrix.outcome == "passed"
    assert theatre.made == 1


def test_a_cell_that_is_not_run_is_told_in_words_and_the_others_go_on(theatre: type[Theatre], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theatre, "bad", (1, 2))
    matrix = run_processes(only=CELLS)
    first, *others = matrix.cells
    assert (first.outcome, first.not_run) == ("cut off", "the robot does not get to standing")
    assert [cell.outcome for cell in others] == ["passed"] * len(others)
    assert theatre.made == 3
    assert (matrix.failed, matrix.outcome) == ((), "cut off")


def test_where_no_cell_can_be_run_everything_is_given_up(theatre: type[Theatre], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theatre, "bad", range(100))
    matrix = run_processes(only=CELLS)
    assert (len(matrix.cells), matrix.asked, matrix.passed, matrix.outcome) == (MOST_MISSED + 1, len(CELLS), (), "cut off")
    assert matrix.ended == "3 cells in a row could not be run"


def test_a_fault_that_touches_no_message_is_no_trial(theatre: type[Theatre], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theatre, "touches", 0)
    (cell,) = run_processes(only=CELLS[:1]).cells
    assert (cell.outcome, cell.not_run) == ("cut off", UNTOUCHED)


def test_cells_that_do_not_exist_together_are_no_pass() -> None:
    with pytest.raises(UnknownNameError, match="unknown phase 'walking'"):
        run_processes(interfaces=("recorder",), phases=("walking",))
    assert run_processes(only=()).outcome == "cut off"


def test_what_was_cut_off_goes_on_from_its_journal(theatre: type[Theatre], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    monkeypatch.setattr(theatre, "late", (1,))
    first = run_processes(only=CELLS, journal=path)
    assert (first.ended, [cell.outcome for cell in first.cells], first.outcome) == (TIME_OVER, ["cut off"], "cut off")
    monkeypatch.setattr(theatre, "late", ())
    assert run_processes(only=CELLS[:2], journal=path).outcome == "passed"
    whole = run_processes(only=CELLS, journal=path)
    assert theatre.ran == CELLS, "each of them once, and what was not run again"
    assert (whole.outcome, len(whole.cells)) == ("passed", len(CELLS))
    with pytest.raises(ConfigurationError, match="is of a run with seed 0, and this one has 1"):
        run_processes(only=CELLS, journal=path, seed=1)


def test_an_interruption_leaves_what_was_run(theatre: type[Theatre]) -> None:
    def progress(cell: Cell) -> None:
        raise KeyboardInterrupt

    matrix = run_processes(only=CELLS, progress=progress)
    assert (len(matrix.passed), matrix.asked, matrix.outcome) == (1, len(CELLS), "cut off")

# SPDX-License-Identifier: Apache-2.0
"""What is done to processes, on a stage that is none."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from surefoot.bringup.process import ProcessExit
from surefoot.errors import SurefootError
from surefoot.evaluation.faults.expectations import SURVIVED
from surefoot.evaluation.faults.matrix import Cell
from surefoot.nodes.faults import processes as module
from surefoot.nodes.faults.processes import MOST_MISSED, NOT_RUN, full_disk, run_processes, second_bridge

SECOND, DISK = ("servo_bridge", "second", "standing"), ("recorder", "disk full", "standing")
REFUSED = ProcessExit("servo_bridge", 1, 2, False, ("error: another servo bridge runs",))


class Stage:
    """Notes in which order things happen."""

    def __init__(self, end: ProcessExit | None = None, bridges: int = 1, told: str = "") -> None:
        self.order: list[str] = []
        self.folder = Path("/nowhere")
        self.relay = SimpleNamespace(bridges=bridges)
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


CELLS = [("imu", "burst", "standing"), ("imu", "off", "standing"), *[("imu", "slow", "walking")] * (MOST_MISSED + 1)]


class Theatre(Stage):
    """One after the other, of which some do not get into a phase."""

    made = 0
    bad: tuple[int, ...] = ()

    def __init__(self, *_: Any) -> None:
        super().__init__()
        Theatre.made += 1
        self.reusable, self.relay.heal, self.relay.fail = True, lambda: None, lambda *_: None

    def revive(self) -> None:
        self.order.append("revived")

    def lead_in(self, phase: str) -> None:
        if Theatre.made in self.bad:
            raise SurefootError(f"the robot does not get to {phase}")

    def close(self) -> None:
        self.order.append("closed")


@pytest.fixture
def theatre(monkeypatch: pytest.MonkeyPatch) -> type[Theatre]:
    monkeypatch.setattr(module, "Stage", Theatre)
    monkeypatch.setattr(Theatre, "made", 0)
    return Theatre


def test_one_graph_serves_cell_after_cell(theatre: type[Theatre]) -> None:
    cells = run_processes(only=CELLS).cells
    assert [cell.failed for cell in cells] == [""] * len(CELLS)
    assert theatre.made == 1


def test_a_cell_that_is_not_run_fails_with_words_and_the_others_go_on(theatre: type[Theatre], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theatre, "bad", (1, 2))
    first, *others = run_processes(only=CELLS).cells
    assert first.failed == f"{NOT_RUN}: the robot does not get to standing"
    assert [cell.failed for cell in others] == [""] * len(others)
    assert theatre.made == 3


def test_where_no_cell_can_be_run_everything_is_given_up(theatre: type[Theatre], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theatre, "bad", range(100))
    with pytest.raises(SurefootError, match="does not get to walking"):
        run_processes(only=CELLS)

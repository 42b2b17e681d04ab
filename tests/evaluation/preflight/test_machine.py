# SPDX-License-Identifier: Apache-2.0
"""The on-board computer."""

from collections import namedtuple
from pathlib import Path

import pytest

from surefoot.evaluation.preflight import machine
from surefoot.evaluation.preflight.checklist import Outcome

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(("free", "outcome"), [(1 << 40, Outcome.GOOD), (1 << 20, Outcome.WARNING)])
def test_room_for_bags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, outcome: Outcome) -> None:
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda folder: Usage(free, 0, free))
    found = machine.disk(tmp_path / "bags" / "not" / "yet")
    assert found.outcome == outcome
    assert "min" in found.found


def test_what_is_not_there_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert machine.clock().outcome == Outcome.UNKNOWN


def test_nothing_of_the_computer_keeps_a_robot_down() -> None:
    assert all(one.outcome != Outcome.BAD for one in machine.real_time())

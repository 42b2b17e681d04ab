# SPDX-License-Identifier: Apache-2.0
"""Some cells; all of them are run by `surefoot faults run`."""

import gc
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.cli.app import main
from surefoot.errors import UnknownNameError
from surefoot.evaluation.faults import matrix
from surefoot.evaluation.faults.expectations import expectations
from surefoot.evaluation.faults.loop import INTERFACES
from surefoot.evaluation.faults.matrix import UNTOUCHED, Cell, Matrix, illegal_command, lead_in, run_matrix
from surefoot.evaluation.faults.outcome import Outcome
from surefoot.evaluation.faults.taps import Kind, Tap
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.gates import GATES
from surefoot.servos.limits import JointLimits, posture_of
from surefoot.servos.modes import Mode
from surefoot.servos.settings import BridgeSettings


@pytest.fixture(scope="module")
def walking() -> Matrix:
    return run_matrix("hyq", 0, ("servo_command", "base_attitude"), ("off", "garbage", "burst"), ("walking",))


def test_cells_pass_and_say_what_happened(walking: Matrix) -> None:
    assert walking.outcome == Outcome.PASSED
    assert len(walking.passed) == walking.asked == 6
    by_name = {(cell.interface, cell.fault): cell for cell in walking.cells}
    assert len(by_name) == 6
    off = by_name["servo_command", "off"]
    assert off.mode == "FAULT"
    assert off.reason.startswith("command stale")
    assert off.reaction is not None
    assert 0.05 < off.reaction <= 0.15
    assert by_name["servo_command", "burst"].mode == "WALKING"
    assert by_name["servo_command", "burst"].up
    assert by_name["base_attitude", "off"].reason.startswith("attitude missing")
    assert all(cell.illegal == "" for cell in walking.cells)


@pytest.mark.parametrize("interface", ["joint_states", "base_attitude", "servo_command", "motion_plan", "robot_state", "imu"])
def test_what_repeats_itself_is_found_out_while_the_robot_walks(interface: str) -> None:
    (cell,) = run_matrix("hyq", 0, (interface,), ("stuck",), ("walking",)).cells
    assert (cell.mode, cell.failed) == ("FAULT", "")
    assert cell.reason.startswith(("frozen", "command stale"))


def test_the_same_cell_is_the_same_run() -> None:
    cells = run_matrix("hyq", 3, ("imu", "imu"), ("intermittent", "off"), ("standing",)).cells
    assert cells[:2] == cells[2:]


def test_every_cell_has_its_expectation_and_every_name_is_that_of_a_gate() -> None:
    table, gates = expectations(BridgeSettings()), {gate.name for gate in GATES}
    assert set(table) == {(interface, kind) for interface in INTERFACES for kind in Kind}
    for expected in table.values():
        for trip in expected.trips:
            assert any(gate.startswith(trip) for gate in gates), trip
        assert expected.keeps or expected.trips


@pytest.mark.parametrize(
    ("changes", "mode", "words"),
    [
        ({}, Mode.WALKING, ""),
        ({"effort": np.inf}, Mode.WALKING, "effort of a command is"),
        ({"effort": 1e3}, Mode.WALKING, "is beyond"),
        ({"velocity": -1e3}, Mode.READY, "(?s)velocity .* is beyond"),
        ({"position": 4.0}, Mode.WALKING, "is outside of the limits"),
        ({}, Mode.FAULT, "torque in FAULT"),
        ({"stiffness": 0.0, "effort": 0.0, "damping": 20.0}, Mode.FAULT, ""),
        ({"stiffness": 0.0, "effort": 0.0, "damping": np.where(np.arange(12) == 4, 17.0, 20.0)}, Mode.FAULT, ""),
        ({"stiffness": 0.0, "effort": 0.0, "damping": 0.1}, Mode.FAULT, "(?s)damping .* it has to be 20"),
        ({"stiffness": 0.0, "effort": 0.0, "damping": 21.0}, Mode.STOPPED, "(?s)damping .* it has to be 20"),
    ],
)
def test_what_must_never_leave_the_bridge_is_told_from_what_may(hyq: RobotModel, changes: dict[str, Any], mode: Mode, words: str) -> None:
    limits = JointLimits.of(hyq)
    rows = {"position": posture_of(hyq.description, "stand"), "velocity": 0.0, "effort": 1.0, "stiffness": 50.0, "damping": 5.0}
    made = JointCommand(1.0, **{name: np.zeros(12) + value for name, value in (rows | changes).items()})
    found = illegal_command(made, mode, limits, hyq.description.servos.safe_damping)
    assert re.search(words, found) if words else found == ""


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown interface 'joints'"):
        run_matrix("hyq", 0, ("joints",))


def test_the_command_says_it_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["faults", "run", "--interface", "operator_command", "--fault", "off", "--phase", "standing", "--json"]
    assert main(words) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["outcome"], result["asked"], result["cells"], result["passed"]) == ("passed", 1, 1, 1)
    assert result["failed"] == result["not_run"] == []


def test_a_cell_in_which_nothing_failed_is_no_pass(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Tap, "fail", lambda self, kind, time: None)
    assert main(["faults", "run", "--interface", "imu", "--fault", "burst", "--phase", "standing"]) == Outcome.CUT_OFF.exit_code == 3
    said = " ".join(capsys.readouterr().out.split())
    assert f"not run: imu burst while standing: {UNTOUCHED}" in said
    assert "0 of 1 cells passed, 0 failed, 1 could not be run" in said


def test_an_interruption_leaves_what_was_run_and_is_no_pass() -> None:
    def progress(cell: Cell) -> None:
        raise KeyboardInterrupt

    matrix = run_matrix("hyq", 0, ("operator_command",), ("burst", "off"), ("standing",), progress)
    assert (len(matrix.passed), matrix.asked, matrix.ended, matrix.outcome) == (1, 2, "it was interrupted", Outcome.CUT_OFF)


def test_a_robot_without_sensors_in_its_feet_has_no_such_way() -> None:
    with pytest.raises(UnknownNameError, match="unknown interface 'foot_forces'"):
        run_matrix("links", 0, ("foot_forces",))


def test_a_wrong_plan_is_wrong() -> None:
    loop = lead_in("hyq", 0, "standing")
    loop.taps["motion_plan"].fail(Kind.WRONG, loop.time)
    loop.step()
    assert loop.taps["motion_plan"].touched == 1


def test_a_run_in_a_process_of_its_own_clears_nothing_away_that_was_lost_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Lost:
        """Goes in a circle, so that only the garbage collector ends it, and tells which process did."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            (tmp_path / str(os.getpid())).touch()

    def run_cell(*_: object) -> Cell:
        gc.collect()
        return Cell("imu", "off", "standing", "READY", "", None, True, "", "")

    monkeypatch.setattr(matrix, "run_cell", run_cell)
    gc.disable()
    try:
        Lost()
        assert matrix._in_a_fork(None, "imu", Kind.OFF, "standing").mode == "READY"  # type: ignore[arg-type]
        assert list(tmp_path.iterdir()) == []
    finally:
        gc.enable()
    gc.collect()
    assert [path.name for path in tmp_path.iterdir()] == [str(os.getpid())]

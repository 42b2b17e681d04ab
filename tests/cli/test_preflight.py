# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from surefoot.cli.app import main
from surefoot.cli.preflight import _of_bus, preflight
from surefoot.errors import SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos import lock
from surefoot.servos.buses import check_bus, devices_of, find_bus_file
from surefoot.servos.lock import BridgeLock


def test_servos_that_a_bridge_drives_are_left_alone(links: RobotModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)
    file = tmp_path / "bus.yaml"
    file.write_text(find_bus_file("links_dynamixel").read_text().replace("/dev/ttyUSB0", "/dev/not_there"))
    held = BridgeLock(*devices_of("dynamixel", str(file)))
    with pytest.raises(SurefootError, match=r"another servo bridge .* drives serial /dev/not_there already"):
        _of_bus(links, "dynamixel", str(file), 1.0)
    held.release()
    with pytest.raises(SurefootError, match="serial port /dev/not_there cannot be used: No such file or directory") as opened:
        _of_bus(links, "dynamixel", str(file), 1.0)
    assert str(opened.value).count("/dev/not_there") == 1
    with pytest.raises(SurefootError) as looked_at:
        check_bus("dynamixel", links, str(file))
    assert str(looked_at.value) == str(opened.value), "before a launch the same words"


def test_no_robot_is_guessed_where_servos_lose_their_torque(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preflight", "--bus", "dynamixel", "--bus-file", "links_dynamixel"]) == 2
    assert "which robot?" in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "goes_on"), [("n\n", False), ("\n", False), ("y\n", True), ("--lying", True)])
def test_a_person_says_that_it_lies_before_servos_lose_their_torque(answer: str, goes_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[str] = []
    monkeypatch.setattr("surefoot.cli.preflight._of_bus", lambda model, name, file, seconds: touched.append(name) or ())
    asked, app = answer != "--lying", typer.Typer()
    app.command()(preflight)
    arguments = ["--robot", "links", "--bus", "simulated", *(() if asked else (answer,))]
    said = CliRunner().invoke(app, arguments, input=answer).output
    assert ("Does it lie, or hang?" in said) is asked
    assert touched == (["simulated"] if goes_on else [])


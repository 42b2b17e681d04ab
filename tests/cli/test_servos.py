# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.cli.app import main
from surefoot.servos import lock
from surefoot.servos.dynamixel.settings import device_of
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo
from surefoot.servos.lock import BridgeLock


@pytest.fixture(autouse=True)
def _locks_of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "FOLDER", tmp_path)


@pytest.fixture
def line() -> Iterator[EmulatedLine]:
    made = EmulatedLine([EmulatedServo(read_table("dynamixel_x"), 2), EmulatedServo(read_table("dynamixel_rx24f"), 1)])
    yield made
    made.close()


def test_servos_are_found_and_set(line: EmulatedLine, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--baud-rate", "1000000", "--most", "2", "--reply-time", "0.5"]
    assert main(["servos", "find", line.name, *options]) == 0
    shown = capsys.readouterr().out
    assert "XM430-W350" in shown
    assert "RX-24F" in shown


def test_nobody_and_no_port_are_said(line: EmulatedLine, capsys: pytest.CaptureFixture[str]) -> None:
    for servo in line.servos:
        servo.gone = True
    assert main(["servos", "find", line.name, "--most", "1"]) == 2
    assert "nobody answers" in capsys.readouterr().err
    assert main(["servos", "find", "/dev/nothing"]) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_an_overloaded_servo_is_restarted(line: EmulatedLine, capsys: pytest.CaptureFixture[str]) -> None:
    line.servo(2).overload()
    for _ in range(20):  # a busy machine may be too slow for one answer
        if main(["servos", "reboot", line.name, "2", "--now", "1000000"]) == 0:
            break
    assert "servo 2 has restarted" in capsys.readouterr().out
    assert not line.servo(2)._overloaded


@pytest.mark.parametrize("words", [("find",), ("reboot", "2"), ("set-baud-rate", "2", "57600")])
def test_a_line_that_a_bridge_holds_is_left_alone(line: EmulatedLine, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    command, *arguments = words
    with BridgeLock(device_of(line.name)):
        assert main(["servos", command, line.name, *arguments]) == 2
    assert "another servo bridge" in capsys.readouterr().err
    assert line.instructions == 0
    BridgeLock(device_of(line.name)).release()

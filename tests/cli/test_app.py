# SPDX-License-Identifier: Apache-2.0
"""The command line as a person meets it."""

import subprocess
import sys
from importlib import import_module

import pytest

import surefoot
from surefoot.cli.app import COMMANDS, USAGE_ERROR, main


def test_help_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys; from surefoot.cli.app import main; main(['--help'])\n"
        "print([name for name in ('numpy', 'pinocchio', 'numba', 'rclpy') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_exists_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = COMMANDS[name]
    assert getattr(import_module(command.module), command.function).__doc__
    assert main([name, "--help"]) == 0
    assert f"surefoot {name}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == surefoot.__version__


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["lanch"], ["lanch", "launch"]),
        (["launch", "sim", "--fast"], ["--fast"]),
        (["launch", "sims"], ["sims", "did you mean 'sim'"]),
        (["launch", "sim", "seed=7"], ["seed=7", "NAME:=VALUE"]),
        (["launch", "sim", "sed:=7"], ["sed", "did you mean 'seed'"]),
        (["launch", "sim", "seed:=x"], ["parameter seed", "'x'", "int"]),
        (["launch", "/no/such.launch.xml"], ["/no/such.launch.xml"]),
        (["launch"], ["which launch file? Known: ", "robot", "sim", "A path to a *.launch.xml works as well"]),
        (["decision", "show", __file__], ["test_app.py is no decision record"]),
        (["gaits", "mine.yaml"], ["surefoot gaits --robot mine.yaml"]),
        (["install", "robot"], ["did you mean 'robots'"]),
    ],
)
def test_a_mistake_is_named_without_a_traceback(words: list[str], named: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == USAGE_ERROR
    text = " ".join(capsys.readouterr().err.split())
    assert "Traceback" not in text
    for word in named:
        assert word in text


def test_launch_shows_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "sim", "--show-args"]) == 0
    text = capsys.readouterr().out
    for word in ("robot", "hyq", "seed", "story", "realtime"):
        assert word in text


def test_a_command_that_had_a_node_ends_whatever_the_middleware_still_does() -> None:
    code = (
        "import atexit, sys, threading, time; import surefoot.__main__ as entry\n"
        "if sys.argv[1] == 'node':\n"
        "    import rclpy; threading.Thread(target=time.sleep, args=(1e4,)).start()\n"
        "atexit.register(print, 'left in order'); print('said', end=' '); entry.leave(3)"
    )
    for kind in ("node", "none"):
        result = subprocess.run([sys.executable, "-c", code, kind], capture_output=True, text=True, check=False, timeout=100)
        assert (result.returncode, result.stdout.strip()) == (3, "said left in order"), result.stderr

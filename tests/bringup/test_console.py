# SPDX-License-Identifier: Apache-2.0
"""What stands on the terminal when something failed."""

import io
import signal

import pytest

from surefoot.bringup.console import Console
from surefoot.bringup.process import ProcessExit

TRACE = ("Traceback (most recent call last):", '  File "a.py", line 3, in tick', "ZeroDivisionError: division by zero")


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (("starting", "error: unknown robot 'hyqq'; did you mean 'hyq'?"), "error: unknown robot 'hyqq'; did you mean 'hyq'?"),
        ((*TRACE, "recorder: lost: 3 of /imu", ""), "ZeroDivisionError: division by zero"),
        (("[ERROR] [1.5] [teleop]: no pad", "[INFO] [1.6] [teleop]: over"), "[ERROR] [1.5] [teleop]: no pad"),
        (("[ERROR] [1.5] [teleop]: no pad", *TRACE), "ZeroDivisionError: division by zero"),
        (("surefoot.errors.SensorError: no joint 'x'", "bye"), "surefoot.errors.SensorError: no joint 'x'"),
        (("[INFO] [1.6] [teleop]: an error is near", "the end", "  "), "the end"),
        ((), ""),
    ],
)
def test_the_last_words_of_a_process_are_its_last_error(tail: tuple[str, ...], words: str) -> None:
    assert ProcessExit("teleop", 7, 1, False, tail).last_words == words


def test_the_failure_is_named_last_with_its_code_and_its_words() -> None:
    stream = io.StringIO()
    console = Console(["bridge", "teleop"], stream)
    failed = ProcessExit("bridge", 7, 2, False, ("error: no such bus", "[INFO] over"))
    console.end(failed)
    console.line("teleop", "stopping")
    console.end(ProcessExit("teleop", 8, 0, True, ()))
    console.failure(failed)
    *before, named, words = stream.getvalue().splitlines()
    assert "exit code 2" in before[0]
    assert "bridge" in named
    assert "exit code 2" in named
    assert words == "surefoot: bridge | error: no such bus"


def test_a_silent_death_is_named_too() -> None:
    stream = io.StringIO()
    Console(["bridge"], stream).failure(ProcessExit("bridge", 7, -signal.SIGSEGV, False, ()))
    assert "SIGSEGV" in stream.getvalue()
    assert stream.getvalue().endswith("it said nothing\n")


def test_without_failure_nothing_is_said() -> None:
    stream = io.StringIO()
    Console(["bridge"], stream).failure(None)
    assert stream.getvalue() == ""

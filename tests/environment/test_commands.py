# SPDX-License-Identifier: Apache-2.0
"""What a person reads when a step of making the environment fails."""

import os
import sys
from pathlib import Path

import pytest

from surefoot.environment.commands import StepFailed, run_logged


def run(tmp_path: Path, code: str) -> list[str]:
    lines: list[str] = []
    run_logged([sys.executable, "-S", "-c", code], tmp_path / "log", dict(os.environ), lines.append)
    return lines


def test_output_goes_to_the_log_and_on(tmp_path: Path) -> None:
    assert run(tmp_path, "print('one'); print('two')") == ["one\n", "two\n"]
    assert "one\ntwo\n" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("output", "advice"),
    [
        ("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution", "No network"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("something else", "run the same command again"),
    ],
)
def test_failure_names_its_cause(tmp_path: Path, output: str, advice: str) -> None:
    with pytest.raises(StepFailed) as failure:
        run(tmp_path, f"print({output!r}); raise SystemExit(7)")
    text = str(failure.value)
    assert output in text
    assert "code 7" in text
    assert str(tmp_path / "log") in text
    assert advice.lower() in text.lower()

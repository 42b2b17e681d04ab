# SPDX-License-Identifier: Apache-2.0
"""`surefoot test`: everything that has to hold before a change is good."""

import subprocess
import sys
import tempfile
from pathlib import Path

import typer
from rich.console import Console

from surefoot.cli.failed_tests import FEW, TESTS_FAILED, failed_tests
from surefoot.robot.locate import shared_directory

CHECKS = (("ruff", "check"), ("mypy",))
# Whole graphs need every core for themselves; the rest shares them, a file at a time.
TESTS = (
    ("tests/graph",),
    ("--numprocesses=auto", "--dist=loadfile", "--ignore=tests/graph"),
)


def test(context: typer.Context) -> None:
    """Run ruff, mypy and pytest. All further arguments go to pytest, and with any of them pytest runs alone.

    In the whole run a test that fails is run a second time, alone: the machine may have been too busy for it. Which ones
    hold only then is said at the end. More than a few that fail are no matter of luck and are not run again.
    """
    console = Console()
    if context.args:
        if _result("pytest", *context.args) != 0:
            raise typer.Exit(1)
        return
    failed, unsteady = [], []
    for check in CHECKS:
        console.rule(" ".join(check))
        if _result(*check) != 0:
            failed.append(" ".join(check))
    for tests in TESTS:
        console.rule(f"pytest {' '.join(tests)}")
        with tempfile.TemporaryDirectory() as cache:
            steady, held = _held(tests, Path(cache), console)
        if not steady:
            failed.append(f"pytest {' '.join(tests)}")
        unsteady += held
    for name in unsteady:
        console.print(f"[yellow]failed, then held when run alone: {name}[/yellow]", soft_wrap=True)
    if failed:
        console.print(f"[red]failed: {'; '.join(failed)}[/red]")
        raise typer.Exit(1)


def _held(tests: tuple[str, ...], cache: Path, console: Console) -> tuple[bool, list[str]]:
    """Whether all of some tests hold, and which of them did so only the second time."""
    memory = ("-o", f"cache_dir={cache}")
    result = _result("pytest", *memory, *tests)
    if result == 0:
        return True, []
    failed = failed_tests(cache)
    # A run that was interrupted, or did not find what to run, has not seen every test.
    if result != TESTS_FAILED or not 0 < len(failed) <= FEW:
        return False, []
    console.rule(f"once more, alone: {len(failed)} that failed")
    if _result("pytest", *memory, *failed) != 0:
        return False, []
    return True, failed


def _result(*module: str) -> int:
    return subprocess.run([sys.executable, "-m", *module], cwd=shared_directory(), check=False).returncode

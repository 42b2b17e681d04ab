# SPDX-License-Identifier: Apache-2.0
"""`surefoot test`: everything that has to hold before a change is good."""

import subprocess
import sys

import typer
from rich.console import Console

from surefoot.robot.locate import shared_directory

JOBS = (
    ("ruff", "check"),
    ("mypy",),
    # Whole graphs need every core for themselves; the rest shares them, a file at a time.
    ("pytest", "tests/graph"),
    ("pytest", "--numprocesses=auto", "--dist=loadfile", "--ignore=tests/graph"),
)


def test(context: typer.Context) -> None:
    """Run ruff, mypy and pytest. All further arguments go to pytest, and with any of them pytest runs alone."""
    jobs = [("pytest", *context.args)] if context.args else JOBS
    console = Console()
    failed = []
    for job in jobs:
        console.rule(" ".join(job))
        if subprocess.run([sys.executable, "-m", *job], cwd=shared_directory(), check=False).returncode != 0:
            failed.append(" ".join(job))
    if failed:
        console.print(f"[red]failed: {'; '.join(failed)}[/red]")
        raise typer.Exit(1)

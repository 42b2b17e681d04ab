# SPDX-License-Identifier: Apache-2.0
"""`surefoot test`: everything that has to hold before a change is good."""

import subprocess
import sys

import typer
from rich.console import Console

from surefoot.robot.locate import shared_directory


def test(context: typer.Context) -> None:
    """Run ruff, mypy and pytest. All further arguments go to pytest, and with any of them pytest runs alone."""
    root = shared_directory()
    pytest = ["pytest", *context.args]
    jobs = [pytest] if context.args else [["ruff", "check"], ["mypy"], pytest]
    console = Console()
    failed = []
    for job in jobs:
        console.rule(" ".join(job))
        if subprocess.run([sys.executable, "-m", *job], cwd=root, check=False).returncode != 0:
            failed.append(job[0])
    if failed:
        console.print(f"[red]failed: {', '.join(failed)}[/red]")
        raise typer.Exit(1)

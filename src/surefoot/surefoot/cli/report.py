# SPDX-License-Identifier: Apache-2.0
"""`surefoot report RUN`: everything that a run showed, in one HTML file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def report(
    run: Annotated[Path, typer.Argument(help="Folder with run.npz, story.jsonl and decisions, as `surefoot demo` leaves in report/run.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The HTML file; by default report.html beside the run.")] = None,
    film: Annotated[bool, typer.Option("--film/--no-film", help="Whether to render the film, which takes most of the time.")] = True,
) -> None:
    """Write one HTML file with story, numbers, plots, decisions and film, which needs no other file and no network."""
    from surefoot.viewer.html_report import FILE_NAME, write_html

    path = output or run / FILE_NAME
    summary = write_html(run, path, film)
    console = Console()
    for note in summary.notes:
        console.print(note, style="yellow", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", highlight=False, markup=False, soft_wrap=True)

# SPDX-License-Identifier: Apache-2.0
"""`surefoot report RUN|BAG`: everything that a run showed, in one HTML file."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from surefoot.recording.metadata import FILE_NAME as METADATA
from surefoot.recording.reader import SOURCES

STORIES = "Folder with run.npz, story.jsonl and decisions, as `surefoot demo` leaves in report/run; or a bag."


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN|BAG", help=STORIES)],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The HTML file; by default report.html beside the run.")] = None,
    film: Annotated[bool, typer.Option("--film/--no-film", help="Whether to render the film, which takes most of the time.")] = True,
    pictures: Annotated[Path | None, typer.Option(help="Folder for pictures (PNG), film (MP4) and numbers as files of their own.")] = None,
    robot: Annotated[str, typer.Option(help="Of a bag: name or path of the robot; by default the one that the bag names.")] = "",
    topic_map: Annotated[Path | None, typer.Option("--map", help="Of a bag: YAML with the topics of another robot.")] = None,
) -> None:
    """Write one HTML file with story, numbers, plots, decisions and film, which needs no other file and no network."""
    from surefoot.viewer.html_report import FILE_NAME, write_html

    console = Console()
    path = output or (run if run.is_dir() else run.parent) / FILE_NAME
    if _is_bag(run):
        from surefoot.nodes.bag_run import BagRun
        from surefoot.recording.renamed import open_bag

        read = BagRun(open_bag(run, topic_map), robot)
        with tempfile.TemporaryDirectory() as folder:
            read.write(Path(folder))
            summary = write_html(Path(folder), path, film, pictures, read.tracking)
        notes: tuple[str, ...] = (*read.problems, *summary.notes)
    else:
        notes = write_html(run, path, film, pictures).notes
    for note in notes:
        console.print(note, style="yellow", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{path}: {path.stat().st_size / 1e6:.1f} MB", highlight=False, markup=False, soft_wrap=True)


def _is_bag(path: Path) -> bool:
    if path.is_file():
        return True
    return path.is_dir() and ((path / METADATA).is_file() or any(file.suffix in SOURCES for file in path.iterdir()))

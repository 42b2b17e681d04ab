# SPDX-License-Identifier: Apache-2.0
"""`surefoot demo`: the whole graph plays a story, and a report says whether each step of it happened."""

import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.console import Console

from surefoot.bringup.command import node_process
from surefoot.bringup.find import find_launch_file
from surefoot.bringup.launcher import Launcher
from surefoot.bringup.parser import parse_launch_file
from surefoot.cli.awaiting import Awaiting
from surefoot.cli.browser import open_in_browser
from surefoot.cli.graph_checks import check_graph
from surefoot.cli.report_folder import clear_report
from surefoot.errors import SurefootError
from surefoot.evaluation.run import FILE_NAME as RUN
from surefoot.evaluation.steps import FEWEST_PARTICLES
from surefoot.real_time import stay_awake
from surefoot.teleop.script import find_story, read_story

NARRATOR = "narrator"
VIEW = "view"
STOPPED = 130
"""Exit code of a command that Ctrl-C ended, as in shells."""

_STYLES = {"ACCEPTED": "bold green", "VETOED": "bold yellow", "the operator": "cyan", "FAULT": "bold red", "mode ": "bold"}


class _Stage:
    """Shows what the narrator tells, and keeps what every node says in a log of its own, which is there from the start.

    Args:
        console: to show it on.
        directory: for the logs.
        labels: of the processes.
    """

    def __init__(self, console: Console, directory: Path, labels: Iterable[str]) -> None:
        self._console = console
        self._logs: dict[str, TextIO] = {label: (directory / f"{label}.log").open("w", encoding="utf-8") for label in labels}
        self._opened = False
        self._awaiting = Awaiting(f"all of {len(self._logs)} processes, before the simulation begins; logs: {directory}", self._say_faintly)

    def line(self, label: str, line: str) -> None:
        """Take one line of output of a process."""
        self._logs[label].write(line.rstrip("\n") + "\n")
        self._logs[label].flush()
        if label == NARRATOR:
            self._awaiting.came()
            self._console.print(line.rstrip("\n"), style=_style(line), highlight=False, markup=False, soft_wrap=True)
        elif label == VIEW and line.startswith("open "):
            # A page that was started again is in the browser already.
            self._opened = self._opened or open_in_browser(line.strip().removeprefix("open "))
            words = f"to see it think, {line.strip()}" + (" (a browser was told to)" if self._opened else "")
            self._console.print(words, style="bold", highlight=False, markup=False, soft_wrap=True)
        elif "[ERROR]" in line or "[FATAL]" in line:
            self._console.print(f"{label}: {line.rstrip()}", style="red", highlight=False, markup=False, soft_wrap=True)

    def close(self) -> None:
        """No more lines."""
        self._awaiting.came()
        for log in self._logs.values():
            log.close()

    def _say_faintly(self, words: str) -> None:
        self._console.print(words, style="dim", highlight=False, markup=False, soft_wrap=True)


def _style(line: str) -> str:
    """Colour of a line of the story, by what it tells."""
    return next((style for word, style in _STYLES.items() if word in line), "")


def demo(
    headless: Annotated[
        bool, typer.Option("--headless", help="Show nothing but the terminal: no page in the browser, no picture at the end.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random; one seed, one run.")] = 7,
    report: Annotated[Path, typer.Option(help="Folder for the report; what an earlier demo left in it is replaced.")] = Path("report"),
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    story: Annotated[str, typer.Option(help="A name in config/stories, or a path to a story.")] = "demo",
    world: Annotated[str, typer.Option(help="A name in config/worlds, or a path to a world.")] = "ice_ahead",
) -> None:
    """Let a simulated robot walk, rehearse a trot and take it, be asked for what cannot hold on ice, and refuse.

    The exit code is 0 only if every step of the story happened and the robot never fell; 130: it was stopped before it began.
    """
    console = Console()
    script = read_story(find_story(story))
    run_directory = report / "run"
    arguments = {
        "robot": robot,
        "seed": str(seed),
        "story": story,
        "world": world,
        "duration": str(float(script.end)),
        # Enough of each candidate for the pictures; the verdict alone would look away from most of them sooner.
        "particles": str(FEWEST_PARTICLES),
        "record_directory": str(run_directory.resolve()),
        "view": "false" if headless else "true",
    }
    nodes = parse_launch_file(find_launch_file("sim"), arguments).nodes
    # What cannot be used is refused before anything starts, and before an older report is gone.
    check_graph(nodes)
    processes = [node_process(node) for node in nodes]
    labels = [process.label for process in processes]
    if kept := clear_report(report, run_directory, labels):
        console.print(f"left there, since no demo wrote it: {', '.join(map(str, kept))}", style="dim", highlight=False, markup=False)
    console.print(f"[bold]{script.title}[/bold]: {robot} in world {world}, seed {seed}")
    console.print(f"{len(processes)} processes; their logs are in {run_directory}", style="dim")
    # As on a robot, or the time from sensor to servo would be that of cores that wake up.
    console.print(stay_awake()[1], style="dim")
    console.print(f"starting the graph; then {script.end:.0f} s are simulated in lockstep", style="dim")
    stage = _Stage(console, run_directory, labels)
    launcher = Launcher(processes, on_line=stage.line)
    launcher.run()
    stage.close()
    if (end := launcher.failure) is not None:
        words = f"the graph ended before its time: {end}; see the logs in {run_directory}. Its last words:"
        raise SurefootError(f"{words}\n{end.label} | {end.last_words or 'it said nothing'}")
    if launcher.told_to_end and not (run_directory / RUN).is_file():
        console.print(f"stopped before the simulation began: there is nothing to report. Logs: {run_directory}", highlight=False)
        raise typer.Exit(STOPPED)
    console.print("writing the report", style="dim")
    _finish(console, run_directory, report, headless)


def _finish(console: Console, run_directory: Path, report: Path, headless: bool) -> None:
    """Write and show the report; raises typer.Exit(1) if a step of the story is missing."""
    from surefoot.viewer.report import write_report
    from surefoot.viewer.table import closing_table

    signal.signal(signal.SIGINT, signal.default_int_handler)
    summary = write_report(run_directory, report)
    console.print(closing_table(summary))
    console.print(f"report: {report}")
    if not headless:
        typer.launch(str(report / "overview.png"))
    if not summary.passed:
        raise typer.Exit(1)

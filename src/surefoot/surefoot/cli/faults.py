# SPDX-License-Identifier: Apache-2.0
"""`surefoot faults …`: what happens when something goes wrong."""

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from surefoot.cli.faults_fuzz import Within, fuzz
from surefoot.cli.faults_table import matrix_as_json, show_matrix, words_of
from surefoot.cli.told_to_end import told_to_end
from surefoot.errors import ConfigurationError
from surefoot.evaluation.faults.matrix import PHASES, Cell
from surefoot.nodes.faults import DOMAIN

Domain = Annotated[int | None, typer.Option(min=0, max=232, help=f"ROS domain of the graphs; no robot may be in it. {DOMAIN} if none.")]

faults = typer.Typer(no_args_is_help=True, add_completion=False)


@faults.callback()
def _root() -> None:
    """What happens when something goes wrong."""


@faults.command()
def run(
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    interface: Annotated[list[str] | None, typer.Option(help="Only these ways between the parts; all if none.")] = None,
    fault: Annotated[list[str] | None, typer.Option(help="Only these faults; all if none.")] = None,
    phase: Annotated[list[str] | None, typer.Option(help="Only these phases: standing, walking, transition; all if none.")] = None,
    seed: Annotated[int, typer.Option(help="Of sensors and faults, and of the sample.")] = 0,
    processes: Annotated[bool, typer.Option("--processes", help="Between the real nodes, over DDS, and what happens to them.")] = False,
    sample: Annotated[int | None, typer.Option(min=1, help="With --processes: so many cells, drawn by the seed; all if none.")] = None,
    domain: Domain = None,
    within: Within = None,
    journal: Annotated[Path | None, typer.Option(help="With --processes: file that keeps the cells that were run, to go on from.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print {outcome, asked, cells, passed, failed, not_run} as JSON.")] = False,
) -> None:
    """Let every way between two parts fail in every manner and phase, each in a run of its own: about 250 runs, some minutes.

    The parts run in one process and in lockstep, so that each run can be had again. With --processes they are the nodes of
    launch/sim.launch.xml, each way between them goes through a relay, and nodes are killed and stopped as well: some hours for all
    cells; with --journal the same command goes on where the last one was cut off.

    The exit code is 0 if all cells passed that were asked for, 1 if one failed, and 3 if it was cut off: some were not run.
    """
    from surefoot.evaluation.faults.matrix import run_matrix
    from surefoot.evaluation.faults.taps import Kind

    for option, value in (("--sample", sample), ("--domain", domain), ("--within", within), ("--journal", journal)):
        if value is not None and not processes:
            raise ConfigurationError(f"{option} {value} is of use with --processes alone; add it, or leave {option} out")
    console, said = Console(stderr=True), [0]

    def progress(cell: Cell) -> None:
        said[0] += 1
        if console.is_terminal:
            console.print(f"{said[0]} cells are done: {cell.phase}, {cell.interface}, {cell.fault}        ", style="dim", end="\r")
        elif processes:
            print(f"{said[0]} {cell.phase} {cell.interface} {cell.fault}: {words_of(cell)}", file=sys.stderr, flush=True)

    with told_to_end():
        if processes:
            from surefoot.nodes.faults.processes import run_processes

            where, seconds = DOMAIN if domain is None else domain, math.inf if within is None else 60.0 * within
            matrix = run_processes(
                robot, seed, interface or (), fault or (), phase or PHASES, sample, where, progress, within=seconds, journal=journal
            )
        else:
            matrix = run_matrix(robot, seed, interface or (), fault or tuple(Kind), phase or PHASES, progress)
    if as_json:
        print(json.dumps(matrix_as_json(matrix), indent=2))
    else:
        show_matrix(matrix)
    raise typer.Exit(matrix.outcome.exit_code)


@faults.command()
def soak(
    minutes: Annotated[float, typer.Option(min=0.1, help="Of simulated walking.")] = 30.0,
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    seed: Annotated[int, typer.Option(help="Of sensors, and of what fails when.")] = 0,
    domain: Domain = None,
    within: Within = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Walk for a long time between real processes while random ways fail at random, and count what breaks and what grows.

    The exit code is 1 after an exception that nobody handled, an illegal output, a node that ended, or one that grew by more than 5 MB;
    else 3 if it was cut off: it did not walk for so long, nothing failed, or nothing is known of memory.
    """
    from surefoot.nodes.faults.soak import MOST_GROWTH, Soak
    from surefoot.nodes.faults.soak import soak as walk

    console = Console(stderr=True)

    def progress(done: Soak) -> None:
        console.print(f"{done.seconds:.0f} s, {done.faults} faults: {done.by_mode}        ", style="dim", end="\r", highlight=False)

    with told_to_end():
        where, seconds = DOMAIN if domain is None else domain, math.inf if within is None else 60.0 * within
        done = walk(robot, minutes, seed, where, progress, seconds)
    if as_json:
        said = {"robot": robot, "seed": seed, "outcome": done.outcome, "missing": done.missing, "growth": done.growth}
        print(json.dumps(said | asdict(done), indent=2))
    else:
        print(f"{done.seconds:.0f} s with {done.faults} faults in {done.graphs} graphs; modes after them: {done.by_mode}")
        print(f"gates: {done.reasons}")
        print(f"exceptions {len(done.exceptions)}, illegal outputs {len(done.illegal)}, nodes that ended {len(done.ended)}")
        heads = ("MB at the start", "after the warm-up", "at the end", f"growth since then, at most {MOST_GROWTH:g}")
        table = Table("node", *heads, title=f"memory over {done.watched:.0f} s after the warm-up")
        for name, one in sorted(done.memory.items()):
            table.add_row(name, f"{one.start:.1f}", f"{one.warm:.1f}", f"{one.end:.1f}", f"{done.growth[name]:+.1f}")
        if done.memory:
            Console().print(table)
        for words in (*done.exceptions, *done.illegal, *done.ended, *done.missing):
            print(words)
        print(done.outcome)
    raise typer.Exit(done.outcome.exit_code)


faults.command()(fuzz)

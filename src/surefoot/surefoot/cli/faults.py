# SPDX-License-Identifier: Apache-2.0
"""`surefoot faults …`: what happens when something goes wrong."""

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.evaluation.faults.matrix import PHASES, Cell, Matrix
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
    as_json: Annotated[bool, typer.Option("--json", help="Print {cells, passed, failed} as JSON.")] = False,
) -> None:
    """Let every way between two parts fail in every manner and phase, each in a run of its own: about 250 runs, some minutes.

    The parts run in one process and in lockstep, so that each run can be had again. With --processes they are the nodes of
    launch/sim.launch.xml, each way between them goes through a relay, and nodes are killed and stopped as well: some hours for all
    cells. The exit code is 1 if a cell fails.
    """
    from surefoot.evaluation.faults.loop import INTERFACES
    from surefoot.evaluation.faults.matrix import run_matrix
    from surefoot.evaluation.faults.taps import Kind

    for option, value in (("--sample", sample), ("--domain", domain)):
        if value is not None and not processes:
            raise ConfigurationError(f"{option} {value} is of use with --processes alone; add it, or leave {option} out")
    console, said = Console(stderr=True), [0]

    def progress(cell: Cell) -> None:
        said[0] += 1
        if console.is_terminal:
            console.print(f"{said[0]} cells are done: {cell.phase}, {cell.interface}, {cell.fault}        ", style="dim", end="\r")
        elif processes:
            words = f"failed: {cell.failed}" if cell.failed else _words(cell)
            print(f"{said[0]} {cell.phase} {cell.interface} {cell.fault}: {words}", file=sys.stderr, flush=True)

    if processes:
        from surefoot.nodes.faults.processes import run_processes

        where = DOMAIN if domain is None else domain
        matrix = run_processes(robot, seed, interface or (), fault or (), phase or PHASES, sample, where, progress)
    else:
        matrix = run_matrix(robot, seed, interface or INTERFACES, fault or tuple(Kind), phase or PHASES, progress)
    if as_json:
        failed = [asdict(cell) for cell in matrix.failed]
        passed = len(matrix.cells) - len(failed)
        print(json.dumps({"robot": robot, "seed": seed, "cells": len(matrix.cells), "passed": passed, "failed": failed}, indent=2))
    else:
        _show(matrix)
    if matrix.failed:
        raise typer.Exit(1)


@faults.command()
def soak(
    minutes: Annotated[float, typer.Option(min=0.1, help="Of simulated walking.")] = 30.0,
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    seed: Annotated[int, typer.Option(help="Of sensors, and of what fails when.")] = 0,
    domain: Domain = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Walk for a long time between real processes while random ways fail at random, and count what breaks and what grows.

    The exit code is 1 after an exception that nobody handled, an illegal output, a node that ended, or one that grew by more than 5 MB.
    """
    from surefoot.nodes.faults.soak import Soak
    from surefoot.nodes.faults.soak import soak as walk

    console = Console(stderr=True)

    def progress(done: Soak) -> None:
        console.print(f"{done.seconds:.0f} s, {done.faults} faults: {done.by_mode}        ", style="dim", end="\r", highlight=False)

    done = walk(robot, minutes, seed, DOMAIN if domain is None else domain, progress)
    if as_json:
        said = {"robot": robot, "seed": seed, "passed": done.passed, "growth": done.growth}
        print(json.dumps(said | asdict(done), indent=2))
    else:
        print(f"{done.seconds:.0f} s with {done.faults} faults in {done.graphs} graphs; modes after them: {done.by_mode}")
        print(f"gates: {done.reasons}")
        print(f"exceptions {len(done.exceptions)}, illegal outputs {len(done.illegal)}, nodes that ended {len(done.ended)}")
        table = Table("node", "MB after warm-up", "MB at the end", "growth", title=f"memory over {done.watched:.0f} s")
        for name, (before, after) in sorted(done.memory.items()):
            table.add_row(name, f"{before:.1f}", f"{after:.1f}", f"{after - before:+.1f}")
        Console().print(table if done.memory else "memory: no graph lived longer than its warm-up")
        for words in (*done.exceptions, *done.illegal, *done.ended):
            print(words)
    if not done.passed:
        raise typer.Exit(1)


@faults.command()
def fuzz(
    node: Annotated[str, typer.Argument(help="That hears the garbage: a node of the graph.")],
    messages: Annotated[int, typer.Option(min=1, help="Pieces of garbage.")] = 10_000,
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    seed: Annotated[int, typer.Option(help="Of the garbage, and of the sensors.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Give garbage to one node, message by message, while the rest of the graph goes on as it should and the robot tries to walk.

    The nodes run in this process and without DDS, so that the same garbage comes again. A million takes hours. The exit code is 1 after an
    exception that nobody handled, or an illegal output.
    """
    from surefoot.nodes.faults.company import NODES
    from surefoot.nodes.faults.fuzz import Fuzzed
    from surefoot.nodes.faults.fuzz import fuzz as garble

    if node not in NODES:
        raise UnknownNameError("node", node, tuple(NODES))
    console = Console(stderr=True)

    def progress(done: Fuzzed) -> None:
        if console.is_terminal:
            console.print(f"{done.messages} messages, {done.ticks} ticks: {done.modes}        ", style="dim", end="\r", highlight=False)

    done = garble(robot, node, messages, seed, progress)
    if as_json:
        print(json.dumps({"robot": robot, "seed": seed, "passed": done.passed} | asdict(done), indent=2))
    else:
        print(f"{node}: {done.messages} messages of garbage in {done.ticks} ticks; in {done.modes}; counted: {done.refused}")
        for words, count in (done.exceptions | done.illegal).items():
            print(f"{count} times: {words}")
    if not done.passed:
        raise typer.Exit(1)


def _show(matrix: Matrix) -> None:
    from surefoot.evaluation.faults.matrix import cells_of

    phases = list(dict.fromkeys(cell.phase for cell in matrix.cells))
    table = Table("interface", "fault", *phases, title=f"{matrix.robot}: the mode after each fault, and what it took")
    for interface, kind, cells in cells_of(matrix):
        table.add_row(interface, kind, *(_words(cell) for cell in cells))
    console = Console()
    console.print(table)
    for cell in matrix.failed:
        console.print(f"failed: {cell.interface} {cell.fault} while {cell.phase}: {cell.failed}", style="red", highlight=False)
    console.print(f"{len(matrix.cells)} cells, {len(matrix.failed)} failed")


def _words(cell: Cell) -> str:
    gate = cell.reason.partition(":")[0]
    change = "goes on" if cell.reaction is None else f"{gate} after {1e3 * cell.reaction:.0f} ms"
    return f"{'[red]' if cell.failed else ''}{change}{'' if cell.up else ', down'}"

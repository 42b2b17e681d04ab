# SPDX-License-Identifier: Apache-2.0
"""`surefoot faults fuzz`: garbage to one node after the other."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from surefoot.cli.told_to_end import told_to_end
from surefoot.errors import UnknownNameError
from surefoot.evaluation.faults.outcome import Outcome

if TYPE_CHECKING:
    from surefoot.nodes.faults.fuzz import Fuzzed
    from surefoot.nodes.faults.fuzz_alone import FuzzedAlone

Within = Annotated[float | None, typer.Option(min=0.0, help="Minutes of the wall after which it is cut off.")]

ALL = "all"


def fuzz(
    node: Annotated[str, typer.Argument(help=f"That hears the garbage: a node of the graph; with --alone '{ALL}' is one after the other.")],
    messages: Annotated[int, typer.Option(min=1, help="Pieces of garbage.")] = 10_000,
    alone: Annotated[bool, typer.Option("--alone", help="The node by itself, which hears what it heard in a graph.")] = False,
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    seed: Annotated[int, typer.Option(help="Of the garbage, and of the sensors.")] = 0,
    within: Within = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Give garbage to one node, message by message, while the rest of the graph goes on as it should and the robot tries to walk.

    The nodes run in this process and without DDS, so that the same garbage comes again. A million takes hours, and with --alone minutes:
    then nobody answers to what the node says, and all that it says is judged. The exit code is 1 after an exception that nobody handled,
    or an illegal output; else 3 if it was cut off: so many were not received, or the robot never walked, or the node was never at work.
    """
    from surefoot.nodes.faults.company import NODES
    from surefoot.nodes.faults.fuzz import fuzz as garble
    from surefoot.nodes.faults.fuzz_alone import ALONE, fuzz_alone

    known = (*ALONE, ALL) if alone else tuple(NODES)
    if node not in known:
        raise UnknownNameError("node", node, known)
    console, seconds = Console(stderr=True), math.inf if within is None else 60.0 * within

    def progress(done: "Fuzzed | FuzzedAlone") -> None:
        if console.is_terminal:
            words = f"{done.node}: {done.received} messages, {done.ticks} ticks        "
            console.print(words, style="dim", end="\r", highlight=False)

    done: list[Fuzzed] | list[FuzzedAlone]
    with told_to_end():
        if alone:
            done = fuzz_alone(robot, ALONE if node == ALL else (node,), messages, seed, progress, seconds)
        else:
            done = [garble(robot, node, messages, seed, progress, seconds)]
    if as_json:
        said = [{"robot": robot, "seed": seed, "outcome": one.outcome, "missing": one.missing} | asdict(one) for one in done]
        print(json.dumps(said if node == ALL else said[0], indent=2))
    else:
        for one in done:
            _show(one)
    outcomes = {one.outcome for one in done}
    raise typer.Exit(next(one for one in (Outcome.FAILED, Outcome.CUT_OFF, Outcome.PASSED) if one in outcomes).exit_code)


def _show(done: "Fuzzed | FuzzedAlone") -> None:
    said: Mapping[str, object] = asdict(done)
    useful = f"{said['stepping']} of them stepping; {said['modes']}" if "stepping" in said else f"{said['at_work']} of them at work"
    print(f"{done.node}: {done.received} messages of garbage received in {done.ticks} ticks, {useful}")
    print(f"counted: {done.refused}")
    for words, count in (done.exceptions | done.illegal).items():
        print(f"{count} times: {words}")
    print("\n".join((*done.missing, done.outcome)))

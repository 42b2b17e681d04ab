# SPDX-License-Identifier: Apache-2.0
"""`surefoot replay BAG`: a recording once more through the nodes."""

import json
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.recording.errors import OtherTypeError
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.renamed import open_bag

EXPECTATIONS = ("", "same")

CANNOT_TELL = 125
"""Exit code where outputs were expected to be the same and cannot be compared: `git bisect run` passes over such a commit."""


def replay(
    path: Annotated[Path, typer.Argument(metavar="BAG", help="A bag: a folder, or one .mcap or .db3 file.")],
    nodes: Annotated[str, typer.Option(help="Nodes with commas between.")] = "state_estimator,gait_planner,inverse_dynamics",
    expect: Annotated[str, typer.Option(help="'same': exit with 1 unless all is as recorded, bit by bit; 125: not known.")] = "",
    times: Annotated[int, typer.Option(min=1, help="So many replays, which have to agree.")] = 1,
    change: Annotated[list[str] | None, typer.Option("--set", help="Another parameter: NODE.NAME=VALUE. May be repeated.")] = None,
    sweep: Annotated[Path | None, typer.Option(help="YAML with configurations; the bag goes through each of them.")] = None,
    keep: Annotated[Path | None, typer.Option(help="Folder for a bag with the outputs (of a sweep: for all of its results).")] = None,
    topic_map: Annotated[Path | None, typer.Option("--map", help="YAML with the topics of another robot.")] = None,
    start: Annotated[float, typer.Option(help="s from the beginning of the bag; the nodes know nothing of what was before.")] = 0.0,
    stop: Annotated[float | None, typer.Option(help="s from the beginning of the bag.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Feed recorded inputs to the nodes, as fast as it goes, and compare what they say with what they said.

    Nothing of it leaves the process. To watch a bag in RViz or Foxglove, to pause, step and seek: `surefoot launch replay bag:=BAG`.
    """
    if expect not in EXPECTATIONS:
        raise UnknownNameError("expectation", expect, EXPECTATIONS[1:])
    from surefoot.nodes.replay.session import read_changes

    opened, names = open_bag(path, topic_map), [name.strip() for name in nodes.split(",") if name.strip()]
    if not names:
        raise ConfigurationError("--nodes names no node")
    # With --json the standard output belongs to whoever reads it.
    console = roomy_console(stderr=as_json)
    _warn(console, opened.problems)
    options: dict[str, Any] = {"start": start, "stop": stop}
    if sweep is not None:
        _sweep(console, opened, names, sweep, keep or Path("sweep"), options)
        return
    _replay(console, opened, names, times, read_changes(change or ()), keep, options, expect, as_json)


def _replay(
    console: Console,
    opened: Bag,
    names: list[str],
    times: int,
    changes: dict[str, dict[str, Any]],
    keep: Path | None,
    options: dict[str, Any],
    expect: str,
    as_json: bool,
) -> None:
    from surefoot.nodes.replay.kept import KeptOutputs
    from surefoot.nodes.replay.offline import apart, replay

    context, known = apart(), opened.problems
    # The others only have to agree with the first.
    try:
        with nullcontext() if keep is None else KeptOutputs(keep) as sink:
            results = [
                replay(opened, names, changes, context=context, on_output=None if k else sink, check=k == 0, **options)
                for k in range(times)
            ]
    except OtherTypeError as error:
        if expect != "same":
            raise
        _warn(console, [str(error)])
        raise typer.Exit(CANNOT_TELL) from error
    _warn(console, [problem for problem in opened.problems if problem not in known])
    first, hashes = results[0], [result.hash for result in results]
    if as_json:
        topics = [asdict(one) for one in first.verdicts]
        # The first one is held against the recording, too, which takes as long again.
        timed = results[1:] or results
        plain = {
            "identical": first.identical,
            "hashes": hashes,
            "seconds": first.seconds,
            "speed": median(result.speed for result in timed),
            "processor_speed": median(result.seconds / result.processor_seconds for result in timed),
            "topics": topics,
        }
        print(json.dumps(plain, indent=2))
    else:
        console.print(_table(first.verdicts))
        words = f"{first.seconds:.1f} s in {first.wall_seconds:.1f} s, {first.speed:.1f} times real time"
        console.print(f"{words}; outputs {first.hash[:16]}", style="dim", highlight=False)
    if len(set(hashes)) > 1:
        console.print(f"{times} replays gave {len(set(hashes))} different outputs", style="red", highlight=False)
        raise typer.Exit(1)
    if first.without_verdict:
        console.print(f"{first.without_verdict} rehearsals were asked for that the bag has no verdict on", style="yellow", highlight=False)
    _warn(console, [f"not compared: {problem}" for problem in first.not_compared])
    if not first.verdicts and not first.not_compared:
        console.print("the bag has none of the outputs of these nodes: there was nothing to compare with", style="yellow", highlight=False)
    elif not all(one.identical for one in first.verdicts):
        _explain(console, opened)
    if expect == "same" and not first.identical:
        known_to_part = not first.not_compared or not all(one.identical for one in first.verdicts)
        raise typer.Exit(1 if known_to_part else CANNOT_TELL)


def _warn(console: Console, problems: list[str]) -> None:
    for problem in problems:
        console.print(problem, style="yellow", highlight=False)


def _table(verdicts: Any) -> Table:
    table = Table("output", "same", "different", "missing", "added", "first, s", "where they part")
    for verdict in verdicts:
        counts = (str(count) for count in (verdict.same, verdict.different, verdict.missing, verdict.added))
        first = "" if verdict.first is None else f"{verdict.first / SECOND:.6f}"
        parts = "; ".join(f"{part.path}: {part.then} then, {part.now} now" for part in verdict.parts[:2])
        more = f"; {len(verdict.parts) - 2} more" if len(verdict.parts) > 2 else ""
        table.add_row(verdict.topic, *counts, first, parts + more)
    return table


def _explain(console: Console, opened: Bag) -> None:
    """What is another now than when the bag was recorded."""
    from surefoot.nodes.bag_types import robot_of
    from surefoot.nodes.replay.session import recorded_parameters
    from surefoot.recording.provenance import differences

    words = differences(opened.attachments, robot_of(recorded_parameters(opened)))
    console.print("the outputs are not what they were.", style="red", highlight=False)
    console.print(("Since then:" if words else "Nothing that the bag knows of has changed."), highlight=False)
    for word in words:
        console.print(f"  {word}", highlight=False)


def _sweep(console: Console, opened: Bag, names: list[str], file: Path, folder: Path, options: dict[str, Any]) -> None:
    """The bag through each configuration, and each beside the first."""
    from surefoot.cli.bag import comparison_table
    from surefoot.nodes.replay.configuration import changed_files, read_sweep
    from surefoot.nodes.replay.kept import KeptOutputs
    from surefoot.nodes.replay.offline import apart, replay
    from surefoot.recording.compare import compare
    from surefoot.viewer.bag_plot import draw_differences

    configurations, context = read_sweep(file).configurations, apart()
    table = Table("configuration", "speed", "outputs", "as recorded", title=f"{opened.path} through {len(configurations)} configurations")
    for name, configuration in configurations.items():
        with changed_files(configuration.files), KeptOutputs(folder / name) as sink:
            result = replay(opened, names, configuration.parameters, context=context, on_output=sink, **options)
        as_recorded = f"{sum(one.same for one in result.verdicts)} of {sum(one.same + one.different for one in result.verdicts)}"
        table.add_row(name, f"{result.speed:.1f}", result.hash[:16], as_recorded)
    console.print(table)
    first, *others = configurations
    for name in others:
        results = compare(Bag(folder / first), Bag(folder / name))
        console.print(comparison_table(results, f"A: {first}, B: {name}"))
        draw_differences(results, folder / f"{first}_{name}.png")
    console.print(f"outputs and plots: {folder}", style="dim", highlight=False)

# SPDX-License-Identifier: Apache-2.0
"""`surefoot bag …`: record bags, look into them, mend, plot, export and compare them."""

import json
import math
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.recording.compare import FieldDifference, TopicComparison, compare
from surefoot.recording.fields import Value
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.renamed import open_bag
from surefoot.recording.repair import repair
from surefoot.recording.table import export, series
from surefoot.security import enclave_words

bag = typer.Typer(no_args_is_help=True, add_completion=False)

BagPath = Annotated[Path, typer.Argument(help="A bag: a folder of `surefoot bag record` or `ros2 bag`, or one .mcap or .db3 file.")]
Start = Annotated[float, typer.Option(help="s from the beginning of the bag.")]
Stop = Annotated[float | None, typer.Option(help="s from the beginning of the bag; its end if not given.")]
MapPath = Annotated[Path | None, typer.Option("--map", help="YAML with the topics of another robot: ours, and theirs.")]
FIELDS_SHOWN = 5
LONGEST_TEXT = 30


@bag.command()
def record(
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    directory: Annotated[str, typer.Option(help="Where the bag goes, into a folder named after robot and time.")] = "bags",
    name: Annotated[str, typer.Option("--bag", help="The folder of the bag itself, in place of --directory.")] = "",
    lockstep: Annotated[bool, typer.Option(help="Whether the graph runs in lockstep, as simulations do.")] = False,
    split_megabytes: Annotated[float, typer.Option(min=1.0, help="Size at which the next file of the bag begins.")] = 1024.0,
) -> None:
    """Record everything that is said in the running graph, until Ctrl-C.

    Start it before the graph: what was said before cannot be recorded. `surefoot launch … record:=true` sees to that.
    """
    from surefoot.nodes.recorder import main

    values = {"robot": robot, "directory": directory, "lockstep": str(lockstep).lower(), "split_megabytes": split_megabytes}
    words = [word for key, value in values.items() for word in ("-p", f"{key}:={value}")]
    sys.argv = ["recorder", "--ros-args", *enclave_words("recorder"), *words, *(("-p", f"bag:={name}") if name else ())]
    main()


@bag.command()
def info(
    path: BagPath, topic_map: MapPath = None, as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False
) -> None:
    """Say what is in a bag, and what is wrong with it."""
    opened = open_bag(path, topic_map)
    if as_json:
        print(json.dumps(_plain_info(opened), indent=2))
        return
    console = roomy_console()
    title = f"{path}: {opened.storage}, {opened.seconds:.1f} s, {sum(opened.counts.values())} messages"
    table = Table("topic", "type", "messages", "Hz", title=title)
    for name, count in sorted(opened.counts.items()):
        rate = f"{count / opened.seconds:.1f}" if opened.seconds and count else ""
        table.add_row(name, opened.topics[name].type, str(count), rate)
    console.print(table)
    kept = [name for name in opened.attachments if not name.startswith("config/")]
    if kept:
        console.print(f"with it: config/, {', '.join(kept)}", style="dim", highlight=False)
    _warn(console, opened)


@bag.command("repair")
def repair_command(path: BagPath) -> None:
    """Mend a bag whose recorder was killed: nothing that can be read is lost, and every reader opens it afterwards."""
    done, console = repair(path), roomy_console()
    for line in done.mended or (() if done.left else ("nothing is wrong with it",)):
        console.print(line, highlight=False)
    for line in done.left:
        console.print(f"{line}; this cannot be mended", style="yellow", highlight=False)
    console.print(f"{path}: {done.messages} messages", highlight=False)


@bag.command()
def plot(
    path: BagPath,
    fields: Annotated[list[str], typer.Argument(help="Topic and field, such as /imu.angular_velocity.x; a panel for each.")],
    picture: Annotated[Path, typer.Option(help="PNG to draw.")] = Path("bag.png"),
    start: Start = 0.0,
    stop: Stop = None,
    topic_map: MapPath = None,
) -> None:
    """Draw fields over the time of their samples, by which --start and --stop go here, too."""
    from surefoot.viewer.bag_plot import draw_curves

    opened, console = open_bag(path, topic_map), roomy_console()
    draw_curves({field: {"": series(opened, field, start, stop)} for field in fields}, picture, "time from the first sample of the bag, s")
    console.print(f"picture: {picture}", style="dim", highlight=False)
    _warn(console, opened)


@bag.command("export")
def export_command(
    path: BagPath,
    topics: Annotated[str, typer.Option(help="Names with commas between; all if not given.")] = "",
    to: Annotated[Path, typer.Option(help="Folder; it is made.")] = Path("export"),
    form: Annotated[str, typer.Option("--format", help="csv, or parquet where pyarrow is installed.")] = "csv",
    topic_map: MapPath = None,
) -> None:
    """Write topics as tables, one file each, a row for a message and a column for a value."""
    opened, console = open_bag(path, topic_map), roomy_console()
    wanted = _names(topics) or sorted(name for name, count in opened.counts.items() if count)
    for file in export(opened, wanted, to, form):
        console.print(str(file), highlight=False)
    _warn(console, opened)


@bag.command("compare")
def compare_command(
    a: BagPath,
    b: BagPath,
    topics: Annotated[str, typer.Option(help="Names with commas between; all that both have if not given.")] = "",
    tolerance: Annotated[float, typer.Option(min=0.0, help="Differences of numbers up to this are none.")] = 0.0,
    picture: Annotated[Path | None, typer.Option(help="PNG to draw the differences into.")] = None,
    topic_map: MapPath = None,
) -> None:
    """Lay two bags beside each other, sample by sample; the exit code is 1 where they differ. A map is for B."""
    from surefoot.viewer.bag_plot import draw_differences

    console, opened = roomy_console(), (Bag(a), open_bag(b, topic_map))
    results = compare(*opened, _names(topics) or None, tolerance)
    console.print(comparison_table(results, f"{a} and {b}"))
    if picture is not None:
        draw_differences(results, picture)
        console.print(f"picture: {picture}", style="dim", highlight=False)
    for one in opened:
        _warn(console, one)
    if any(result.different for result in results):
        first = results[0]
        console.print(f"they part at {first.first:.6f} s on {first.topic}: {_first_field(first)}", style="red", highlight=False)
        raise typer.Exit(1)
    console.print("every sample that both have is the same", highlight=False)


def comparison_table(results: tuple[TopicComparison, ...], title: str) -> Table:
    """A row for each topic, and under it one for each of the fields that part first."""
    table = Table("topic", "same", "different", "only in A", "only in B", "first, s", "largest difference", title=title)
    for result in results:
        first = f"{result.first:.6f}" if result.fields else ""
        table.add_row(result.topic, *(str(count) for count in (result.same, result.different, result.only_a, result.only_b)), first, "")
        for entry in result.fields[:FIELDS_SHOWN]:
            table.add_row(f"  {entry.path}", "", str(entry.count), "", "", f"{entry.first:.6f}", _size(entry))
        if len(result.fields) > FIELDS_SHOWN:
            table.add_row(f"  and {len(result.fields) - FIELDS_SHOWN} more fields", "", "", "", "", "", "")
    return table


def _size(entry: FieldDifference) -> str:
    """The largest difference; of texts and of what only one side has, what was there at first."""
    return f"{entry.largest:.6g}" if math.isfinite(entry.largest) else escape(" / ".join(map(_short, entry.values)))


def _short(value: Value | None) -> str:
    text = "nothing" if value is None else str(value) or "no text"
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _first_field(result: TopicComparison) -> str:
    entry = result.fields[0]
    return f"{entry.path} is {entry.values[0]} in A and {entry.values[1]} in B"


def _plain_info(opened: Bag) -> dict[str, object]:
    return {
        "storage": opened.storage,
        "files": [str(file) for file in opened.files],
        "start": opened.start / SECOND,
        "seconds": opened.seconds,
        "messages": sum(opened.counts.values()),
        "topics": {name: {"type": topic.type, "messages": opened.counts.get(name, 0)} for name, topic in sorted(opened.topics.items())},
        "attachments": sorted(opened.attachments),
        "problems": opened.problems,
    }


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _warn(console: Console, opened: Bag) -> None:
    for problem in opened.problems:
        console.print(problem, style="yellow", highlight=False)
    if opened.problems and opened.path.is_dir():
        console.print(f"what can be read was read; to mend the bag: surefoot bag repair {opened.path}", style="yellow", highlight=False)

# SPDX-License-Identifier: Apache-2.0
"""`surefoot launch FILE`: what `ros2 launch` does, without a ROS 2 installation."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console as RichConsole
from rich.table import Table

from surefoot.bringup.command import node_process
from surefoot.bringup.console import Console
from surefoot.bringup.description import NodeDescription
from surefoot.bringup.find import find_launch_file, refuse_without_needed
from surefoot.bringup.launcher import Launcher
from surefoot.bringup.parser import parse_launch_file
from surefoot.errors import ConfigurationError
from surefoot.recording.reader import Bag
from surefoot.robot.load import load_robot
from surefoot.teleop.script import find_story, read_story
from surefoot.terrain.world import find_world, read_world


def launch(
    file: Annotated[str, typer.Argument(help="A name out of launch/, such as sim, or a path to a *.launch.xml.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[NAME:=VALUE]...", help="Launch arguments.")] = None,
    show_args: Annotated[bool, typer.Option("--show-args", "-s", help="List the launch arguments and start nothing.")] = False,
) -> None:
    """Start the graph from a ROS 2 XML launch file and stay until Ctrl-C.

    The exit code is 1 when a node failed, and 2 for anything that is named wrongly; then nothing starts.
    """
    path = find_launch_file(file)
    if show_args:
        _show_arguments(path)
        return
    refuse_without_needed(path)
    nodes = parse_launch_file(path, launch_arguments(arguments or [])).nodes
    check_names(nodes)
    processes = [node_process(node) for node in nodes]
    shown = {process.label: process.shown for process in processes}
    console = Console(shown)
    launcher = Launcher(processes, on_line=console.line, on_exit=lambda end: console.end(end, shown[end.label]))
    raise typer.Exit(launcher.run())


def check_names(nodes: Sequence[NodeDescription]) -> None:
    """Read the robots, worlds, stories and bags that nodes are given, so that what cannot be used is refused before anything starts.

    Raises:
        SurefootError: saying which, and what would be right.
    """
    given = {parameter for node in nodes for parameter in node.parameters if not isinstance(parameter, Path)}
    for name, value in given:
        if name == "robot":
            load_robot(str(value))
        elif name == "world":
            read_world(find_world(str(value)))
        elif name == "story" and value:
            read_story(find_story(str(value)))
    _check_bags(nodes)


def _check_bags(nodes: Iterable[NodeDescription]) -> None:
    for node in nodes:
        values = dict(parameter for parameter in node.parameters if not isinstance(parameter, Path))
        if node.executable == "recorder" and (bag := str(values.get("bag", ""))) and Path(bag).expanduser().exists():
            raise ConfigurationError(f"{bag} exists already; a bag is never written over: name another folder, or remove it")
        if node.executable == "replayer":
            if not values.get("bag"):
                raise ConfigurationError("which bag? Give bag:=FOLDER")
            Bag(Path(str(values["bag"])).expanduser())


def launch_arguments(words: list[str]) -> dict[str, str]:
    """NAME:=VALUE words as a mapping. Raises ConfigurationError for anything else."""
    for word in words:
        if ":=" not in word:
            raise ConfigurationError(f"'{word}' is not a launch argument; write NAME:=VALUE")
    return dict(word.split(":=", maxsplit=1) for word in words)


def _show_arguments(path: Path) -> None:
    table = Table("argument", "default", "choices", "meaning")
    for argument in parse_launch_file(path, {}, survey=True).arguments.values():
        default = "(has to be given)" if argument.default is None else argument.default
        table.add_row(argument.name, default, ", ".join(argument.choices), argument.description)
    RichConsole().print(table)

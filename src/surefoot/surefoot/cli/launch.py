# SPDX-License-Identifier: Apache-2.0
"""`surefoot launch FILE`: what `ros2 launch` does, without a ROS 2 installation."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console as RichConsole
from rich.table import Table

from surefoot.bringup.command import node_process
from surefoot.bringup.console import Console
from surefoot.bringup.find import find_launch_file, launch_names, refuse_without_needed
from surefoot.bringup.launcher import Launcher
from surefoot.bringup.parser import parse_launch_file
from surefoot.cli.graph_checks import check_graph
from surefoot.errors import ConfigurationError


def launch(
    file: Annotated[str, typer.Argument(help="A name out of launch/, such as sim, or a path to a *.launch.xml.")] = "",
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[NAME:=VALUE]...", help="Launch arguments.")] = None,
    show_args: Annotated[bool, typer.Option("--show-args", "-s", help="List the launch arguments and start nothing.")] = False,
) -> None:
    """Start the graph from a ROS 2 XML launch file and stay until Ctrl-C.

    The exit code is that of the node that failed, and 2 for anything that is named wrongly; then nothing starts.
    """
    if not file:
        raise ConfigurationError(f"which launch file? Known: {', '.join(launch_names())}. A path to a *.launch.xml works as well.")
    path = find_launch_file(file)
    if show_args:
        _show_arguments(path)
        return
    refuse_without_needed(path)
    nodes = parse_launch_file(path, launch_arguments(arguments or [])).nodes
    processes = [node_process(node) for node in nodes]
    check_graph(nodes)
    shown = {process.label: process.shown for process in processes}
    console = Console(shown)
    launcher = Launcher(processes, on_line=console.line, on_exit=lambda end: console.end(end, shown[end.label]))
    code = launcher.run()
    console.failure(launcher.failure)
    raise typer.Exit(code)


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

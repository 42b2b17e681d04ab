# SPDX-License-Identifier: Apache-2.0
"""`surefoot …`. One line here for each command; the file of a command is imported only when it is called."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer

import surefoot
from surefoot.errors import SurefootError


class Command(NamedTuple):
    """A command: the function module.function, and the line that --help shows."""

    module: str
    function: str
    summary: str
    any_arguments: bool = False


COMMANDS = {
    "demo": Command("surefoot.cli.demo", "demo", "Let a simulated robot play a story, and report whether each step happened."),
    "launch": Command("surefoot.cli.launch", "launch", "Start the graph from a launch file and stay until Ctrl-C."),
    "drive": Command("surefoot.cli.drive", "drive", "Drive the robot from the keyboard of this terminal."),
    "report": Command("surefoot.cli.report", "report", "Write one HTML file of a run or a bag: story, plots, decisions, film."),
    "view": Command("surefoot.cli.view", "view", "Show a robot or a bag in the browser: plans, rehearsals, reasons; drive it."),
    "status": Command("surefoot.cli.status", "status", "Show the mode of the robot, why, and which requests would be accepted."),
    "servos": Command("surefoot.cli.servos", "servos", "Find the servos on a serial line, set their baud rate, calibrate a robot."),
    "test": Command("surefoot.cli.test", "test", "Run ruff, mypy and pytest.", any_arguments=True),
    "install": Command("surefoot.cli.install", "install", "Add an optional part to the environment, such as more robots."),
    "robots": Command("surefoot.cli.robots", "robots", "List the robots."),
    "gaits": Command("surefoot.cli.gaits", "gaits", "List the gaits of a robot: what each really is, and how near its limits."),
    "uncertainty": Command("surefoot.cli.uncertainty", "uncertainty", "Show how much a robot may differ from what is believed of it."),
    "decision": Command("surefoot.cli.decision", "decision", "Look at a decision record, or decide again from it."),
    "bench": Command("surefoot.cli.bench", "bench", "Measure how well the robot walks and how fast the parts are."),
    "controllers": Command("surefoot.cli.controllers", "controllers", "List the controllers, and which of them suits a situation."),
    "preflight": Command("surefoot.cli.preflight", "preflight", "Check a real robot and its computer before it is armed. Nothing moves."),
    "bag": Command("surefoot.cli.bag", "bag", "Record bags, look into them, mend, plot, export and compare them."),
    "replay": Command("surefoot.cli.replay", "replay", "Feed a bag to the nodes again, and compare what they say with what they said."),
    "faults": Command("surefoot.cli.faults", "faults", "Let everything fail between the parts, and see whether the robot stays safe."),
    "reproduce": Command("surefoot.cli.reproduce", "reproduce", "Do experiments of the sources again: their numbers beside ours."),
    "identify": Command("surefoot.cli.identify", "identify", "Find out from a bag: how late sensors are, what motors can."),
    "reference": Command("surefoot.cli.reference", "reference", "Write the reference of all parameters: types, ranges, meanings."),
    "check": Command("surefoot.cli.robots", "check", "Check a robot: its YAML, its URDF, its poses."),
}

USAGE_ERROR = 2


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Returns its exit code; a SurefootError becomes one red paragraph and code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        result = build(words)(words, prog_name="surefoot", standalone_mode=False)
    except SurefootError as error:
        return _complain(str(error))
    except typer.Exit as end:
        return int(end.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        show: Callable[[], None] | None = getattr(error, "show", None)
        if show is None:
            raise
        _show_usage_error(error)
        return USAGE_ERROR
    return result if isinstance(result, int) else 0


def build(words: list[str]) -> Callable[..., Any]:
    """The application: whole for the command that is called, in outline for --help."""
    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich")
    app.callback()(_root)
    called = next((word for word in words if not word.startswith("-")), "")
    for name, command in COMMANDS.items():
        if called in COMMANDS and name != called:
            continue
        settings = {"allow_extra_args": True, "ignore_unknown_options": True} if command.any_arguments else {}
        function = getattr(import_module(command.module), command.function) if name == called else _outline
        if isinstance(function, typer.Typer):
            app.add_typer(function, name=name, help=command.summary)
            continue
        app.command(name, help=command.summary if function is _outline else None, context_settings=settings)(function)
    return typer.main.get_command(app)


def _outline() -> None:
    """Stands for a command that is only listed."""


def _version(wanted: bool) -> None:
    if wanted:
        print(surefoot.__version__)
        raise typer.Exit


def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """A ROS 2 control stack for quadruped robots that rehearses each gait change before it takes it."""


def _complain(message: str) -> int:
    from rich.console import Console  # only needed when something is wrong
    from rich.text import Text

    Console(stderr=True).print(Text(message, style="red"))
    return USAGE_ERROR


def _show_usage_error(error: Exception) -> None:
    from typer import rich_utils

    rich_utils.rich_format_error(error)  # type: ignore[arg-type]

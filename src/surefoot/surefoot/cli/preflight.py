# SPDX-License-Identifier: Apache-2.0
"""`surefoot preflight`: what a careful person looks at before a robot is armed."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.errors import ConfigurationError
from surefoot.estimation.settings import EstimatorSettings
from surefoot.evaluation.preflight.bus import bus as check_bus
from surefoot.evaluation.preflight.checklist import Check, Outcome, may_walk
from surefoot.evaluation.preflight.machine import clock, disk, real_time
from surefoot.evaluation.preflight.sensors import sensors
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.settings import read_settings

STYLES = {Outcome.GOOD: "green", Outcome.WARNING: "yellow", Outcome.BAD: "bold red", Outcome.UNKNOWN: "dim"}
TOPIC = "topic"
LOOKED_AT = "hyq"
"""The robot where nothing but topics or a bag is read."""


def preflight(
    robot: Annotated[
        str, typer.Option(help="A name in config/robots, or a path to a robot.yaml. Has to be given where servos lose their torque.")
    ] = "",
    bus: Annotated[str, typer.Option(help="'topic': a driver of its own, which has to run; else a bus that nobody else uses.")] = TOPIC,
    bus_file: Annotated[str, typer.Option(help="A name in config/buses, or a path.")] = "",
    seconds: Annotated[float, typer.Option(min=1.0, help="For which the robot is watched, s; it has to lie still.")] = 5.0,
    bag: Annotated[Path | None, typer.Option(help="Look at the beginning of a bag in place of a robot.")] = None,
    bag_directory: Annotated[Path, typer.Option(help="Where bags will go.")] = Path("bags"),
    lying: Annotated[bool, typer.Option("--lying", help="The robot lies or hangs: do not ask.")] = False,
) -> None:
    """Check buses, rates, clocks, IMU, joints, battery, disk and the computer. Nothing is moved (servos on a line
    lose their torque, and their settings are made those of the bus file); the exit code is 1 if anything is bad."""
    of_bus = bus != TOPIC and bag is None
    if not robot and of_bus:
        raise ConfigurationError(f"which robot? On the bus '{bus}' servos may lose their torque: name their robot, --robot NAME")
    robot = robot or LOOKED_AT
    model, console = load_robot(robot), roomy_console()
    if of_bus and not lying:
        _ask_whether_it_lies(robot, model, bus, bus_file)
    checks = list(_of_bus(model, bus, bus_file, seconds) if of_bus else _of_topics(model, seconds, bag))
    checks += [disk(bag_directory), clock(), *real_time()]
    table = Table("check", "", "found", "what to do", title=f"{robot}, lying still")
    for one in checks:
        table.add_row(one.name, f"[{STYLES[one.outcome]}]{one.outcome}[/]", one.found, one.advice)
    console.print(table)
    if not may_walk(checks):
        console.print("do not arm it", style="bold red")
        raise typer.Exit(1)
    told = f"robot:={robot}" + (f" bus:={bus}" if bus != TOPIC else "") + (f" bus_file:={bus_file}" if bus_file else "")
    console.print(f"nothing speaks against arming it: surefoot launch robot {told}", style="green", highlight=False)


def _ask_whether_it_lies(robot: str, model: RobotModel, bus: str, bus_file: str) -> None:
    """Whatever can be wrong without touching a servo is said first; whoever leans on the return key has not agreed that a robot falls."""
    from surefoot.servos.buses import check_bus

    check_bus(bus, model, bus_file)
    words = f"The servos of '{robot}' may lose their torque now, and a robot that stands falls. Does it lie, or hang?"
    typer.confirm(words, default=None, abort=True)


def _of_topics(model: RobotModel, seconds: float, bag: Path | None) -> tuple[Check, ...]:
    settings = read_settings(EstimatorSettings, shared_directory() / "config" / "estimator.yaml").start
    if bag is not None:
        from surefoot.recording.reader import Bag

        opened = Bag(bag)
        return sensors(opened.messages(stop=seconds), opened.topics, model, settings)
    from surefoot.nodes.listen import listen

    messages, topics = listen(seconds, "preflight")
    return sensors(messages, topics, model, settings)


def _of_bus(model: RobotModel, name: str, file: str, seconds: float) -> tuple[Check, ...]:
    from surefoot.servos.buses import devices_of, open_bus
    from surefoot.servos.lock import BridgeLock

    with ExitStack() as locks:
        for device in devices_of(name, file):
            locks.callback(BridgeLock(device).release)
        servos = open_bus(name, model, file, time.time)
        try:
            return check_bus(servos, model, seconds)
        finally:
            servos.close()

# SPDX-License-Identifier: Apache-2.0
"""`surefoot servos …`: the servos on a serial line."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from surefoot.errors import SurefootError, UnknownNameError

if TYPE_CHECKING:
    from surefoot.servos.dynamixel.setup import Found

servos = typer.Typer(no_args_is_help=True, add_completion=False)

Port = Annotated[str, typer.Argument(help="A serial port, such as /dev/ttyUSB0.")]
USUAL = [57600, 1000000]
"""Baud rates that servos leave their makers with, and the one that is set first."""


@servos.command()
def find(
    port: Port,
    baud_rate: Annotated[list[int] | None, typer.Option(help="To ask at; 57600 and 1000000 if none.")] = None,
    most: Annotated[int, typer.Option(min=0, max=252, help="Largest identity to ask for.")] = 30,
    reply_time: Annotated[float, typer.Option(min=0.001, max=0.5, help="Waited for each answer, s.")] = 0.005,
) -> None:
    """Ask for every identity at every rate in both protocols, and show who answers."""
    from surefoot.servos.dynamixel.settings import device_of
    from surefoot.servos.dynamixel.setup import find_servos
    from surefoot.servos.lock import BridgeLock

    with BridgeLock(device_of(port)):
        found = find_servos(port, baud_rate or USUAL, range(most + 1), reply_time)
    table = Table("id", "protocol", "baud rate", "model", title=port)
    for one in found:
        table.add_row(str(one.identity), str(one.protocol), str(one.baud_rate), one.model or f"unknown ({one.number})")
    Console().print(table)
    if not found:
        raise SurefootError(f"nobody answers on {port}; look at power, cable and baud rate, and set the adapter's latency timer to 1 ms")


@servos.command()
def reboot(
    port: Port,
    identity: Annotated[int, typer.Argument(help="Of the servo.")],
    now: Annotated[list[int] | None, typer.Option(help="Rates to look for it at; 57600 and 1000000 if none.")] = None,
) -> None:
    """Restart one servo after an overload or another hardware error, once its cause is gone. It loses its torque: hold the robot."""
    from surefoot.servos.dynamixel.settings import device_of
    from surefoot.servos.dynamixel.setup import restart
    from surefoot.servos.lock import BridgeLock

    with BridgeLock(device_of(port)):
        restart(port, _found(port, identity, now or USUAL))
    print(f"servo {identity} has restarted")


@servos.command("set-baud-rate")
def set_rate(
    port: Port,
    identity: Annotated[int, typer.Argument(help="Of the servo.")],
    baud_rate: Annotated[int, typer.Argument(help="To set.")],
    table: Annotated[str, typer.Option(help="Its control table, a file in config/servos.")] = "dynamixel_x",
    now: Annotated[list[int] | None, typer.Option(help="Rates to look for it at; 57600 and 1000000 if none.")] = None,
) -> None:
    """Give one servo another baud rate."""
    from surefoot.servos.dynamixel.settings import device_of
    from surefoot.servos.dynamixel.setup import set_baud_rate
    from surefoot.servos.lock import BridgeLock

    with BridgeLock(device_of(port)):
        set_baud_rate(port, _found(port, identity, now or USUAL), table, baud_rate)
    print(f"servo {identity} answers at {baud_rate} baud")


@servos.command()
def calibrate(
    bus_file: Annotated[str, typer.Argument(help="A name in config/buses, or a path: line, identities, tables and gears.")],
    robot: Annotated[str, typer.Option(help="The robot on that bus: a name in config/robots, or a path to a robot.yaml.")],
    pose: Annotated[str, typer.Option(help="That the robot is brought into by hand: lie, stand or zero.")] = "lie",
    output: Annotated[Path | None, typer.Option(help="To write; your bus file itself if none. What was there is kept beside it.")] = None,
) -> None:
    """Find sign and offset of every Dynamixel servo, step by step. The servos lose their torque: hold the robot."""
    from surefoot.robot.load import load_robot
    from surefoot.servos.buses import find_bus_file
    from surefoot.servos.dynamixel.bus_file import target_of, write_calibrated
    from surefoot.servos.dynamixel.calibration import Calibration, check, guide, poses_of
    from surefoot.servos.dynamixel.settings import DynamixelSettings
    from surefoot.servos.lock import BridgeLock
    from surefoot.settings import read_settings

    model, file = load_robot(robot), find_bus_file(bus_file)
    settings, poses = read_settings(DynamixelSettings, file), poses_of(model)
    if pose not in poses:
        raise UnknownNameError("pose", pose, poses)
    target = target_of(file, output)
    console = Console()

    def say(words: str) -> None:
        console.print(words, highlight=False, markup=False)

    def ask(words: str) -> None:
        typer.confirm(words + " Done?", default=True, abort=True)

    # Whatever can be wrong is looked at before a person is asked to hold a robot, and the lock keeps it so.
    with BridgeLock(settings.device):
        check(model, settings)
        # Whoever leans on the return key has not agreed that a robot falls.
        words = f"The servos of '{robot}' on {settings.port} lose their torque now, and the robot sinks: hold it. Do you hold it?"
        typer.confirm(words, default=None, abort=True)
        calibration = Calibration(model, settings)
        try:
            found = guide(model, calibration.read, poses[pose], pose, say, ask)
        finally:
            calibration.close()
    kept = write_calibrated(file, target, found, model)
    say(
        f"written: {target}{f'; the old one is {kept}' if kept else ''}. Look at it with: "
        f"surefoot preflight --robot {robot} --bus dynamixel --bus-file {target}"
    )


def _found(port: str, identity: int, rates: list[int]) -> "Found":
    """The servo of that identity, at whichever of the rates it answers."""
    from surefoot.servos.dynamixel.setup import find_servos

    found = find_servos(port, rates, (identity,))
    if not found:
        raise SurefootError(f"servo {identity} does not answer on {port} at {rates}; look for it with: surefoot servos find {port}")
    return found[0]

# SPDX-License-Identifier: Apache-2.0
"""`surefoot servos …`: the servos on a serial line."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from surefoot.errors import SurefootError

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
    from surefoot.servos.dynamixel.setup import find_servos

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
    from surefoot.servos.dynamixel.setup import find_servos, restart

    found = find_servos(port, now or USUAL, (identity,))
    if not found:
        raise SurefootError(f"servo {identity} does not answer on {port} at {now or USUAL}; look for it with: surefoot servos find {port}")
    restart(port, found[0])
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
    from surefoot.servos.dynamixel.setup import find_servos, set_baud_rate

    found = find_servos(port, now or USUAL, (identity,))
    if not found:
        raise SurefootError(f"servo {identity} does not answer on {port} at {now or USUAL}; look for it with: surefoot servos find {port}")
    set_baud_rate(port, found[0], table, baud_rate)
    print(f"servo {identity} answers at {baud_rate} baud")

# SPDX-License-Identifier: Apache-2.0
"""`surefoot identify …`: find out about a robot from what it did."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from surefoot.estimation.delay_identification import Delay, identify_delays
from surefoot.recording.sensor_arrays import read_sensors
from surefoot.robot.load import load_robot

identify = typer.Typer(no_args_is_help=True, add_completion=False)


@identify.callback()
def _identify() -> None:
    """Find out about a robot from what it did."""


@identify.command()
def delay(
    path: Annotated[Path, typer.Argument(metavar="BAG", help="A bag of the robot while it walked: a folder, or one .mcap or .db3 file.")],
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """How much later than the IMU each sensor stamps what it saw."""
    model = load_robot(robot)
    found = identify_delays(model, read_sensors(path, model.description), model.description.control.foot_force_threshold)
    if as_json:
        print(json.dumps({name: asdict(one) if isinstance(one, Delay) else {"unknown": one} for name, one in found.items()}, indent=2))
        return
    table = Table("sensor", "later than the IMU, ms", "agreement", "seen in", title=str(path))
    for name, one in found.items():
        if isinstance(one, Delay):
            table.add_row(name, f"{1e3 * one.seconds:.1f} ± {1e3 * one.standard_deviation:.1f}", f"{one.agreement:.2f}", one.seen_in)
        else:
            table.add_row(name, "unknown", "", one)
    Console().print(table)

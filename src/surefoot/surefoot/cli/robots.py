# SPDX-License-Identifier: Apache-2.0
"""`surefoot robots`: the robots that there are. `surefoot check ROBOT`: what the checks say about one."""

from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from surefoot.errors import ConfigurationError
from surefoot.gait.of_robot import gaits_of
from surefoot.robot.description import JOINTS_PER_LEG, LEG_NAMES
from surefoot.robot.load import load_robot
from surefoot.robot.locate import find_robot, robot_names
from surefoot.robot.model import RobotModel
from surefoot.robot.model_checks import static_stand_torque


def robots() -> None:
    """List the robots: mass, joints, height, and where each comes from."""
    table = Table("robot", "mass kg", "joints", "stands m", "URDF", title="Robots")
    for name in robot_names():
        try:
            model = load_robot(name)
        except ConfigurationError as error:
            table.add_row(name, "-", "-", "-", escape(str(error)))
            continue
        stands = f"{model.description.stand_height:.3f}"
        table.add_row(name, f"{model.total_mass:.2f}", str(len(model.joint_names)), stands, escape(model.description.urdf))
    console = Console()
    console.print(table)
    console.print("A robot of your own: --robot path/to/robot.yaml")


def check(robot: Annotated[str, typer.Argument(help="A name that `surefoot robots` lists, or a path to a robot.yaml.")]) -> None:
    """Check a robot: its YAML, its URDF, its poses, its gaits. Raises ConfigurationError, which names what is wrong."""
    model = load_robot(robot)
    gaits_of(model)
    console = Console()
    console.print(f"[bold]{escape(model.description.name)}[/bold] from {escape(str(find_robot(robot)))}: {model.total_mass:.3f} kg")
    console.print(_joint_table(model))
    for warning in model.warnings:
        console.print(f"[yellow]warning[/yellow] {escape(warning)}")
    console.print(f"[green]can be used[/green], {len(model.warnings)} warning{'' if len(model.warnings) == 1 else 's'}")


def _joint_table(model: RobotModel) -> Table:
    table = Table("leg", "joint", "stand rad", "limits rad", "rad/s", "N m", "N m to stand")
    torque = np.abs(static_stand_torque(model))
    for index, name in enumerate(model.joint_names):
        table.add_row(
            LEG_NAMES[index // JOINTS_PER_LEG],
            escape(name),
            f"{model.stand_joint_position[index]:.3f}",
            f"{model.position_lower[index]:.3f} to {model.position_upper[index]:.3f}",
            f"{model.velocity_limit[index]:.3g}",
            f"{model.effort_limit[index]:.3g}",
            f"{torque[index]:.3g}",
        )
    return table

# SPDX-License-Identifier: Apache-2.0
"""`surefoot gaits`: what the gaits of a robot really are."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.errors import ConfigurationError
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.report import GaitError
from surefoot.gait.validator import check_gait
from surefoot.robot.load import load_robot

SHOWN = "trot"
"""The gait whose parameters the pictures change."""


def gaits(
    file: Annotated[str, typer.Argument(hidden=True)] = "",
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    pictures: Annotated[Path | None, typer.Option(help="Folder for pictures of the gaits, and of what each parameter does.")] = None,
) -> None:
    """List the gaits of a robot as the validator sees them: what each really is, and how near its limits the robot would be."""
    if file:
        raise ConfigurationError(f"gaits are those of a robot, which is an option: surefoot gaits --robot {file}")
    model = load_robot(robot)
    library, settings = gaits_of(model), planner_settings()
    table = Table("gait", "is a", "feet down, least", "in flight", "m/s, most", "reach", "joint speed", title=model.description.name)
    said = []
    for name in library.names:
        gait = library[name]
        try:
            report = check_gait(gait, model, planner=settings)
        except GaitError as error:
            report = check_gait(gait, planner=settings)
            said.append(str(error))
        shares = ("refused" if share is None else f"{share:.0%}" for share in (report.reach_share, report.joint_speed_share))
        flight = f"{report.flight_fraction:.0%}"
        table.add_row(name, report.pattern, str(report.minimum_stance_feet), flight, f"{gait.max_forward_speed:.2g}", *shares)
        said += report.warnings
    console = roomy_console()
    console.print(table)
    for line in said:
        console.print(line, highlight=False)
    if pictures is not None:
        from surefoot.viewer.gait_pictures import draw_gait_parameters
        from surefoot.viewer.gait_timetable import draw_timetables

        draw_gait_parameters(library[SHOWN], pictures)
        draw_timetables({name: library[name] for name in library.names if library[name].moves}, pictures / "patterns.png")
        console.print(f"pictures: {pictures}", style="dim", highlight=False)

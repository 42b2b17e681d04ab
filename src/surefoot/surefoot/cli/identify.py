# SPDX-License-Identifier: Apache-2.0
"""`surefoot identify …`: find out about a robot from what it did."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from surefoot.errors import UnknownNameError
from surefoot.estimation.delay_identification import Delay, identify_delays
from surefoot.recording.sensor_arrays import read_sensors
from surefoot.robot.load import load_robot

if TYPE_CHECKING:
    from surefoot.servos.motors.envelope import Envelope
    from surefoot.servos.motors.friction import Friction
    from surefoot.servos.motors.identify import MotorFit
    from surefoot.servos.motors.play import Play
    from surefoot.servos.motors.report import MotorReport

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


@identify.command()
def motor(
    path: Annotated[Path, typer.Argument(metavar="BAG", help="A bag in which joints were moved: a folder, or one .mcap or .db3 file.")],
    joint: Annotated[list[str] | None, typer.Option(help="Only these joints; all if none.")] = None,
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Servo law, play, torque-speed diamond and friction of each joint, from what it was told and what it did.

    Record steps and sweeps of one joint after the other, with the legs in the air (docs/on_your_robot.md).
    """
    from surefoot.recording.joint_arrays import read_joints
    from surefoot.servos.motors.report import report_motor

    names = load_robot(robot).description.joint_names
    for name in joint or ():
        if name not in names:
            raise UnknownNameError("joint", name, names)
    seen = read_joints(path, load_robot(robot).description)
    found = {
        name: report_motor(
            seen.time,
            *(values[:, place] for values in (seen.target, seen.asked, seen.stiffness, seen.position, seen.velocity, seen.effort)),
        )
        for place, name in enumerate(names)
        if not joint or name in joint
    }
    if as_json:
        print(json.dumps({name: _plain(report) for name, report in found.items()}, indent=2))
        return
    console = Console()
    table = Table("joint", "stiffness 1/s²", "damping 1/s", "speed rad/s", "acceleration rad/s²", "miss rad", title=f"servo law, {path}")
    gear = Table("joint", "play rad", "miss rad", "changes of side", "efficiency there and back", title="gear")
    other = Table("joint", "stall torque N m", "miss N m", "no-load speed rad/s", "inertia kg m²", "friction N m s/rad", "dry friction N m")
    for name, report in found.items():
        table.add_row(name, *_law_words(report.law))
        gear.add_row(name, *_play_words(report.play), _loss_words(report.friction))
        other.add_row(name, *_envelope_words(report.envelope), *_friction_words(report.friction))
    console.print(table)
    console.print(gear)
    console.print(other)
    for name, report in found.items():
        for part in (report.law, report.play, report.envelope, report.friction):
            if isinstance(part, str):
                console.print(f"{name}: {part}", style="dim", highlight=False)


def _law_words(law: "MotorFit | str") -> tuple[str, ...]:
    if isinstance(law, str):
        return ("unknown", "", "", "", "")
    numbers, beyond = law.law, ("" if law.velocity_seen else "over ", "" if law.acceleration_seen else "over ")
    limits = (f"{beyond[0]}{numbers.velocity_limit:.2f}", f"{beyond[1]}{numbers.acceleration_limit:.0f}")
    return (f"{numbers.stiffness:.0f}", f"{numbers.damping:.1f}", *limits, f"{law.error:.5f}")


def _play_words(play: "Play | str") -> tuple[str, str, str]:
    if isinstance(play, str):
        return "unknown", "", ""
    return f"{play.width:.5f} ± {play.standard_deviation:.1g}", f"{play.error:.5f}", str(play.changes)


def _envelope_words(envelope: "Envelope | str") -> tuple[str, str, str]:
    if isinstance(envelope, str):
        return "unknown", "", ""
    speed = envelope.motor.no_load_speed
    return f"{envelope.motor.stall_torque:.2f}", f"{envelope.error:.2f}", f"{speed:.2f}" if speed == speed else "unknown"


def _friction_words(friction: "Friction | str") -> tuple[str, str, str]:
    if isinstance(friction, str):
        return "unknown", "", ""
    values = (friction.inertia, friction.viscous, friction.dry)
    first, second, third = (f"{value:.4g} ± {spread:.1g}" for value, spread in zip(values, friction.standard_deviation[:3], strict=True))
    return first, second, third


def _loss_words(friction: "Friction | str") -> str:
    if isinstance(friction, str) or friction.round_trip != friction.round_trip:
        return "unknown"
    return f"{friction.round_trip:.3f} ± {friction.standard_deviation[3]:.1g}"


def _plain(report: "MotorReport") -> dict[str, object]:
    parts = {"law": report.law, "play": report.play, "envelope": report.envelope, "friction": report.friction}
    return {name: {"unknown": part} if isinstance(part, str) else asdict(part) for name, part in parts.items()}

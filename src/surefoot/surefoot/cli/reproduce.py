# SPDX-License-Identifier: Apache-2.0
"""`surefoot reproduce …`: the experiments of the sources in our own simulation, their numbers beside ours."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from surefoot.cli.consoles import roomy_console
from surefoot.errors import UnknownNameError

if TYPE_CHECKING:
    from surefoot.evaluation.reproduce.idyn import Order, Reproduction
    from surefoot.evaluation.reproduce.trial import Measured

reproduce = typer.Typer(no_args_is_help=True, add_completion=False)

ENGINES = ("mujoco", "dart")
SURFACES = ("rigid", "matched", "mujoco", "compliant", "rough")


@reproduce.callback()
def _root() -> None:
    """The experiments of the sources in our own simulation."""


@reproduce.command()
def idyn(
    seconds: Annotated[float, typer.Option(min=0.1, help="Of each trial, s.")] = 30.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the rough ground.")] = 0,
    controller: Annotated[list[str] | None, typer.Option(help="Only these; all if none.")] = None,
    surface: Annotated[list[str] | None, typer.Option(help=f"Only these of {', '.join(SURFACES)}; all if none.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Trials at once.")] = 2,
    report: Annotated[Path | None, typer.Option(help="Folder for idyn.json, .png and .html.")] = None,
) -> None:
    """Inverse dynamics with contact: tracking, smoothness and predicted forces of seven controllers on nine grounds. About an hour."""
    from surefoot.evaluation.reproduce.contenders import CONTENDERS, NO_SLIP_PEER
    from surefoot.evaluation.reproduce.idyn import orders, reproduce_idyn

    names = tuple(contender.name for contender in (*CONTENDERS, NO_SLIP_PEER))
    wanted, surfaces = controller or names, surface or SURFACES
    for kind, given, known in (("controller of the comparison", wanted, names), ("surface", surfaces, SURFACES)):
        for name in given:
            if name not in known:
                raise UnknownNameError(kind, name, known)
    trials, said = orders(seconds, seed, wanted, surfaces), [0]
    said_to = Console(stderr=True)

    def progress(order: "Order", trial: "Measured") -> None:
        said[0] += 1
        end = f"fell at {trial.seconds:.1f} s" if trial.fell else f"{trial.position_error:.4f} rad"
        said_to.print(f"{said[0]} of {len(trials)}: {order.task}, {order.ground}, {order.contender}: {end}", style="dim", highlight=False)

    result = reproduce_idyn(trials, processes, progress)
    machine = result.machine
    tables, note = tuple(_tables(result)), f"seed {seed}, {seconds:g} s a trial; {machine.processor}, {machine.cores} cores"
    if report is not None:
        from surefoot.viewer.reproduction_plot import draw_reproduction

        plain = {"seconds": seconds, "seed": seed, **asdict(result)}
        _write(plain, report, "idyn", lambda path: draw_reproduction(result, path), tables, note)
    output = roomy_console()
    for table in tables:
        output.print(table)
    output.print(note, style="dim", highlight=False)


@reproduce.command()
def trust(
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
    requests: Annotated[int, typer.Option(min=1, help="Gait changes that are asked for.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Of the requests, the clouds and the hidden robots.")] = 0,
    truth_spread: Annotated[float, typer.Option(min=0.0, help="Spread of the hidden robots, in that of the cloud.")] = 1.0,
    engine: Annotated[str, typer.Option(help=f"Of the hidden robots' world: {', '.join(ENGINES)}; dart needs `install dart`.")] = "mujoco",
    processes: Annotated[int, typer.Option(min=1, help="Requests at once.")] = 2,
    journal: Annotated[Path | None, typer.Option(help="File that keeps what was answered; a run that was stopped goes on from it.")] = None,
    report: Annotated[Path | None, typer.Option(help="Folder for trust.json, .png and .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Falls with the verdict obeyed and with every request obeyed at once, on robots that nobody has seen. About half an hour."""
    from surefoot.cli.reproduce_trust import trust_as_json, trust_tables
    from surefoot.evaluation.reproduce.requests import Answered
    from surefoot.evaluation.reproduce.trust import Engine, reproduce_trust
    from surefoot.viewer.trust_plot import draw_trust

    if engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    said = [0]

    def progress(answered: Answered) -> None:
        said[0] += 1
        request, word = answered.request, "accepted" if answered.accepted else "vetoed"
        ends = f"{'falls' if answered.fell_unfiltered else 'holds'} at once, {'falls' if answered.fell_obeyed else 'holds'} obeyed"
        _say(f"{said[0]} of {requests}: {request.scenario}, {request.gait_from} to {request.gait_to}: {word}; {ends}")

    result = reproduce_trust(robot, requests, seed, truth_spread, Engine(engine), processes, progress, journal)
    tables = tuple(trust_tables(result))
    _write(trust_as_json(result), report, "trust", lambda path: draw_trust(result, path), tables)
    _tell(trust_as_json(result), tables, as_json)


@reproduce.command()
def transition(
    particles: Annotated[int, typer.Option(min=1, help="Traces of each transition point.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Of the sensors and of the clouds.")] = 0,
    processes: Annotated[int, typer.Option(min=1, help="Transition points at once.")] = 2,
    report: Annotated[Path | None, typer.Option(help="Folder for transition.json, .png and .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """When to change from walk to trot: four transition points on winding and straight paths, and their mirror images. A few minutes."""
    from surefoot.cli.reproduce_transition import transition_as_json, transition_tables
    from surefoot.evaluation.reproduce.transition import reproduce_transition

    result = reproduce_transition(
        particles, seed, processes, progress=lambda one: _say(f"{one.path}, at {one.point:.0%}: {one.survived} stay up")
    )
    tables = tuple(transition_tables(result))
    _write(transition_as_json(result), report, "transition", lambda path: _draw().draw_transition(result, path), tables)
    _tell(transition_as_json(result), tables, as_json)


@reproduce.command()
def gait_period(
    particles: Annotated[int, typer.Option(min=1, help="Traces of each period.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Of the sensors and of the cloud.")] = 0,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of each trace, s.")] = 20.0,
    speed: Annotated[list[float] | None, typer.Option(help="Commanded forward, m/s; 0.2 as in the source and 0.1 if none.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Periods at once.")] = 2,
    report: Annotated[Path | None, typer.Option(help="Folder for gait_period.json, .png and .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """How long a cycle the walk bears before it falls: periods from 0.6 to 1.5 s. A few minutes."""
    from surefoot.cli.reproduce_gait_period import gait_period_as_json, gait_period_tables
    from surefoot.evaluation.reproduce.gait_period import SPEEDS, reproduce_gait_period

    result = reproduce_gait_period(
        particles, seed, seconds, tuple(speed or SPEEDS), processes,
        lambda one: _say(f"{one.speed:g} m/s, {one.period:g} s: {one.fell} fall"),
    )  # fmt: skip
    tables = tuple(gait_period_tables(result))
    _write(gait_period_as_json(result), report, "gait_period", lambda path: _draw().draw_gait_period(result, path), tables)
    _tell(gait_period_as_json(result), tables, as_json)


@reproduce.command()
def curb(
    particles: Annotated[int, typer.Option(min=1, help="Traces of each step height.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the sensors and of the cloud.")] = 0,
    distance: Annotated[float, typer.Option(min=0.0, help="From the foremost foot to the curb at the start, m.")] = 0.02,
    width: Annotated[float, typer.Option(min=0.001, help="Of the curb along the way, m.")] = 0.02,
    processes: Annotated[int, typer.Option(min=1, help="Step heights at once.")] = 2,
    report: Annotated[Path | None, typer.Option(help="Folder for curb.json, .png and .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """How high to step over a curb of 3 cm: step heights from 1 to 4 cm. A minute."""
    from surefoot.cli.reproduce_curb import curb_as_json, curb_tables
    from surefoot.evaluation.reproduce.curb import reproduce_curb

    result = reproduce_curb(
        particles, seed, distance, width, processes,
        lambda one: _say(f"{one.gait}, {100.0 * one.step_height:g} cm: {one.struck} strike, {one.cleared} clear"),
    )  # fmt: skip
    tables = tuple(curb_tables(result))
    _write(curb_as_json(result), report, "curb", lambda path: _draw().draw_curb(result, path), tables)
    _tell(curb_as_json(result), tables, as_json)


def _draw() -> ModuleType:
    from surefoot.viewer import falsification_plot

    return falsification_plot


def _say(words: str) -> None:
    Console(stderr=True).print(words, style="dim", highlight=False)


def _write(
    plain: dict[str, Any], report: Path | None, name: str, draw: Callable[[Path], None], tables: Iterable[Table], note: str = ""
) -> None:
    """The numbers, the picture and the page of an experiment, if a folder is named for them."""
    if report is None:
        return
    from surefoot.viewer.result_report import write_result

    report.mkdir(parents=True, exist_ok=True)
    (report / f"{name}.json").write_text(json.dumps(_finite(plain), indent=1, allow_nan=False))
    draw(report / f"{name}.png")
    write_result(report / f"{name}.html", f"reproduce {name.replace('_', '-')}", tables, (report / f"{name}.png",), (note,))


def _tell(plain: dict[str, Any], tables: Iterable[Table], as_json: bool) -> None:
    if as_json:
        print(json.dumps(_finite(plain), indent=2, allow_nan=False))
        return
    output = roomy_console()
    for table in tables:
        output.print(table)


def _finite(value: Any) -> Any:
    """The same with None for numbers that are not finite, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tables(result: "Reproduction") -> Iterable[Table]:
    from surefoot.evaluation.reproduce.paper import PREDICTION, SMOOTHNESS, TRACKING

    yield _by_ground(
        result, "Table 3: mean joint error, rad and rad/s; ours (theirs)",
        lambda trial: f"{trial.position_error:.4f} {trial.velocity_error:.2f}",
        lambda ground, name: _printed(TRACKING.get(ground, {}), name, lambda row: f"{row[0]:.4f} {row[1]:.2f}"),
    )  # fmt: skip
    yield _by_ground(
        result, "Table 4: mean |torque rate| N m/s and |torque| N m; ours (theirs, without a ground)",
        lambda trial: f"{trial.torque_rate:.1f} {trial.torque:.3f}",
        lambda ground, name: f" ({SMOOTHNESS[name][0]:.0f} {SMOOTHNESS[name][1]:.3f})" if name in SMOOTHNESS else "",
    )  # fmt: skip
    yield _by_ground(
        result, "Table 5: error of the summed normal forces, N and relative; ours (theirs)", _force_error,
        lambda ground, name: _printed(PREDICTION.get(ground, {}), name, lambda row: f"{row[0]:.2f} {row[1]:.1%}"),
    )  # fmt: skip
    title = "Fig. 17: mean distance of the centre of mass from the straight lines between waypoints, mm"
    yield _by_ground(result, title, lambda trial: f"{1e3 * trial.off_the_lines:.1f}", lambda ground, name: "")
    if result.large:
        table = Table("task", "ground", "controller", "joint error rad", "rad/s", title="HyQ on slippery and on firm ground")
        for trial in result.large:
            end = f" fell at {trial.seconds:.1f} s" if trial.fell else ""
            table.add_row(trial.task, trial.ground, trial.contender, f"{trial.position_error:.4f}{end}", f"{trial.velocity_error:.3f}")
        yield table
    table = Table("what the source finds", "theirs", "ours", "reproduced", title="Findings")
    for finding in (finding for finding in result.findings if finding.reproduced is not None):
        word = "yes" if finding.reproduced else "[red]NO[/red]"
        table.add_row(finding.statement, finding.theirs, finding.ours, word)
    yield table


def _by_ground(
    result: "Reproduction", title: str, ours: Callable[["Measured"], str], theirs: Callable[[str, str], str]
) -> Table:  # fmt: skip
    from surefoot.evaluation.reproduce.contenders import CONTENDERS

    theirs_of = {contender.name: f"{contender.name}, {contender.paper}" for contender in CONTENDERS}
    grounds = list(dict.fromkeys(trial.ground for trial in result.small))
    table = Table("controller", *grounds, title=title)
    for name in dict.fromkeys(trial.contender for trial in result.small):
        row = {trial.ground: trial for trial in result.small if trial.contender == name}
        cells = []
        for ground in grounds:
            trial = row.get(ground)
            mine = "" if trial is None else f"fell {trial.seconds:.1f} s" if trial.fell else ours(trial)
            cells.append(mine + theirs(ground, name))
        table.add_row(theirs_of.get(name, name), *cells)
    return table


def _force_error(trial: "Measured") -> str:
    if math.isnan(trial.force_error):
        return "-"
    return f"{trial.force_error:.2f} {trial.relative_force_error:.1%} median {trial.median_relative_force_error:.1%}"


def _printed(rows: dict[str, tuple[float, float] | None], name: str, form: Callable[[tuple[float, float]], str]) -> str:
    if name not in rows:
        return ""
    row = rows[name]
    return " (fell)" if row is None else f" ({form(row)})"

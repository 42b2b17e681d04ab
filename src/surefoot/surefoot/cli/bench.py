# SPDX-License-Identifier: Apache-2.0
"""`surefoot bench …`: measurements. A time is only worth something beside the peer that was measured in the same run."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from surefoot.errors import UnknownNameError
from surefoot.evaluation.bench.sample import Machine, Times
from surefoot.settings import key_values

bench = typer.Typer(no_args_is_help=True, add_completion=False)

Robot = Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]


@bench.callback()
def _root(
    context: typer.Context, html: Annotated[Path | None, typer.Option(help="File for the tables as one HTML page, too.")] = None
) -> None:  # fmt: skip
    """Measurements. A time is only worth something beside the peer that was measured in the same run."""
    context.obj = html


@bench.command()
def walk(
    context: typer.Context,
    robot: Robot = "hyq",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each gait.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.1, help="Measured in each run, s.")] = 10.0,
    processes: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 2,
    perfect_sensors: Annotated[bool, typer.Option("--perfect-sensors", help="No noise, no delay, no estimator.")] = False,
    controller: Annotated[str, typer.Option(help="That drives: 'compiled' or a readable one.")] = "compiled",
    world: Annotated[str, typer.Option(help="A name in config/worlds, or a path; 'rough' is another map for each seed.")] = "flat",
    planner: Annotated[
        list[str], typer.Option(metavar="KEY=VALUE", help="In place of that in config/gait_planner.yaml, as for a control; again for more.")
    ] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Walk and trot with noise, delay and the estimator: speed, tilt, falls."""
    from surefoot.evaluation.bench.walk import SPEED_TOLERANCE, TILT_LIMIT, Trial, bench_walk
    from surefoot.evaluation.closed_loop import planner_settings

    console, said = Console(stderr=True), [0]

    def progress(trial: Trial) -> None:
        said[0] += 1
        if console.is_terminal:
            console.print(f"{said[0]} of {2 * seeds}: {trial.gait}, seed {trial.seed}", style="dim", end="\r")

    settings = planner_settings(key_values(planner))
    result = bench_walk(robot, seeds, seconds, processes, None, perfect_sensors, progress, controller, world, settings)
    sensors = "perfect sensors" if perfect_sensors else "noise, delay and estimator"
    title = f"{result.robot}, {result.controller}, {result.world}: {seeds} seeds of {seconds:g} s each, {', '.join((sensors, *planner))}"
    table = Table("gait", "commanded m/s", "mean m/s", "worst error", "max |roll| rad", "max |pitch| rad", "upright", "good", title=title)
    for gait in result.gaits:
        speeds = f"{gait.commanded:.2f}", f"{gait.mean_speed:.3f}", f"{gait.worst_speed_error:.1%}"
        table.add_row(gait.gait, *speeds, f"{gait.worst_roll:.3f}", f"{gait.worst_pitch:.3f}", str(gait.upright), str(gait.good))
    note = f"good: within {SPEED_TOLERANCE:.0%} of the speed and {TILT_LIMIT} rad, no fall; interval of Clopper and Pearson at 95 %"
    _show(context, result, (table,), result.machine, note, as_json)


@bench.command()
def path(
    context: typer.Context,
    robot: Robot = "hyq",
    seeds: Annotated[int, typer.Option(min=1, help="Laps in each gait.")] = 5,
    gaits: Annotated[list[str] | None, typer.Option(help="Which; walk and trot if none.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 2,
    as_json: Json = False,
) -> None:
    """Follow a figure of eight by the robot's own estimate: how far from it the robot really was."""
    from surefoot.evaluation.bench.path import bench_path

    result = bench_path(robot, seeds, gaits or (), processes)
    title = f"{result.robot}: an eight of {result.length:.2g} m, {seeds} seeds, noise, delay and estimator"
    table = Table("gait", "commanded m/s", "worst error m", "worst drift m", "falls", "good", title=title)
    for gait in result.gaits:
        numbers = f"{gait.commanded:.2f}", f"{gait.worst_error:.3f}", f"{gait.worst_drift:.3f}"
        table.add_row(gait.gait, *numbers, str(gait.falls), str(gait.good))
    note = f"good: a lap within {result.tolerance:.2g} m of the path, no fall; interval of Clopper and Pearson at 95 %"
    _show(context, result, (table,), result.machine, note, as_json)


@bench.command()
def gaits(
    context: typer.Context,
    robot: Robot = "hyq",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each gait and of each change; 50 take hours.")] = 2,
    gaits: Annotated[list[str] | None, typer.Option(help="Whose changes are made; stand, walk, walking_trot, trot, pace if none.")] = None,
    traces: Annotated[str, typer.Option(help="'on': changes are rehearsed, 'off': made at once, 'both'.")] = "both",
    speed: Annotated[float | None, typer.Option(min=0.0, help="m/s during the changes; one that all of them allow if none.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 2,
    particles: Annotated[int | None, typer.Option(min=1, help="Per candidate and round; as in config/decision.yaml if none.")] = None,
    journal: Annotated[Path | None, typer.Option(help="File that keeps the runs; a bench that was stopped goes on from it.")] = None,
    as_json: Json = False,
) -> None:
    """Each gait by itself, and each change between two of them while walking: falls, vetoes, time to the change."""
    from surefoot.cli.bench_gaits import TRACES, gait_tables, gaits_as_json
    from surefoot.evaluation.bench.gaits import GAITS, bench_gaits

    if traces not in TRACES:
        raise UnknownNameError("choice of traces", traces, TRACES)
    console, said = Console(stderr=True), [0]

    def progress(done: object) -> None:
        said[0] += 1
        if console.is_terminal:
            console.print(f"{said[0]} runs are done", style="dim", end="\r")

    result = bench_gaits(
        robot, seeds, gaits or GAITS, TRACES[traces], speed, processes=processes, particles=particles, progress=progress, journal=journal
    )
    note = "intervals of Clopper and Pearson at 95 %; times as median, least and most"
    _show(context, gaits_as_json(result), gait_tables(result), result.machine, note, as_json)


@bench.command("id")
def inverse_dynamics(
    context: typer.Context,
    robot: Robot = "hyq",
    controller: Annotated[list[str] | None, typer.Option(help="Readable controllers; two_stage_qp and whole_body_qp if none.")] = None,
    ticks: Annotated[int, typer.Option(min=1, help="Measured of each.")] = 2000,
    contact_ticks: Annotated[int, typer.Option(min=0, help="Measured of each law and number of contacts, 4 to 64; 0 for none.")] = 40,
    report: Annotated[Path, typer.Option(help="Folder for the picture of the times against the number of contacts.")] = Path("report"),
    as_json: Json = False,
) -> None:
    """A tick of inverse dynamics on four feet, compiled and in readable forms, beside Placo (./surefoot install placo).

    Then the contact laws on 4 to 64 contacts, without and with the answer of the tick before.
    """
    from surefoot.cli.bench_contacts import contact_tables, contacts_as_json, setup_as_json, setup_table
    from surefoot.evaluation.bench.contacts import bench_contacts
    from surefoot.evaluation.bench.inverse_dynamics import COMPILED, bench_inverse_dynamics
    from surefoot.evaluation.bench.setup_cost import bench_setup
    from surefoot.viewer.contact_plot import FILE_NAME, draw_contacts

    result = bench_inverse_dynamics(robot, controller or ("two_stage_qp", "whole_body_qp"), ticks)
    setup = bench_setup(robot)
    contacts = bench_contacts(robot, contact_ticks) if contact_ticks else None
    if contacts is not None:
        draw_contacts(contacts, result.robot, report / FILE_NAME)
    ratio = {"compiled": result.ratio.get(COMPILED), "reference": {k: v for k, v in result.ratio.items() if k != COMPILED}}
    peer = None if result.peer is None else {"name": result.peer.name} | _percentiles(result.peer.times)
    times = {name: _percentiles(row) for name, row in result.tick_us.items()}
    plain = {
        "robot": result.robot, "machine": asdict(result.machine), "ticks": result.ticks, "tick_us": times, "peer": peer, "ratio": ratio,
        "terms_us": _percentiles(result.terms), "batch_us": result.batch_us, "solved": result.solved,
    }  # fmt: skip
    plain |= setup_as_json(setup) | ({} if contacts is None else contacts_as_json(contacts))
    table = Table("what", "median us", "p99 us", "of the peer", "solved", title=f"{result.robot}: {ticks} ticks on four feet, taking turns")
    for name, times_of_law in result.tick_us.items():
        ratio_of_law = f"{result.ratio[name]:.2f}" if name in result.ratio else ""
        table.add_row(name, f"{times_of_law.median_us:.0f}", f"{times_of_law.p99_us:.0f}", ratio_of_law, str(result.solved[name]))
    if result.peer is not None:
        row = result.peer.times
        table.add_row(f"peer: {result.peer.name}", f"{row.median_us:.0f}", f"{row.p99_us:.0f}", "1.00", str(result.peer.solved))
    table.add_row("floor: pinocchio's terms alone", f"{result.terms.median_us:.0f}", f"{result.terms.p99_us:.0f}", "", "")
    batches = Table("particles in a call", "us a particle", title="compiled form, processor time")
    for size, cost in result.batch_us.items():
        batches.add_row(str(size), f"{cost:.1f}")
    note = "" if result.peer is not None else "no peer: ./surefoot install placo"
    more = () if contacts is None else contact_tables(contacts, result.robot)
    note += "" if contacts is None else f"{'; ' if note else ''}picture: {report / FILE_NAME}"
    pictures = () if contacts is None else (report / FILE_NAME,)
    _show(context, plain, (table, batches, setup_table(setup, result.robot), *more), result.machine, note, as_json, pictures)


def _percentiles(times: Times) -> dict[str, float]:
    return {"p50": times.median_us, "p99": times.p99_us}


@bench.command()
def traces(
    context: typer.Context,
    robot: Robot = "hyq",
    particles: Annotated[int, typer.Option(min=1)] = 64,
    horizon: Annotated[float, typer.Option(min=0.1, help="s of the new gait.")] = 2.0,
    workers: Annotated[list[int] | None, typer.Option(min=1, help="Numbers of workers; 1 and 2 if not given.")] = None,
    time_step_error: Annotated[bool, typer.Option("--time-step-error", help="And what the step size does, beside the cloud.")] = False,
    as_json: Json = False,
) -> None:
    """Closed-loop particle-seconds per second, beside MuJoCo's own open-loop rollout of the same model."""
    from surefoot.cli.bench_traces import traces_tables
    from surefoot.evaluation.bench.traces import bench_traces

    result = bench_traces(robot, particles, horizon, tuple(workers or (1, 2)), time_step_error)
    note = f"rates are simulated seconds of one robot per second of machine; the peer ran the model of the {result.peer}"
    _show(context, result, traces_tables(result), result.machine, note, as_json)


@bench.command()
def decision(
    context: typer.Context,
    robot: Robot = "hyq",
    seeds: Annotated[int, typer.Option(min=1, help="Verdicts.")] = 10,
    workers: Annotated[int, typer.Option(min=1)] = 2,
    gait: Annotated[str, typer.Option(help="That is asked for while the robot walks.")] = "trot",
    changes: Annotated[int, typer.Option(min=0, help="Asked for beside the whole graph, after that; 0: none.")] = 6,
    slow_motion: Annotated[float, typer.Option(min=1.0, help="Of that graph: seconds of the wall for each of the robot.")] = 3.0,
    as_json: Json = False,
) -> None:
    """Wall time of a verdict on the change from walk to another gait, alone and beside the walking graph."""
    from surefoot.cli.bench_decision import with_graph_table
    from surefoot.evaluation.bench.decision import bench_decision

    result = bench_decision(robot, seeds, workers, gait, changes=changes, slow_motion=slow_motion)
    title = f"{result.robot}: walk to {gait}, {result.candidates} candidates, {result.horizon:g} s, {result.workers} workers"
    table = Table("seed", "verdict", "wall s", "rounds", "particles", "particle-seconds", title=title)
    for verdict in result.verdicts:
        word = "accepted" if verdict.accepted else "vetoed"
        numbers = f"{verdict.seconds:.2f}", str(verdict.rounds), str(verdict.particles), f"{verdict.particle_seconds:.0f}"
        table.add_row(str(verdict.seed), word, *numbers)
    asked = f"accept at {result.accept_at:g} with {result.confidence:.0%} confidence"
    note = f"{asked}; median {result.median_s:.2f} s, 95th percentile {result.p95_s:.2f} s, {result.particles_used:.0f} particles"
    tables = (table,) if result.with_graph is None else (table, with_graph_table(result.with_graph))
    _show(context, result, tables, result.machine, note, as_json)


@bench.command()
def estimator(
    context: typer.Context,
    robot: Robot = "a1",
    sensors: Annotated[str, typer.Option(help="A name in config/sensors, or a path: noise, bias, delay, loss.")] = "a1_class",
    seeds: Annotated[int, typer.Option(min=1, help="Of our estimator; 50 take half an hour.")] = 5,
    plain_seeds: Annotated[int, typer.Option(min=1, help="Of the filters beside it.")] = 2,
    seconds: Annotated[float, typer.Option(min=2.0, help="Of walking, s.")] = 60.0,
    processes: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 2,
    report: Annotated[Path, typer.Option(help="Folder for the picture of the times against the window.")] = Path("report"),
    journal: Annotated[Path | None, typer.Option(help="Folder that keeps the runs; a bench that was stopped goes on from it.")] = None,
    as_json: Json = False,
) -> None:
    """A walk with turns, its sensors spoilt: errors, honesty and time of the estimator, beside simpler filters on the same sensors."""
    from surefoot.cli.bench_estimator import estimator_as_json, estimator_tables
    from surefoot.evaluation.bench.estimator import bench_estimator
    from surefoot.viewer.estimator_plot import FILE_NAME, draw_windows

    console = Console(stderr=True)

    def progress(done: int, of: int) -> None:
        if console.is_terminal:
            console.print(f"{done} of {of} runs are done", style="dim", end="\r")

    result = bench_estimator(robot, sensors, seeds, plain_seeds, seconds, processes, progress=progress, journal=journal)
    draw_windows(result, report / FILE_NAME)
    plain, picture = estimator_as_json(result), report / FILE_NAME
    _show(context, plain, estimator_tables(result), result.machine, f"picture: {picture}", as_json, (picture,))


@bench.command()
def bags(
    context: typer.Context,
    robot: Robot = "hyq",
    seconds: Annotated[float, typer.Option(min=1.0, help="For which a recorder is watched at the robot's own rate, s.")] = 20.0,
    replays: Annotated[int, typer.Option(min=1)] = 10,
    simulated: Annotated[float, typer.Option(min=1.0, help="Length of the walk that is recorded and replayed, s.")] = 8.0,
    seed: int = 7,
    as_json: Json = False,
) -> None:
    """Record at full rate and kill the recorder; replay, and see that it is always the same."""
    from surefoot.cli.bench_bags import bags_table
    from surefoot.evaluation.bench.bags import bench_bags

    result = bench_bags(robot, seconds, replays, simulated, seed)
    note = f"{result.replay_nodes} replayed {replays} times, {result.replay_seconds:.1f} s each"
    _show(context, result, (bags_table(result),), result.machine, note, as_json)


@bench.command()
def bridge(
    context: typer.Context,
    robot: Robot = "hyq",
    ticks: Annotated[int, typer.Option(min=10, help="Of the bridge that are measured.")] = 2000,
    cycles: Annotated[int, typer.Option(min=10, help="Of the bus at each baud rate.")] = 300,
    as_json: Json = False,
) -> None:
    """A tick of the servo bridge, and how often twelve Dynamixel servos are reached at 1, 2 and 4 Mbaud, computed and on the emulation."""
    from surefoot.cli.bench_bridge import bridge_tables
    from surefoot.evaluation.bench.bridge import bench_bridge

    result = bench_bridge(robot, ticks, cycles)
    note = "the emulation is a process of its own that keeps the time of the wire; the rest is this machine, the maker's library and ours"
    _show(context, result, bridge_tables(result), result.machine, note, as_json)


@bench.command()
def page(
    context: typer.Context,
    robot: Robot = "hyq",
    seed: int = 7,
    rounds: Annotated[int, typer.Option(min=0, help="How often each way is walked: without a page, with one, with one in a browser.")] = 3,
    simulated: Annotated[float, typer.Option(min=9.0, help="Length of each walk, s.")] = 12.0,
    seconds: Annotated[float, typer.Option(min=0.0, max=3.5, help="For which the drawing is watched, s; 0: not at all.")] = 3.0,
    as_json: Json = False,
) -> None:
    """The page with a full fan of traces, in a browser that draws in software, and what the control loop notices of it."""
    from surefoot.cli.bench_page import page_tables
    from surefoot.evaluation.bench.page import bench_page

    console = Console(stderr=True)
    result = bench_page(robot, seed, rounds, simulated, seconds, lambda words: console.print(words, style="dim", highlight=False))
    note = "frames and states as the browser counts them; latency over the second half of each walk, its verdict included"
    _show(context, result, page_tables(result), result.machine, note, as_json)


def _show(
    context: typer.Context, result: Any, tables: Iterable[Table], machine: Machine, note: str, as_json: bool, pictures: Iterable[Path] = ()
) -> None:
    """In the terminal, and as one HTML file with the pictures where one was asked for."""
    shown = tuple(tables)
    measured_on = f"{machine.processor}, {machine.cores} cores, Python {machine.python}, load {machine.load}"
    # The commands take over what the options of `surefoot bench` itself left there.
    html: Path | None = context.obj
    if html is not None:
        from surefoot.viewer.result_report import write_result

        write_result(html, f"bench {context.info_name}", shown, pictures, (note, measured_on))
    if as_json:
        print(json.dumps(result if isinstance(result, dict) else asdict(result), indent=2))
        return
    console = Console()
    for table in shown:
        console.print(table)
    # A path that is broken in two cannot be copied.
    console.print(note, style="dim", highlight=False, soft_wrap=True)
    console.print(measured_on, style="dim", highlight=False)

# SPDX-License-Identifier: Apache-2.0
"""`surefoot bench …`: measurements. A time is only worth something beside the peer that was measured in the same run."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from surefoot.evaluation.bench.sample import Machine

bench = typer.Typer(no_args_is_help=True, add_completion=False)

Robot = Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]


@bench.command()
def walk(
    robot: Robot = "hyq",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each gait.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.1, help="Measured in each run, s.")] = 10.0,
    processes: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 2,
    perfect_sensors: Annotated[bool, typer.Option("--perfect-sensors", help="No noise, no delay, no estimator.")] = False,
    as_json: Json = False,
) -> None:
    """Walk and trot on flat ground with noise, delay and the estimator: speed, tilt, falls."""
    from surefoot.evaluation.bench.walk import SPEED_TOLERANCE, TILT_LIMIT, Trial, bench_walk

    console, said = Console(stderr=True), [0]

    def progress(trial: Trial) -> None:
        said[0] += 1
        if console.is_terminal:
            console.print(f"{said[0]} of {2 * seeds}: {trial.gait}, seed {trial.seed}", style="dim", end="\r")

    result = bench_walk(robot, seeds, seconds, processes, perfect_sensors=perfect_sensors, progress=progress)
    sensors = "perfect sensors" if perfect_sensors else "noise, delay and estimator"
    title = f"{result.robot}: {seeds} seeds of {seconds:g} s each, {sensors}"
    table = Table("gait", "commanded m/s", "mean m/s", "worst error", "max |roll| rad", "max |pitch| rad", "falls", "good", title=title)
    for gait in result.gaits:
        good = f"{gait.good.k} of {gait.good.n} ({gait.good.lower:.2f} to {gait.good.upper:.2f})"
        speeds = f"{gait.commanded:.2f}", f"{gait.mean_speed:.3f}", f"{gait.worst_speed_error:.1%}"
        table.add_row(gait.gait, *speeds, f"{gait.worst_roll:.3f}", f"{gait.worst_pitch:.3f}", str(gait.falls), good)
    note = f"good: within {SPEED_TOLERANCE:.0%} of the speed and {TILT_LIMIT} rad, no fall; interval of Clopper and Pearson at 95 %"
    _show(result, (table,), result.machine, note, as_json)


@bench.command("id")
def inverse_dynamics(
    robot: Robot = "hyq",
    ticks: Annotated[int, typer.Option(min=1, help="Measured.")] = 2000,
    as_json: Json = False,
) -> None:
    """A tick of inverse dynamics, compiled and in its readable form, beside pinocchio's terms alone."""
    from surefoot.evaluation.bench.inverse_dynamics import bench_inverse_dynamics

    result = bench_inverse_dynamics(robot, ticks)
    table = Table("what", "median us", "p99 us", "times the peer", title=f"{result.robot}: {ticks} ticks of a trot, taking turns")
    rows = (
        (f"peer: {result.peer_name}", result.peer, 1.0),
        ("compiled law, from records to a command", result.compiled, result.compiled_over_peer),
        ("readable law on pinocchio and quadprog", result.reference, result.reference_over_peer),
    )
    for name, times, ratio in rows:
        table.add_row(name, f"{times.median_us:.0f}", f"{times.p99_us:.0f}", f"{ratio:.1f}")
    _show(result, (table,), result.machine, "the peer solves no contact problem: it is a floor, not a rival", as_json)


@bench.command()
def traces(
    robot: Robot = "hyq",
    particles: Annotated[int, typer.Option(min=1)] = 64,
    horizon: Annotated[float, typer.Option(min=0.1, help="s of the new gait.")] = 2.0,
    workers: Annotated[list[int] | None, typer.Option(min=1, help="Numbers of workers; 1 and 2 if not given.")] = None,
    as_json: Json = False,
) -> None:
    """Closed-loop particle-seconds per second, beside MuJoCo's own open-loop rollout of the same model."""
    from surefoot.evaluation.bench.traces import bench_traces

    result = bench_traces(robot, particles, horizon, tuple(workers or (1, 2)))
    title = f"{result.robot}: {particles} particles, {horizon:g} s, time step {1e3 * result.time_step:g} ms"
    table = Table("what", "workers", "per wall second", "per processor second", "of the peer", title=title)
    for ours, theirs, ratio in zip(result.traces, result.rollout, result.ratio, strict=True):
        for name, rate, share in (("closed-loop traces", ours, f"{ratio:.2f}"), ("peer: mujoco.rollout, open loop", theirs, "")):
            table.add_row(name, str(rate.workers), f"{rate.per_wall_second:.1f}", f"{rate.per_processor_second:.1f}", share)
    _show(result, (table,), result.machine, "rates are simulated seconds of one robot per second of machine", as_json)


@bench.command()
def decision(
    robot: Robot = "hyq",
    seeds: Annotated[int, typer.Option(min=1, help="Verdicts.")] = 5,
    workers: Annotated[int, typer.Option(min=1)] = 2,
    particles: Annotated[int, typer.Option(min=1, help="Per candidate and round.")] = 16,
    horizon: Annotated[float, typer.Option(min=0.1, help="s of the new gait.")] = 2.0,
    rounds: Annotated[int, typer.Option(min=1, help="At most.")] = 1,
    as_json: Json = False,
) -> None:
    """Wall time of a verdict on the change from walk to trot."""
    from surefoot.evaluation.bench.decision import bench_decision

    result = bench_decision(robot, seeds, workers, particles, horizon, rounds)
    title = f"{result.robot}: {result.candidates} candidates x {particles} particles x {horizon:g} s, {workers} workers"
    table = Table("seed", "verdict", "wall s", "rounds", "particle-seconds", title=title)
    for verdict in result.verdicts:
        word = "accepted" if verdict.accepted else "vetoed"
        table.add_row(str(verdict.seed), word, f"{verdict.seconds:.2f}", str(verdict.rounds), f"{verdict.particle_seconds:.0f}")
    _show(result, (table,), result.machine, f"median {result.median_s:.2f} s, worst {result.worst_s:.2f} s", as_json)


def _show(result: Any, tables: Iterable[Table], machine: Machine, note: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(result), indent=2))
        return
    console = Console()
    for table in tables:
        console.print(table)
    console.print(note, style="dim", highlight=False)
    console.print(f"{machine.processor}, {machine.cores} cores, Python {machine.python}, load {machine.load}", style="dim", highlight=False)

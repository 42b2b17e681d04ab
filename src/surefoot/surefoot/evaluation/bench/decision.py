# SPDX-License-Identifier: Apache-2.0
"""How long a verdict takes."""

import time
from dataclasses import dataclass

import numpy as np

from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.evaluation.bench.sample import Machine, this_machine
from surefoot.evaluation.bench.traces import READY_TIMEOUT
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.traces.decision import DecisionSettings, decide
from surefoot.traces.snapshot import transition_candidates
from surefoot.traces.workers import WorkerPool


@dataclass(frozen=True)
class Verdict:
    """One decision.

    Attributes:
        seconds: of wall time, from the request to the answer.
        rounds: of particles that it took.
        particle_seconds: simulated.
    """

    seed: int
    accepted: bool
    seconds: float
    rounds: int
    particle_seconds: float
    reason: str


@dataclass(frozen=True)
class DecisionResult:
    """What `bench decision` reports.

    Attributes:
        median_s, worst_s: wall time of the verdicts.
    """

    robot: str
    machine: Machine
    workers: int
    candidates: int
    particles: int
    horizon: float
    median_s: float
    worst_s: float
    verdicts: tuple[Verdict, ...]


def bench_decision(
    robot: str, seeds: int = 5, workers: int = 2, particles: int = 16, horizon: float = 2.0, rounds: int = 1
) -> DecisionResult:
    """Ask a walking robot for a trot, again and again, with nothing else to do for the workers.

    Args:
        robot: name or path.
        seeds: how many verdicts, each with a walk and a cloud of its own.
        workers: processes.
        particles: per candidate and round.
        horizon: s of the trot.
        rounds: at most.
    """
    machine, model = this_machine(), load_robot(robot)
    settings = read_settings(DecisionSettings, shared_directory() / "config" / "decision.yaml")
    settings = settings.model_copy(update={"particles": particles, "horizon": horizon, "rounds": rounds})
    pool = WorkerPool(robot, planner_settings(), workers, particles, deadline=READY_TIMEOUT)
    verdicts = []
    try:
        pool.wait_until_ready(READY_TIMEOUT)
        for seed in range(seeds):
            rehearsal = walking_rehearsal(model, horizon, seed)
            snapshot = rehearsal.snapshot
            candidates = transition_candidates(
                snapshot.state.time, float(snapshot.planner["phase"][0]), snapshot.gait_from, settings.transition_points, settings.latency,
                settings.blend_times,
            )
            begin = time.perf_counter()
            decision = decide(pool, rehearsal, candidates, settings)
            seconds = time.perf_counter() - begin
            verdicts.append(Verdict(seed, decision.accepted, seconds, decision.rounds, decision.particle_seconds, decision.reason))
    finally:
        pool.close()
    times = [verdict.seconds for verdict in verdicts]
    return DecisionResult(
        robot=model.description.name,
        machine=machine,
        workers=workers,
        candidates=len(settings.transition_points) * len(settings.blend_times),
        particles=particles,
        horizon=horizon,
        median_s=float(np.median(times)),
        worst_s=max(times),
        verdicts=tuple(verdicts),
    )

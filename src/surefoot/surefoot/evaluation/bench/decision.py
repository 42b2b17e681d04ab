# SPDX-License-Identifier: Apache-2.0
"""How long a verdict takes."""

import time
from dataclasses import dataclass

import numpy as np

from surefoot.evaluation.bench.decision_in_graph import WithGraph, decide_in_graph
from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.evaluation.bench.sample import Machine, this_machine
from surefoot.evaluation.bench.traces import READY_TIMEOUT
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.traces.decision.decision import decide
from surefoot.traces.decision.race import JOB
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import candidates_of
from surefoot.traces.workers import WorkerPool


@dataclass(frozen=True)
class Verdict:
    """One decision.

    Attributes:
        seconds: of wall time, from the request to the answer.
        rounds: of particles that it took.
        particles: of all candidates together.
        particle_seconds: simulated.
    """

    seed: int
    accepted: bool
    seconds: float
    rounds: int
    particles: int
    particle_seconds: float
    reason: str


@dataclass(frozen=True)
class DecisionResult:
    """What `bench decision` reports.

    Attributes:
        median_s, p95_s: wall time of the verdicts.
        particles_used: median of the particles of a verdict.
        with_graph: the same beside a robot that walks on; None where that was not asked for.
    """

    robot: str
    machine: Machine
    workers: int
    candidates: int
    horizon: float
    accept_at: float
    confidence: float
    median_s: float
    p95_s: float
    particles_used: float
    accepted: int
    verdicts: tuple[Verdict, ...]
    with_graph: WithGraph | None = None


def bench_decision(
    robot: str,
    seeds: int = 10,
    workers: int = 2,
    gait: str = "trot",
    settings: DecisionSettings | None = None,
    changes: int = 0,
    slow_motion: float = 1.0,
) -> DecisionResult:
    """Ask a walking robot for another gait, again and again: with nothing else to do for the workers, then beside the whole graph.

    Args:
        robot: name or path.
        seeds: how many verdicts, each with a walk and a cloud of its own.
        workers: processes.
        gait: that is asked for.
        settings: how to decide; as config/decision.yaml says if None. The graph always decides as that file says.
        changes: that the graph is asked for; 0: there is none.
        slow_motion: seconds of the wall for each second of the graph's robot.
    """
    machine, model = this_machine(), load_robot(robot)
    settings = settings or read_settings(DecisionSettings, shared_directory() / "config" / "decision.yaml")
    pool = WorkerPool(robot, planner_settings(), workers, JOB, deadline=READY_TIMEOUT)
    verdicts, count = [], 0
    try:
        pool.wait_until_ready(READY_TIMEOUT)
        for seed in range(seeds):
            rehearsal = walking_rehearsal(model, settings.horizon, seed, gait=gait)
            candidates = candidates_of(rehearsal.snapshot, settings)
            count = len(candidates)
            begin = time.perf_counter()
            decision = decide(pool, rehearsal, candidates, settings)
            seconds = time.perf_counter() - begin
            particles = sum(score.particles for score in decision.scores)
            verdicts.append(
                Verdict(seed, decision.accepted, seconds, decision.rounds, particles, decision.particle_seconds, decision.reason)
            )
    finally:
        pool.close()
    times = [verdict.seconds for verdict in verdicts]
    with_graph = decide_in_graph(robot, changes, slow_motion, settings.realtime_latency) if changes else None
    return DecisionResult(
        robot=model.description.name,
        machine=machine,
        workers=workers,
        candidates=count,
        horizon=settings.horizon,
        accept_at=settings.accept_at,
        confidence=settings.confidence,
        median_s=float(np.median(times)),
        p95_s=float(np.percentile(times, 95.0)),
        particles_used=float(np.median([verdict.particles for verdict in verdicts])),
        accepted=sum(verdict.accepted for verdict in verdicts),
        verdicts=tuple(verdicts),
        with_graph=with_graph,
    )

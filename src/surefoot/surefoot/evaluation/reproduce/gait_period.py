# SPDX-License-Identifier: Apache-2.0
"""How long a cycle the printed walk bears before it falls [Zapolsky 2017, section 4.3.4], on links."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from surefoot.evaluation.bench.sample import Machine, Proportion, most_frequent, proportion, this_machine
from surefoot.evaluation.closed_loop import ClosedLoop, planner_settings
from surefoot.gait.of_robot import gaits_of
from surefoot.processes import results_of
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.terrain.belief import read_grounds
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.decision.race import JOB
from surefoot.traces.outcome import FAILED
from surefoot.traces.requirements.settings import RequirementSettings, read_requirements
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal, Tracer

ROBOT = "links"
GAIT = "wide_walk"
PERIODS = tuple(round(0.6 + 0.1 * k, 1) for k in range(10))
"""s"""
SPEEDS = (0.2, 0.1)
"""m/s: that of the source, and half of it."""
SECONDS = 20.0
OVER = RequirementSettings(
    requirements={"roll": {"largest": 1.5}, "pitch": {"largest": 1.5}, "base_height": {"lowest": 0.5}}, objectives={}
)
"""The source's fall, the body's up more than a right angle from the world's, or a robot that lies on its belly."""
ROBUST, BRITTLE = 1.0, 1.1
"""Longest period at which the source's robot never fell, and the shortest at which it did, s."""


@dataclass(frozen=True)
class Period:
    """The traces of one period at one speed.

    Attributes:
        fell: share that fell within the time.
        times: to the fall of each trace, s; the whole time for those that did not.
        mean_time: of these.
        word: "all stay up", "some fall" or "all fall": what the source goes by.
        limits: share that breaks a requirement of a walk (config/requirements/walk.yaml) within the time.
        limit_time: mean time to that, s.
        limit_reason: what breaks first in most; empty if nothing does.
    """

    speed: float
    period: float
    fell: Proportion
    times: tuple[float, ...]
    mean_time: float
    word: str
    limits: Proportion
    limit_time: float
    limit_reason: str


@dataclass(frozen=True)
class PeriodResult:
    """What `reproduce gait-period` reports.

    Attributes:
        threshold: by speed, the longest period up to which nobody falls and the shortest at which someone does, s; NaN if there is none.
        rises: by speed, whether the share of falls never gets smaller with the period.
    """

    robot: str
    machine: Machine
    seed: int
    particles: int
    seconds: float
    periods: tuple[Period, ...]
    threshold: dict[float, tuple[float, float]]
    rises: dict[float, bool]


def trace_period(speed: float, period: float, particles: int, seconds: float, seed: int) -> Period:
    """The printed walk from a stand, with another period.

    Args:
        speed: commanded forward, m/s.
        period: of the gait, s.
        particles: traces.
        seconds: of each.
        seed: of the sensors and of the cloud.
    """
    standing, tracer = _standing(seed), _tracer()
    gait = gaits_of(load_robot(ROBOT))[GAIT].model_copy(update={"period": period})
    grounds = read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")
    ground = grounds.usual
    state = standing.course.estimate[-1]
    snapshot = Snapshot(state, standing.planning.planner.copy(), standing.planning.gait, gait, np.array((speed, 0.0, 0.0)), ground, ground)
    config = shared_directory() / "config"
    cloud = read_uncertainty(config / "uncertainty" / "links.yaml")
    fallen, strict = (
        tracer.trace(Rehearsal(snapshot, seconds, seed, cloud, requirements), Candidate(0.0, state.time), np.arange(particles))
        for requirements in (OVER, read_requirements(config / "requirements" / "walk.yaml"))
    )
    fell, broke = fallen.verdict == FAILED, strict.verdict == FAILED
    times = np.where(fell, np.nan_to_num(fallen.failure_time), seconds)
    reasons = [name for name, one in zip(strict.violated, broke, strict=True) if one]
    return Period(
        speed=speed,
        period=period,
        fell=proportion(int(fell.sum()), particles),
        times=tuple(float(time) for time in times),
        mean_time=float(times.mean()),
        word="all fall" if fell.all() else "some fall" if fell.any() else "all stay up",
        limits=proportion(int(broke.sum()), particles),
        limit_time=float(np.where(broke, np.nan_to_num(strict.failure_time), seconds).mean()),
        limit_reason=most_frequent(reasons),
    )


def reproduce_gait_period(
    particles: int = 8,
    seed: int = 0,
    seconds: float = SECONDS,
    speeds: Sequence[float] = SPEEDS,
    processes: int = 2,
    progress: Callable[[Period], None] = lambda period: None,
) -> PeriodResult:
    """All periods at some speeds.

    Args:
        particles: traces of each.
        seed: of the sensors and of the cloud.
        seconds: of each trace.
        speeds: commanded forward, m/s.
        processes: periods at once.
        progress: called with each period when it is done.
    """
    machine = this_machine()
    calls = [partial(trace_period, speed, period, particles, seconds, seed) for speed in speeds for period in PERIODS]
    periods = results_of(processes, calls, progress)
    rows = {speed: [one for one in periods if one.speed == speed] for speed in speeds}
    return PeriodResult(
        robot=ROBOT,
        machine=machine,
        seed=seed,
        particles=particles,
        seconds=seconds,
        periods=tuple(periods),
        threshold={speed: threshold_of(row) for speed, row in rows.items()},
        rises={speed: bool((np.diff([one.fell.k for one in row]) >= 0).all()) for speed, row in rows.items()},
    )


def threshold_of(periods: Sequence[Period]) -> tuple[float, float]:
    """Of periods in their order: the longest up to which nobody falls, and the shortest at which someone does, s."""
    brittle = next((i for i, one in enumerate(periods) if one.fell.k > 0), len(periods))
    robust = periods[brittle - 1].period if brittle > 0 else float("nan")
    return robust, periods[brittle].period if brittle < len(periods) else float("nan")


@cache
def _standing(seed: int) -> ClosedLoop:
    """A robot that stands; one for all periods of a process."""
    loop = ClosedLoop(load_robot(ROBOT), seed, limited=False)
    loop.run(1.0)
    return loop


@cache
def _tracer() -> Tracer:
    return Tracer(load_robot(ROBOT), planner_settings(), JOB, limited=False)

# SPDX-License-Identifier: Apache-2.0
"""When to change from walk to trot [Zapolsky 2017, section 4.3.3], with the printed gaits, on links."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from scipy.stats import fisher_exact

from surefoot.evaluation.bench.sample import Machine, Proportion, most_frequent, proportion, this_machine
from surefoot.evaluation.closed_loop import ClosedLoop, planner_settings
from surefoot.evaluation.reproduce.trust import FALLEN
from surefoot.processes import results_of
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.terrain.belief import read_grounds
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.decision.race import JOB
from surefoot.traces.findings.parting import first_parting, telling_parting
from surefoot.traces.findings.spread import final_poses, spread_of
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.requirements.settings import GAIT_TRANSITION
from surefoot.traces.snapshot import Snapshot, transition_candidates
from surefoot.traces.tracer import Rehearsal, Tracer

ROBOT = "links"
GAITS = "table_2_walk", "trot"
POINTS = (0.0, 0.25, 0.5, 0.75)
HORIZON = 2.0
"""s of the new gait."""
SPEED = 0.5
"""Commanded forward, m/s: the largest of the trot, of which the walk takes its own largest."""
TURN_RATE = 0.5
"""rad/s, the largest of the walk; the source's path winds, by how much is not stated."""
SOURCE = {0.0: (0, 4), 0.25: (0, 4), 0.5: (0, 4), 0.75: (4, 4)}
"""Successes and traces by transition point [Zapolsky 2017, section 4.3.3]."""
FALSE_ALARM = 0.05
"""How often scores that are the same are said to differ, over all mirrored pairs together."""


@dataclass(frozen=True)
class Path:
    """Where the robot walks.

    Attributes:
        turn_rate: rad/s, positive to the left.
        first_phase: of the walk in which it starts from the stand; half a cycle later, left and right are exchanged.
        mirrors: name of the path that is its mirror image.
        stream: added to the seed of the cloud, so that a path and its mirror image do not meet the same particles.
    """

    turn_rate: float
    first_phase: float
    mirrors: str
    stream: int


PATHS = {
    "left": Path(TURN_RATE, 0.0, "right", 0),
    "right": Path(-TURN_RATE, 0.5, "left", 1),
    "straight": Path(0.0, 0.0, "straight, other foot first", 0),
    "straight, other foot first": Path(0.0, 0.5, "straight", 1),
}


@dataclass(frozen=True)
class Point:
    """What the traces of one transition point showed; who falls to a side has that side down at the end.

    Attributes:
        path, point: name, and part of the cycle of the walk at which the change is made.
        survived, failed, unfinished: S, K and U of all traces; without an objective nobody is unfinished.
        survived_first: S of the first four particles.
        strict: S where every requirement of a gait change counts, not roll, pitch and height alone.
        strict_reason: what ends most traces there; empty if none.
        fell_left, fell_right: by the roll of the failed traces at their end.
        median_fall: s after the change; NaN if nobody falls.
        forward_deviation, left_deviation: standard deviation of the final positions of those that stay up, in their mean heading, m.
        parted: coordinate along which these part into two groups, if they do.
        first_parting, first_time: the first event that is not the same in all traces, and when, s after the change.
        telling: the first event that goes with failures, empty if none does.
    """

    path: str
    point: float
    survived: Proportion
    failed: Proportion
    unfinished: Proportion
    survived_first: Proportion
    strict: Proportion
    strict_reason: str
    fell_left: int
    fell_right: int
    median_fall: float
    forward_deviation: float
    left_deviation: float
    parted: str
    first_parting: str
    first_time: float
    telling: str


@dataclass(frozen=True)
class Mirrored:
    """Two scores that have to be the same but for sampling, and the chance that equal ones differ by as much [Fisher's exact test]."""

    path: str
    point: float
    mirror_path: str
    mirror_point: float
    survived: Proportion
    mirror_survived: Proportion
    chance: float


@dataclass(frozen=True)
class TransitionResult:
    """What `reproduce transition` reports.

    Attributes:
        chosen: the point that survives most often on each path, ties to the smaller spread.
        symmetric: whether no mirrored pair differs beyond sampling error.
    """

    robot: str
    machine: Machine
    seed: int
    particles: int
    few: int
    points: tuple[Point, ...]
    chosen: dict[str, float]
    mirrored: tuple[Mirrored, ...]
    symmetric: bool


def start_of(path: Path, seed: int) -> Snapshot:
    """One cycle after the walk was taken from a stand, so that the change comes in the second one.

    The robot is where it really is, so that a mirrored path makes a mirrored start; the covariance is that of the estimator on a robot with
    noise that does the same.
    """
    believed, true = (ClosedLoop(load_robot(ROBOT), seed, perfect_sensors=perfect, limited=False) for perfect in (False, True))
    walk, trot = (true.gaits[name] for name in GAITS)
    command = (SPEED, 0.0, path.turn_rate)
    for loop in (believed, true):
        loop.run(1.0)
        loop.change_gait(walk.name, path.first_phase)
        loop.run(walk.period, command)
    estimate = believed.course.estimate[-1]
    state = replace(true.course.estimate[-1], pose_covariance=estimate.pose_covariance, twist_covariance=estimate.twist_covariance)
    grounds = read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")
    ground = grounds.usual
    return Snapshot(state, true.planning.planner.copy(), walk, trot, np.array(command), ground, ground)


def trace_point(name: str, point: float, particles: int, seed: int, few: int = 4) -> Point:
    """The change at one transition point of one path.

    Args:
        name: of the path.
        point: one of POINTS.
        particles: traces.
        seed: of the sensors and of the cloud.
        few: how many of the particles make the small sample.
    """
    path, tracer = PATHS[name], _tracer()
    snapshot = _start(name, seed)
    (candidate,) = transition_candidates(snapshot.state.time, float(snapshot.planner["phase"][0]), snapshot.gait_from, (point,), 0.0)
    cloud = read_uncertainty(shared_directory() / "config" / "uncertainty" / "links.yaml")
    rehearsal = Rehearsal(snapshot, HORIZON, seed + path.stream, cloud, FALLEN)
    outcomes = tracer.trace(rehearsal, candidate, np.arange(particles))
    strict = tracer.trace(replace(rehearsal, requirements=GAIT_TRANSITION), candidate, np.arange(particles))
    return point_of(name, point, outcomes, strict, few)


def point_of(path: str, point: float, outcomes: Outcomes, strict: Outcomes, few: int) -> Point:
    """What outcomes say, under few requirements and under all."""
    n, switch = len(outcomes.indices), outcomes.switch_tick * outcomes.period
    failed = outcomes.verdict == FAILED
    roll = final_poses(outcomes.base_path[failed, -1].astype(np.float64))[:, 3]
    spread, first, telling = spread_of(outcomes), first_parting(outcomes), telling_parting(outcomes)
    yaw = spread.mean[5]
    turn = np.array(((np.cos(yaw), np.sin(yaw)), (-np.sin(yaw), np.cos(yaw))))
    deviation = np.sqrt(np.diag(turn @ spread.covariance[:2, :2] @ turn.T))
    reasons = [name for name in strict.violated if name]
    return Point(
        path=path,
        point=point,
        survived=_share(outcomes, SURVIVED, n),
        failed=_share(outcomes, FAILED, n),
        unfinished=_share(outcomes, UNFINISHED, n),
        survived_first=_share(outcomes, SURVIVED, few),
        strict=_share(strict, SURVIVED, n),
        strict_reason=most_frequent(reasons),
        fell_left=int((roll < 0.0).sum()),
        fell_right=int((roll >= 0.0).sum()),
        median_fall=float(np.median(outcomes.failure_time[failed])) - switch if failed.any() else float("nan"),
        forward_deviation=float(deviation[0]),
        left_deviation=float(deviation[1]),
        parted=spread.parted.coordinate if spread.parted is not None else "",
        first_parting=str(first) if first is not None else "",
        first_time=first.time - switch if first is not None else float("nan"),
        telling=str(telling[0]) if telling is not None else "",
    )


def reproduce_transition(
    particles: int = 64, seed: int = 0, processes: int = 2, few: int = 4, progress: Callable[[Point], None] = lambda point: None
) -> TransitionResult:
    """All transition points on all paths.

    Args:
        particles: traces of each point.
        seed: of the sensors and of the clouds.
        processes: points at once.
        few: how many of the particles make the small sample; the source has four.
        progress: called with each point when it is done.
    """
    machine, few = this_machine(), min(few, particles)
    calls = [partial(trace_point, name, point, particles, seed, few) for name in PATHS for point in POINTS]
    points = results_of(processes, calls, progress)
    mirrored = mirrored_pairs(points)
    return TransitionResult(
        robot=ROBOT,
        machine=machine,
        seed=seed,
        particles=particles,
        few=few,
        points=tuple(points),
        chosen={name: best_point([one for one in points if one.path == name]).point for name in PATHS},
        mirrored=mirrored,
        symmetric=all(pair.chance * len(mirrored) > FALSE_ALARM for pair in mirrored),
    )


def best_point(points: Sequence[Point]) -> Point:
    """The one that survives most often, of several the one with the smallest spread of final positions."""
    return max(points, key=lambda one: (one.survived.k, -np.nan_to_num(np.hypot(one.forward_deviation, one.left_deviation), nan=np.inf)))


def mirrored_pairs(points: Sequence[Point]) -> tuple[Mirrored, ...]:
    """Each point beside the one half a cycle later on the mirrored path: both gaits are the same there with left and right exchanged."""
    by_place, pairs = {(one.path, one.point): one for one in points}, []
    for name, path in PATHS.items():
        if path.first_phase > 0.0:
            continue
        for point in POINTS:
            one, other = by_place[name, point], by_place[path.mirrors, (point + 0.5) % 1.0]
            table = [[share.k, share.n - share.k] for share in (one.survived, other.survived)]
            chance = float(fisher_exact(table)[1])
            pairs.append(Mirrored(name, point, other.path, other.point, one.survived, other.survived, chance))
    return tuple(pairs)


def _share(outcomes: Outcomes, verdict: int, count: int) -> Proportion:
    return proportion(int((outcomes.verdict[:count] == verdict).sum()), count)


@cache
def _start(name: str, seed: int) -> Snapshot:
    """One for all points of a process."""
    return start_of(PATHS[name], seed)


@cache
def _tracer() -> Tracer:
    return Tracer(load_robot(ROBOT), planner_settings(), JOB, limited=False)

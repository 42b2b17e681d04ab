# SPDX-License-Identifier: Apache-2.0
"""How high to step over a curb of 3 cm [Zapolsky 2017, section 4.3.2], with the printed gait and a slower one, on links."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from surefoot.evaluation.bench.rehearsal import walking_snapshot
from surefoot.evaluation.bench.sample import Machine, Proportion, most_frequent, proportion, this_machine
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.processes import results_of
from surefoot.robot.load import load_robot
from surefoot.robot.locate import shared_directory
from surefoot.robot.spatial import rotation_from_quaternion
from surefoot.terrain.world import GroundStrip, World
from surefoot.traces.cloud.uncertainty import read_uncertainty
from surefoot.traces.decision.race import JOB
from surefoot.traces.findings.spread import final_poses
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.requirements.settings import RequirementSettings, read_requirements
from surefoot.traces.snapshot import Candidate, Snapshot
from surefoot.traces.tracer import Rehearsal, Tracer

ROBOT = "links"
CURB = 0.03
"""Height, m."""
STEP_HEIGHTS = (0.01, 0.02, 0.03, 0.04)
"""m"""
SOURCE = {0.01: "all strike", 0.02: "all strike", 0.03: "both", 0.04: "almost all clear"}
WIDTH = 0.02
"""Of the curb along the way, m; not stated by the source, where feet that cross come down on the ground again."""
DISTANCE = 0.02
"""From the surface of the foremost foot to the curb at the start, m; not stated either."""
WALKED = 0.6
"""s of walking before the start."""
NOT_ASKED = ("self_collision",)
"""Of config/requirements/curb.yaml: thighs of links touch its body, and front feet hind shins, in a walk without a curb as well."""


@dataclass(frozen=True)
class Walk:
    """How the robot comes to the curb.

    Attributes:
        gait: name in config/gaits.
        command: forward and left speed, m/s, and turn rate, rad/s.
        horizon: s.
    """

    gait: str
    command: tuple[float, float, float]
    horizon: float


WALKS = {
    "Table 1": Walk("curb_walk", (0.2, 0.0, -0.5), 1.5),
    # The same at twice the period, half the speed and straight ahead, and as much longer.
    "slower": Walk("wide_walk", (0.1, 0.0, 0.0), 3.0),
}


@dataclass(frozen=True)
class Height:
    """The traces of one walk with one step height.

    Attributes:
        gait: name of the walk.
        struck: share of traces that a swinging foot ended by running into the curb.
        cleared: share with all feet beyond it in time, S.
        otherwise: share that another requirement ended.
        short: share that ended nothing and did not get all feet beyond, U.
        reason: of most of `otherwise`; empty if there are none.
        strike_time: median over the strikes, s; NaN if there are none.
        yaw_deviation: standard deviation of the final yaw of all traces, rad.
        ahead_deviation: of the final x of the base, m.
        without_curb: share that a requirement ends where there is no curb.
    """

    gait: str
    step_height: float
    struck: Proportion
    cleared: Proportion
    otherwise: Proportion
    short: Proportion
    reason: str
    strike_time: float
    yaw_deviation: float
    ahead_deviation: float
    without_curb: Proportion


@dataclass(frozen=True)
class CurbResult:
    """What `reproduce curb` reports."""

    robot: str
    machine: Machine
    seed: int
    particles: int
    distance: float
    width: float
    heights: tuple[Height, ...]


def foremost_foot(snapshot: Snapshot) -> float:
    """x of odom of the surface of the foot that is farthest ahead, m."""
    model, state = load_robot(ROBOT), snapshot.state
    turn = np.empty((3, 3))
    rotation_from_quaternion(state.base_quaternion, turn)
    feet = state.base_position + model.feet_in_base(state.joint_position) @ turn.T
    return float(feet[:, 0].max()) + model.description.foot_radius


def trace_height(walk: str, step_height: float, particles: int, seed: int, distance: float = DISTANCE, width: float = WIDTH) -> Height:
    """A walk over the curb with one step height, and where there is none.

    Args:
        walk: name in WALKS.
        step_height: m.
        particles: traces.
        seed: of the sensors and of the cloud.
        distance: from the foremost foot to the curb at the start, m.
        width: of the curb, m.
    """
    way, config = WALKS[walk], shared_directory() / "config"
    standing = _start(walk, seed)
    gait = standing.gait_to.model_copy(update={"step_height": step_height})
    snapshot = replace(standing, gait_from=gait, gait_to=gait, command=np.array(way.command))
    start = foremost_foot(snapshot) + distance
    preset = read_requirements(config / "requirements" / "curb.yaml")
    held = {name: parameters for name, parameters in preset.requirements.items() if name not in NOT_ASKED}
    cloud = read_uncertainty(config / "uncertainty" / "links.yaml")
    candidate = Candidate(float(snapshot.planner["phase"][0]), snapshot.state.time)
    model, settings, indices = load_robot(ROBOT), planner_settings(), np.arange(particles)
    on_flat = RequirementSettings(requirements=held, objectives={})
    over = RequirementSettings(requirements=held, objectives=dict(preset.objectives) | {"feet_beyond": {"x": start + width}})
    flat = Tracer(model, settings, JOB, limited=False).trace(Rehearsal(snapshot, way.horizon, seed, cloud, on_flat), candidate, indices)
    strip = GroundStrip(start=start, end=start + width, friction=World().friction, height=CURB)
    curb = Tracer(model, settings, JOB, world=World(strips=(strip,)), limited=False)
    outcomes = curb.trace(Rehearsal(snapshot, way.horizon, seed, cloud, over), candidate, indices)
    return height_of(walk, step_height, outcomes, flat)


def height_of(walk: str, step_height: float, outcomes: Outcomes, flat: Outcomes) -> Height:
    """What outcomes say, with the curb and without."""
    n = len(outcomes.indices)
    failed = outcomes.verdict == FAILED
    struck = failed & np.array([name == "stub" for name in outcomes.violated])
    others = [name for name, one in zip(outcomes.violated, failed & ~struck, strict=True) if one]
    poses = final_poses(outcomes.base_path[:, -1].astype(np.float64))
    return Height(
        gait=walk,
        step_height=step_height,
        struck=proportion(int(struck.sum()), n),
        cleared=proportion(int((outcomes.verdict == SURVIVED).sum()), n),
        otherwise=proportion(len(others), n),
        short=proportion(int((outcomes.verdict == UNFINISHED).sum()), n),
        reason=most_frequent(others),
        strike_time=float(np.median(outcomes.failure_time[struck])) if struck.any() else float("nan"),
        yaw_deviation=float(np.std(poses[:, 5])),
        ahead_deviation=float(np.std(poses[:, 0])),
        without_curb=proportion(int((flat.verdict == FAILED).sum()), n),
    )


def reproduce_curb(
    particles: int = 20,
    seed: int = 0,
    distance: float = DISTANCE,
    width: float = WIDTH,
    processes: int = 2,
    progress: Callable[[Height], None] = lambda height: None,
) -> CurbResult:
    """All walks and step heights.

    Args:
        particles: traces of each.
        seed: of the sensors and of the cloud.
        distance: from the foremost foot to the curb at the start, m.
        width: of the curb, m.
        processes: step heights at once.
        progress: called with each step height when it is done.
    """
    machine = this_machine()
    calls = [
        partial(trace_height, walk, step_height, particles, seed, distance, width) for walk in WALKS for step_height in STEP_HEIGHTS
    ]
    return CurbResult(ROBOT, machine, seed, particles, distance, width, tuple(results_of(processes, calls, progress)))


@cache
def _start(walk: str, seed: int) -> Snapshot:
    """One for all step heights of a process."""
    way = WALKS[walk]
    return walking_snapshot(load_robot(ROBOT), way.gait, way.gait, way.command, seed, WALKED)

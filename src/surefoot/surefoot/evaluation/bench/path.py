# SPDX-License-Identifier: Apache-2.0
"""How well a robot stays on a figure of eight, by its own estimate of where it is, in any gait."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from surefoot.evaluation.bench.sample import Machine, Proportion, proportion, this_machine
from surefoot.evaluation.bench.speeds import speeds_of
from surefoot.evaluation.bench.walk import STANDING
from surefoot.evaluation.closed_loop import ClosedLoop
from surefoot.gait.path import PathFollower, distance_to_path, figure_eight
from surefoot.processes import results_of
from surefoot.robot.load import load_robot
from surefoot.rotation import roll_pitch_yaw

LENGTH_IN_HEIGHTS, SLENDERNESS = 10.0 / 3.0, 0.5
"""Of the eight, in stand heights of the robot: 2 m for hyq, and its width in parts of its length."""

PATH_TOLERANCE_IN_HEIGHTS = 1.0 / 6.0
"""A good run is never farther than this from the path: 10 cm for hyq."""

PATIENCE = 3.0
"""A run ends after this many times of the time that the path takes at full speed."""


@dataclass(frozen=True)
class PathTrial:
    """One lap in one gait.

    Attributes:
        commanded: m/s, where the path allows it.
        error: largest distance of the base from the path, m.
        drift: of the estimate at the end, m; it is part of the error.
        seconds: of the lap; infinity if it was not finished.
        fell: whether the base came down to half of its height.
        good: whether it finished its lap within the tolerance and did not fall.
    """

    gait: str
    seed: int
    commanded: float
    error: float
    drift: float
    seconds: float
    fell: bool
    good: bool


@dataclass(frozen=True)
class PathGait:
    """All runs in one gait."""

    gait: str
    commanded: float
    worst_error: float
    worst_drift: float
    falls: int
    good: Proportion


@dataclass(frozen=True)
class PathResult:
    """What `bench path` reports."""

    robot: str
    machine: Machine
    length: float
    tolerance: float
    gaits: tuple[PathGait, ...]
    trials: tuple[PathTrial, ...]


def bench_path(
    robot: str, seeds: int, gaits: Sequence[str] = (), processes: int = 2, progress: Callable[[PathTrial], None] = lambda trial: None
) -> PathResult:
    """One lap in every gait with seeds 0, 1, ... in worker processes.

    Args:
        robot: name or path.
        seeds: how many.
        gaits: names; those of `speeds_of` if none.
        processes: how many at once.
        progress: called with each run when it ends.
    """
    machine, model = this_machine(), load_robot(robot)
    names = tuple(gaits) or tuple(speeds_of(model))
    trials = results_of(processes, [partial(run_lap, robot, gait, seed) for gait in names for seed in range(seeds)], progress)
    height = model.description.stand_height
    gaits_of_trials = tuple(_summary([trial for trial in trials if trial.gait == gait]) for gait in names)
    return PathResult(
        model.description.name, machine, LENGTH_IN_HEIGHTS * height, PATH_TOLERANCE_IN_HEIGHTS * height, gaits_of_trials, tuple(trials)
    )


def run_lap(robot: str, gait: str, seed: int) -> PathTrial:
    """Stand, take a gait, and go once round the eight."""
    model = load_robot(robot)
    speeds, height = speeds_of(model), model.description.stand_height
    loop = ClosedLoop(model, seed)
    loop.run(STANDING)
    loop.change_gait(gait)
    wanted = loop.gaits[gait]
    speed = min(wanted.max_forward_speed, speeds.get(gait, min(speeds.values())))
    start = loop.course.estimate[-1]
    yaw = _heading(loop)
    length = LENGTH_IN_HEIGHTS * height
    path = lay_path(figure_eight(length, SLENDERNESS * length), start.base_position[:2], yaw)
    follower = PathFollower(path, speed, wanted.max_strafe_speed, wanted.max_turn_rate)
    begin = len(loop.course.truth)
    around = float(np.hypot(*(np.roll(path, -1, axis=0) - path).T).sum())
    ticks = round(PATIENCE * around / speed / loop.robot.period)
    while ticks > 0 and follower.laps == 0 and not loop.fallen:
        state = loop.course.estimate[-1]
        command = follower.command(state.base_position, _heading(loop))
        loop.run(loop.robot.period, (float(command[0]), float(command[1]), float(command[2])))
        ticks -= 1
    truth, estimate = loop.course.truth[begin:], loop.course.estimate[-1]
    # The estimate begins where it is: what was wrong with it before is no matter of this path.
    offset = loop.course.truth[begin - 1].base_position[:2] - start.base_position[:2]
    error = float(distance_to_path(path + offset, np.array([sample.base_position[:2] for sample in truth])).max())
    drift = float(np.hypot(*(truth[-1].base_position[:2] - offset - estimate.base_position[:2])))
    seconds = len(truth) * loop.robot.period if follower.laps else math.inf
    good = follower.laps > 0 and not loop.fallen and error <= PATH_TOLERANCE_IN_HEIGHTS * height
    return PathTrial(gait, seed, speed, error, drift, seconds, loop.fallen, good)


def _heading(loop: ClosedLoop) -> float:
    """That of the last estimate, rad: where a command forward leads."""
    return float(roll_pitch_yaw(loop.course.estimate[-1].base_quaternion)[2]) - loop.course.twist[-1]


def lay_path(path: np.ndarray, place: np.ndarray, yaw: float) -> np.ndarray:
    """The path begun at a place, its first step along a heading, in odom."""
    first = path[1] - path[0]
    turn = yaw - math.atan2(first[1], first[0])
    cosine, sine = math.cos(turn), math.sin(turn)
    laid: np.ndarray = (path - path[0]) @ np.array(((cosine, sine), (-sine, cosine))) + place
    return laid


def _summary(trials: list[PathTrial]) -> PathGait:
    return PathGait(
        gait=trials[0].gait,
        commanded=trials[0].commanded,
        worst_error=max(trial.error for trial in trials),
        worst_drift=max(trial.drift for trial in trials),
        falls=sum(trial.fell for trial in trials),
        good=proportion(sum(trial.good for trial in trials), len(trials)),
    )

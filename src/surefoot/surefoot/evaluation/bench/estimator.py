# SPDX-License-Identifier: Apache-2.0
"""How well the estimator knows where the robot is, and how well it knows how well it knows: beside simpler filters, on the same sensors."""

import time
from collections.abc import Callable
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement
from surefoot.evaluation.bench.estimator_journal import EstimatorJournal
from surefoot.evaluation.bench.estimator_seed import NO_DELAY, NO_STAMPS, OURS, RUNS, STANDING, estimator_settings, run_seed
from surefoot.evaluation.bench.sample import Machine, Times, this_machine, times_of
from surefoot.evaluation.estimator_runs import Track
from surefoot.evaluation.sensor_faults import SensorFaults, read_sensor_faults
from surefoot.evaluation.sensor_stream import SensorStream, record_walk
from surefoot.processes import process_pool
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]

CONFIDENCE = 0.95

OURS_IN_ANY_WAY = (OURS, NO_STAMPS, NO_DELAY)

TIMED_WALK = 4.0
"""s of walking, on a part of which a tick is timed."""

NEES: dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]] = {
    "position": ("pose", (0, 1), (0, 1)),
    "height": ("pose", (2,), (2,)),
    "tilt": ("pose", (3, 4), (3, 4)),
    "yaw": ("pose", (5,), (5,)),
    "pose": ("pose", (0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)),
    "velocity": ("twist", (0, 1, 2), (6, 7, 8)),
}
"""What is held against its covariance: which one, its rows, and the rows of the error of a Track."""


NIS: dict[str, tuple[tuple[int, ...], int]] = {
    "innovations": ((0, 1), 0),
    "of the feet's places": ((0,), 0),
    "of the feet's speeds": ((1,), 0),
    "innovations, each by itself": ((0, 1), 1),
    "of the feet's places, each by itself": ((0,), 1),
    "of the feet's speeds, each by itself": ((1,), 1),
}
"""Which innovations are judged, and by which sum of squares: rows and column of those of a Track. Given those before, all are independent
under the filter's model; by themselves, one robot's are wrong by the same zeros of its joints."""


@dataclass(frozen=True)
class Accuracy:
    """Errors of one filter; each number is the mean over the seeds, and the worst of them.

    Attributes:
        position_percent: horizontal error at the end, in percent of the way.
        yaw_deg: absolute error at the end, degrees.
        velocity_rms: of the length of the velocity's error while walking, m/s.
        height_m: largest error of the height.
        tilt_deg: largest error of roll or pitch, degrees.
    """

    seeds: int
    position_percent: tuple[float, float]
    yaw_deg: tuple[float, float]
    velocity_rms: tuple[float, float]
    height_m: tuple[float, float]
    tilt_deg: tuple[float, float]


@dataclass(frozen=True)
class Consistency:
    """The error held against its covariance.

    Attributes:
        normalised: mean of the normalised squared error, divided by its dimension; 1 is honest, less is shy, more is overconfident.
        in_band: part of the instants at which its mean over the seeds lies in the 95 % band of the chi-squared distribution.
    """

    normalised: float
    in_band: float


@dataclass(frozen=True)
class WindowTimes:
    """Time of one tick that replays so many steps."""

    steps: int
    times: Times


@dataclass(frozen=True)
class EstimatorResult:
    """What `bench estimator` reports.

    Attributes:
        seconds, way_m: of walking, and how far a seed's robot goes in it in the mean.
        accuracy: by filter, of RUNS.
        nees: by filter of ours, and by what is estimated.
        nis: by filter of ours, and by NIS.
        invalid: part of the instants that ours declared invalid, by filter.
        tick: of the 30-step window. window: against the length of the window.
    """

    robot: str
    sensors: str
    machine: Machine
    seconds: float
    way_m: float
    accuracy: dict[str, Accuracy]
    nees: dict[str, dict[str, Consistency]]
    nis: dict[str, dict[str, Consistency]]
    invalid: dict[str, float]
    tick: Times
    window: tuple[WindowTimes, ...]


def bench_estimator(
    robot: str = "a1",
    sensors: str = "a1_class",
    seeds: int = 50,
    plain_seeds: int = 5,
    seconds: float = 60.0,
    processes: int = 2,
    progress: Callable[[int, int], None] = lambda done, of: None,
    journal: Path | None = None,
) -> EstimatorResult:
    """Record a walk for each seed, spoil what its sensors say, and let every filter say where the robot is.

    Args:
        robot: name or path.
        sensors: a name in config/sensors, or a path.
        seeds: of ours, 0, 1, ...
        plain_seeds: of the filters to compare with, which are slower; the first of the same seeds.
        seconds: of walking.
        processes: seeds at once.
        progress: called with the number of runs that are done and of all.
        journal: folder that keeps the runs; a bench that was stopped goes on from it.

    Raises:
        ConfigurationError: the journal is of another run or of other code.
        SurefootError: the robot fell.
    """
    machine, model, faults = this_machine(), load_robot(robot), read_sensor_faults(sensors)
    kept = EstimatorJournal(journal, {"robot": robot, "sensors": sensors, "seconds": seconds})
    wanted = [(name, seed) for name in RUNS for seed in range(seeds if name in OURS_IN_ANY_WAY else min(seeds, plain_seeds))]
    missing = {seed: [name for name, its in wanted if its == seed and (name, seed) not in kept.done] for seed in range(seeds)}
    tracks = {one: kept.track(*one) for one in wanted if one in kept.done}
    with process_pool(processes) as pool:
        jobs = {pool.submit(run_seed, robot, sensors, seconds, seed, names): seed for seed, names in missing.items() if names}
        for done in as_completed(jobs):
            for name, track in done.result().items():
                tracks[name, jobs[done]] = track
                kept.add(name, jobs[done], track)
            progress(len(tracks), len(wanted))
    by_filter = {name: [tracks[one] for one in wanted if one[0] == name] for name in RUNS}
    window = tuple(time_windows(model, faults, record_walk(model, TIMED_WALK, standing=STANDING)))
    ours = {name: by_filter[name] for name in OURS_IN_ANY_WAY}
    return EstimatorResult(
        robot=model.description.name,
        sensors=sensors,
        machine=machine,
        seconds=seconds,
        way_m=float(np.mean([track.way[-1] for track in by_filter[OURS]])),
        accuracy={name: accuracy(runs) for name, runs in by_filter.items()},
        nees={name: {what: nees(runs, what) for what in NEES} for name, runs in ours.items()},
        nis={name: {kind: nis(runs, kind) for kind in NIS} for name, runs in ours.items()},
        invalid={name: float(np.mean([run.invalid for run in runs])) for name, runs in ours.items()},
        tick=next(one.times for one in window if one.steps == 30),
        window=window,
    )


def accuracy(tracks: list[Track]) -> Accuracy:
    """Mean and worst over the runs of one filter."""
    rows = []
    for track in tracks:
        error, walking = track.error, track.time > STANDING
        rows.append(
            (
                100.0 * float(np.linalg.norm(error[-1, :2])) / float(track.way[-1]),
                abs(float(np.degrees(error[-1, 5]))),
                float(np.sqrt((error[walking, 6:9] ** 2).sum(axis=1).mean())),
                float(np.abs(error[:, 2]).max()),
                float(np.degrees(np.abs(error[:, 3:5]).max())),
            )
        )
    table = np.array(rows)
    return Accuracy(len(tracks), *((float(mean), float(worst)) for mean, worst in zip(table.mean(axis=0), table.max(axis=0), strict=True)))


def nees(tracks: list[Track], what: str) -> Consistency:
    """Normalised squared error of a part of the state while walking [Bar-Shalom 2001, section 5.4]."""
    matrix, rows, errors = NEES[what]
    values = []
    for track in tracks:
        covariance = track.pose_covariance if matrix == "pose" else track.twist_covariance
        assert covariance is not None
        walking = track.time > STANDING
        error = track.error[walking][:, errors]
        spread = covariance[walking][:, rows][:, :, rows]
        values.append(np.einsum("ti,ti->t", error, np.linalg.solve(spread, error[:, :, None])[:, :, 0]))
    # Runs may have started an instant apart.
    length = min(len(value) for value in values)
    mean = np.mean([value[-length:] for value in values], axis=0)
    freedom = len(rows) * len(tracks)
    low, high = chi2.ppf(((1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0), freedom) / len(tracks)
    return Consistency(float(mean.mean()) / len(rows), float(np.mean((low <= mean) & (mean <= high))))


def nis(tracks: list[Track], what: str = "innovations") -> Consistency:
    """Normalised squared innovations of the feet while walking, between two instants of a track and over all runs; what as in NIS."""
    kinds, column = NIS[what]
    sums = []
    for track in tracks:
        assert track.innovations is not None
        sums.append(np.diff(track.innovations[track.time > STANDING][:, kinds][:, :, (column, 2)].sum(axis=1), axis=0))
    length = min(len(one) for one in sums)
    total = np.sum([one[-length:] for one in sums], axis=0)
    total = total[total[:, 1] > 0.0]
    low, high = chi2.ppf((1.0 - CONFIDENCE) / 2.0, total[:, 1]), chi2.ppf((1.0 + CONFIDENCE) / 2.0, total[:, 1])
    inside = (low <= total[:, 0]) & (total[:, 0] <= high)
    return Consistency(float(total[:, 0].sum() / total[:, 1].sum()), float(inside.mean()))


def time_windows(
    model: RobotModel, faults: SensorFaults, stream: SensorStream, lengths: tuple[int, ...] = (0, 5, 10, 20, 30, 45, 60), ticks: int = 300
) -> list[WindowTimes]:
    """Time of a tick in which the IMU's sample is so many steps late, taking turns; the measurements of the tick are taken in as well.

    While the robot stands no sample is late: one that is late by more than a start lasts would have no filter start.
    """
    configured, period = estimator_settings(), float(stream.time[1] - stream.time[0])
    window = configured.window.model_copy(update={"duration": (max(lengths) + 5) * period})
    settings = configured.model_copy(update={"window": window})
    description = faults.described(model.description)
    walking, begin = np.searchsorted(stream.time, (STANDING, STANDING + 2.0)).tolist()
    running: dict[int, tuple[StateEstimator, list[float]]] = {late: (StateEstimator(description, model, settings), []) for late in lengths}
    for k in range(min(begin + ticks, len(stream.time))):
        for late, (estimator, seconds) in running.items():
            before = time.perf_counter()
            now = float(stream.time[k])
            estimator.take(JointMeasurement(now, stream.joint_position[k], stream.joint_velocity[k], stream.joint_effort[k]))
            estimator.take(FootForceMeasurement(now, stream.foot_force_base[k]))
            if not walking <= k < walking + late:
                then = k if k < walking else k - late
                estimator.take(
                    ImuMeasurement(float(stream.time[then]), stream.angular_velocity_imu[then], stream.specific_force_imu[then])
                )
            if k >= begin or k % 5 == 0:
                estimator.state(now)
            if k >= begin:
                seconds.append(time.perf_counter() - before)
    return [WindowTimes(late, times_of(np.array(seconds))) for late, (_, seconds) in running.items()]

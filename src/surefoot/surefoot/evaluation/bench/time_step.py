# SPDX-License-Identifier: Apache-2.0
"""What the step size of the traces does to a nominal trot, beside what the spread of the cloud does to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD, Rehearsal, Tracer

Array = NDArray[np.float64]

FINEST = 0.5e-3
"""s; what every other step size is compared with."""
TIME_STEPS = (1e-3, 2e-3, 4e-3)
MOMENTS = (1.0, 2.0)
"""s after the change of gait."""


@dataclass(frozen=True)
class Deviation:
    """How far the base is from where it was to be, at each of some moments.

    Attributes:
        position_m: of the origin of the base.
        angle_rad: of its attitude.
    """

    position_m: tuple[float, ...]
    angle_rad: tuple[float, ...]


@dataclass(frozen=True)
class TimeStepError:
    """One step size.

    Attributes:
        time_step: s.
        error: of the believed robot, against the finest step.
    """

    time_step: float
    error: Deviation


@dataclass(frozen=True)
class TimeStepErrors:
    """What step size and cloud do to the same change from walk to trot.

    Attributes:
        finest: s.
        moments: s after the change.
        errors: of each step size.
        spread: root mean square over the particles that are still up, against their mean, at the step of the traces.
        particles: that were traced for it.
    """

    finest: float
    moments: tuple[float, ...]
    errors: tuple[TimeStepError, ...]
    spread: Deviation
    particles: int


def time_step_errors(model: RobotModel, trace_step: float, particles: int = 32, steps: Sequence[float] = TIME_STEPS) -> TimeStepErrors:
    """Trace the same change without any uncertainty at each step size, and with the cloud at that of the traces.

    Args:
        model: the robot.
        trace_step: of the traces, s.
        particles: of the cloud.
        steps: to be compared with the finest, s.
    """
    rehearsal = walking_rehearsal(model, MOMENTS[-1], 1)
    nominal = replace(rehearsal, uncertainty=NO_UNCERTAINTY)
    finest = _poses(model, nominal, FINEST, 1)
    errors = []
    for step in steps:
        (position,), (attitude,) = (part[:1] for part in _poses(model, nominal, step, 1))
        errors.append(TimeStepError(step, _deviation(position[None] - finest[0], _angles(attitude[None], finest[1][0]))))
    positions, attitudes = _poses(model, rehearsal, trace_step, particles)
    mean = np.array([Rotation.from_quat(attitudes[:, moment]).mean().as_quat() for moment in range(len(MOMENTS))])
    spread = _deviation(positions - positions.mean(axis=0), _angles(attitudes, mean))
    return TimeStepErrors(FINEST, MOMENTS, tuple(errors), spread, len(positions))


def _poses(model: RobotModel, rehearsal: Rehearsal, time_step: float, particles: int) -> tuple[Array, Array]:
    """Positions (n, moments, 3) and quaternions x y z w (n, moments, 4) of the base of those that stayed up."""
    candidate = Candidate(0.0, rehearsal.snapshot.state.time + LEAD)
    tracer = Tracer(model, planner_settings(), min(particles, 16), time_step)
    outcomes = tracer.trace(rehearsal, candidate, np.arange(particles))
    ticks = [outcomes.switch_tick + round(moment / tracer.period) for moment in MOMENTS]
    path = outcomes.base_path[np.isnan(outcomes.failure_time)][:, ticks].astype(np.float64)
    return path[:, :, :3], path[:, :, [4, 5, 6, 3]]


def _angles(quaternions: Array, reference: Array) -> Array:
    """Angles of attitudes (n, moments, 4) against one reference a moment, (n, moments), rad."""
    columns = [
        (Rotation.from_quat(each).inv() * Rotation.from_quat(one)).magnitude()
        for each, one in zip(quaternions.swapaxes(0, 1), reference, strict=True)
    ]
    return np.array(columns).T


def _deviation(offsets: Array, angles: Array) -> Deviation:
    distance = np.sqrt((offsets**2).sum(axis=2).mean(axis=0))
    return Deviation(tuple(distance.tolist()), tuple(np.sqrt((angles**2).mean(axis=0)).tolist()))

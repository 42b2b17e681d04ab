# SPDX-License-Identifier: Apache-2.0
"""Whether the rehearsed robot is the robot: a nominal, noise-free trace beside what was really done from the same moment on."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from surefoot.errors import ConfigurationError
from surefoot.evaluation.contact_events import contact_events, same_order
from surefoot.evaluation.run import Run
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.load import load_robot
from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.uncertainty import NO_UNCERTAINTY
from surefoot.traces.decision.record import RecordedDecision
from surefoot.traces.outcome import Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD, Tracer

Array = NDArray[np.float64]

HOLD = 0.05
"""s that a contact, or its loss, must last to count as a step: a foot that lands bounces, and one that is about to leave grazes the
ground, for less."""
SAME_TIME = 0.02
"""s within which two contact events have no order."""


@dataclass(frozen=True)
class TraceAgreement:
    """How far a nominal trace and the simulated robot came apart, both seen from the base at the snapshot.

    Attributes:
        position_m: largest distance of the base positions, m.
        angle_rad: largest angle between the attitudes, rad.
        same_events: whether the feet made and lost contact in the same order.
        final_position_m, final_angle_rad: the same at the end.
        events: how many contact events the robot showed.
        start_time: of the snapshot, s.
        seconds: how long they were compared.
        ended_by: what ended the trace early; empty if nothing did.
    """

    position_m: float
    angle_rad: float
    same_events: bool
    final_position_m: float
    final_angle_rad: float
    events: int
    start_time: float
    seconds: float
    ended_by: str = ""


def trace_agreement(record: RecordedDecision, run: Run, seconds: float = 1.0, model: RobotModel | None = None) -> TraceAgreement:
    """Trace the believed robot from a recorded snapshot and compare.

    An accepted request is traced with its chosen change, any other with the gait that was kept. The estimate's offset from the truth
    at the snapshot falls out, since each motion is taken relative to its own start.

    Args:
        record: of the decision.
        run: in which it was made, on the same clock.
        seconds: how long to compare.
        model: of the robot, where it is loaded already.

    Raises:
        ConfigurationError: the run does not hold the time after the snapshot.
    """
    start = record.rehearsal.snapshot.state.time
    if not (run.time[0] <= start and start + seconds <= run.time[-1]):
        raise ConfigurationError(
            f"the snapshot of {start:.2f} s and the {seconds:g} s after it lie outside of the run, "
            f"which holds {run.time[0]:.2f} to {run.time[-1]:.2f} s"
        )
    outcomes, threshold, period = _nominal_trace(record, seconds, model or load_robot(record.robot))
    ticks = round(seconds / period)
    times: Array = start + period * np.arange(ticks + 1, dtype=np.float64)
    path = outcomes.base_path[0, : ticks + 1].astype(np.float64)
    traced = _seen_from_start(path[:, :3], Rotation.from_quat(path[:, [4, 5, 6, 3]]))
    attitude = Rotation.from_quat(_at(times, run.time, _continuous(run.base_quaternion)))
    walked = _seen_from_start(_at(times, run.time, run.base_position), attitude)
    distance = np.linalg.norm(traced[0] - walked[0], axis=1)
    angle = (traced[1].inv() * walked[1]).magnitude()
    load = _at(times, run.time, run.foot_load)
    happened = contact_events(load > threshold, period, HOLD)
    expected = contact_events(outcomes.foot_contact[0, : ticks + 1], period, HOLD)
    ended = outcomes.failure_time[0] <= seconds
    return TraceAgreement(
        position_m=float(distance.max()),
        angle_rad=float(angle.max()),
        same_events=not ended and same_order(expected, happened, seconds - HOLD - SAME_TIME, SAME_TIME),
        final_position_m=float(distance[-1]),
        final_angle_rad=float(angle[-1]),
        events=len(happened),
        start_time=start,
        seconds=seconds,
        ended_by=outcomes.violated[0] if ended else "",
    )


def _nominal_trace(record: RecordedDecision, seconds: float, model: RobotModel) -> tuple[Outcomes, float, float]:
    """The trace of one believed robot, at least so long; the load at which a foot counts as in contact, N; the period, s."""
    tracer = Tracer(model, PlannerSettings(), 1)
    rehearsal, chosen = record.rehearsal, record.answer["chosen"]
    start = rehearsal.snapshot.state.time
    # A change that lies well behind the end of the comparison is one that is never made.
    never = Candidate(0.0, start + seconds + LEAD + tracer.period)
    candidate = never if chosen is None else record.candidates[chosen]
    horizon = max(tracer.period, start + seconds - candidate.switch_time + tracer.period)
    # The robot walks on the ground under its feet, whatever was said about the ground ahead. The way to a change is traced on that
    # anyway, with feet that are careful of what is ahead, as the robot's are.
    snapshot = rehearsal.snapshot
    if chosen is not None:
        snapshot = replace(snapshot, terrain=snapshot.terrain_here)
    nominal = replace(rehearsal, snapshot=snapshot, horizon=horizon, uncertainty=NO_UNCERTAINTY)
    return tracer.trace(nominal, candidate, np.arange(1)), model.description.control.foot_force_threshold, tracer.period


def _at(times: Array, known: Array, values: Array) -> Array:
    """Columns of values at other times, by straight lines."""
    return np.stack([np.interp(times, known, column) for column in values.T], axis=1)


def _continuous(quaternions: Array) -> Array:
    """The same attitudes without a change of sign from one to the next."""
    flips = (quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0.0
    signs = np.concatenate(([1.0], np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)))
    result: Array = quaternions * signs[:, None]
    return result


def _seen_from_start(position: Array, attitude: Rotation) -> tuple[Array, Rotation]:
    """A motion of the base in the frame of the base at its beginning."""
    start = attitude[0].inv()
    displacement: Array = start.apply(position - position[0])
    return displacement, start * attitude

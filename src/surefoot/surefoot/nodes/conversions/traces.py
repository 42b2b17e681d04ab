# SPDX-License-Identifier: Apache-2.0
"""Traces as messages and back, thinned out to what is drawn."""

import math
from array import array

import numpy as np
from surefoot_msgs.msg import CandidateScore, Traces

from surefoot.errors import SensorError
from surefoot.nodes.conversions.common import ODOM, stamp_of
from surefoot.nodes.conversions.rehearsal import candidate_of, message_of_candidate
from surefoot.traces.jobs import Job
from surefoot.traces.outcome import FAILED, Outcomes
from surefoot.traces.tracer import Rehearsal
from surefoot.viewer.page.rehearsal import CandidateShown, TraceShown

RATE = 20.0
"""Points of a trace a second."""


def message_of_traces(request_id: int, rehearsal: Rehearsal, job: Job, outcomes: Outcomes, offer: bool) -> Traces:
    """The message of what came out of a job.

    Args:
        request_id: that it belongs to.
        rehearsal: that it belongs to.
        job: that was traced.
        outcomes: of it.
        offer: whether it is tried as a counter-offer.
    """
    stride = max(1, round(1.0 / (RATE * outcomes.period)))
    snapshot = rehearsal.snapshot
    path = outcomes.base_path[:, ::stride, :3]
    period = stride * outcomes.period
    ends = np.full(len(path), path.shape[1])
    failed = outcomes.verdict == FAILED
    # Of what was never run, the beginning is all there is.
    times = np.where(np.isfinite(outcomes.failure_time), outcomes.failure_time, 0.0)
    ends[failed] = np.minimum(ends[failed], np.ceil(times[failed] / period).astype(int) + 1)
    points = np.concatenate([one[:end] for one, end in zip(path, ends, strict=True)]) if len(path) else np.zeros((0, 3))
    message = Traces(
        request_id=request_id,
        gait_from=snapshot.gait_from.name,
        gait_to=snapshot.gait_to.name,
        number=job.number,
        candidate=message_of_candidate(job.candidate),
        offer=offer,
        period=period,
        outcome=outcomes.verdict.tolist(),
        violated=list(outcomes.violated),
        length=ends.tolist(),
    )
    message.points = array("f", np.ascontiguousarray(points, np.float32).tobytes())
    message.header.stamp, message.header.frame_id = stamp_of(snapshot.state.time), ODOM
    return message


def candidate_shown(message: Traces | CandidateScore) -> CandidateShown:
    """The candidate that a message is about, without its traces."""
    return CandidateShown(candidate_of(message.candidate))


def traces_shown(message: Traces) -> list[TraceShown]:
    """The traces of a message.

    Raises:
        SensorError: its lists do not belong together.
    """
    count = len(message.outcome)
    length = np.array(message.length, np.int64)
    points = np.array(message.points, np.float32)
    if len(message.violated) != count or len(length) != count or len(points) != 3 * int(length.sum()) or not math.isfinite(message.period):
        raise SensorError(
            f"traces of request {message.request_id}: {count} outcomes, {len(message.violated)} names, {len(length)} lengths and "
            f"{len(points)} numbers do not belong together"
        )
    paths = np.split(points.reshape(-1, 3), np.cumsum(length)[:-1]) if count else []
    return [
        TraceShown(path[np.isfinite(path).all(axis=1)], int(outcome), violated)
        for path, outcome, violated in zip(paths, message.outcome, message.violated, strict=True)
    ]

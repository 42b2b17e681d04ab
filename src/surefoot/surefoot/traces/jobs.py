# SPDX-License-Identifier: Apache-2.0
"""Pieces of a rehearsal that are traced on their own, and who traces them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.outcome import FAILED, Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal, Tracer


@dataclass(frozen=True)
class Job:
    """Some particles of one candidate.

    Attributes:
        number: of the candidate within the rehearsal.
        candidate: what is traced.
        indices: of the particles.
    """

    number: int
    candidate: Candidate
    indices: NDArray[np.int64]


class Executor(Protocol):
    """Whoever traces jobs.

    Attributes:
        period: s between ticks of the traces.
    """

    period: float

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        """Trace all jobs; `done` is called once for each, in any order. A job that cannot be traced, or not within the patience, in s, has
        failed particles.
        """


class LocalExecutor:
    """Traces in this process."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer, self.period = tracer, tracer.period

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        """See Executor; it is patient."""
        for bundle in bundles(jobs, self._tracer.size):
            for job, outcomes in zip(bundle, traced(self._tracer, rehearsal, bundle), strict=True):
                done(job, outcomes)


def bundles(jobs: Sequence[Job], most: int) -> list[tuple[Job, ...]]:
    """Jobs that are traced side by side, in their order: as many as have no more particles together, and at least one."""
    result: list[list[Job]] = []
    room = 0
    for job in jobs:
        count = len(job.indices)
        if not result or count > room:
            result.append([])
            room = most
        result[-1].append(job)
        room -= count
    return [tuple(bundle) for bundle in result]


def traced(tracer: Tracer, rehearsal: Rehearsal, bundle: Sequence[Job]) -> list[Outcomes]:
    """The outcomes of some jobs, side by side if there are not too many particles."""
    if sum(len(job.indices) for job in bundle) > tracer.size:
        return [tracer.trace(rehearsal, job.candidate, job.indices) for job in bundle]
    return tracer.trace_together(rehearsal, [(job.candidate, job.indices) for job in bundle])


def untraced(candidate: Candidate, rehearsal: Rehearsal, period: float) -> Outcomes:
    """The outcomes of a candidate of which nothing was traced."""
    return lost(Job(0, candidate, np.zeros(0, np.int64)), rehearsal, period, "")


def lost(job: Job, rehearsal: Rehearsal, period: float, reason: str) -> Outcomes:
    """The outcomes of a job that nobody answered: every particle failed, none ever counts as a success."""
    count = len(job.indices)
    state = rehearsal.snapshot.state
    x, y, z, w = state.base_quaternion
    pose = np.concatenate((state.base_position, (w, x, y, z))).astype(np.float32)
    switch = max(0, round((job.candidate.switch_time - state.time) / period))
    ticks = switch + round((job.candidate.change_time + rehearsal.horizon) / period)
    return Outcomes(
        indices=job.indices,
        verdict=np.full(count, FAILED),
        violated=(reason,) * count,
        failure_time=np.full(count, np.nan),
        base_path=np.broadcast_to(pose, (count, ticks + 1, 7)).copy(),
        foot_contact=np.zeros((count, ticks + 1, 4), np.bool_),
        period=period,
        switch_tick=switch,
        particle_seconds=0.0,
    )

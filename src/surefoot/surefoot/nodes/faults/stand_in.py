# SPDX-License-Identifier: Apache-2.0
"""In the place of the processes that rehearse, where what they are asked is tried out and not what they find."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from surefoot.traces.jobs import Job, lost
from surefoot.traces.outcome import SURVIVED, Outcomes
from surefoot.traces.tracer import Rehearsal

NOBODY = "nobody traced it"

LOST_EVERY = 7
"""One of so many jobs is lost."""


class StandIn:
    """Answers each job at once, with particles that all survived, or that nobody traced.

    Attributes:
        period: s between ticks of the traces.
        rate: see `WorkerPool`.
        any_ready: see `WorkerPool`.
    """

    rate = 0.0
    any_ready = True

    def __init__(self, period: float) -> None:
        self.period = period
        self._jobs = 0

    def run(self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None) -> None:
        """See jobs.Executor."""
        for job in jobs:
            self._jobs += 1
            outcomes = lost(job, rehearsal, self.period, NOBODY)
            if self._jobs % LOST_EVERY:
                many = len(job.indices)
                outcomes = replace(outcomes, verdict=np.full(many, SURVIVED), violated=("",) * many, failure_time=np.full(many, np.nan))
            done(job, outcomes)

    def forget_rate(self) -> None:
        """See WorkerPool."""

    def close(self) -> None:
        """See WorkerPool."""

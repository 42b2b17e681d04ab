# SPDX-License-Identifier: Apache-2.0
"""An executor that lets somebody listen while it traces: what is decided does not depend on it."""

from collections.abc import Callable, Sequence

from surefoot.traces.jobs import Executor, Job
from surefoot.traces.outcome import Outcomes
from surefoot.traces.tracer import Rehearsal

Listener = Callable[[Rehearsal, Job, Outcomes], None]


class Overheard:
    """Traces by another executor.

    Args:
        executor: who traces.
        listener: told of each job that is done, before whoever asked for it. It must not raise.
    """

    def __init__(self, executor: Executor, listener: Listener) -> None:
        self._executor, self._listener, self.period = executor, listener, executor.period

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        """See jobs.Executor."""

        def both(job: Job, outcomes: Outcomes) -> None:
            self._listener(rehearsal, job, outcomes)
            done(job, outcomes)

        self._executor.run(rehearsal, jobs, both, patience)

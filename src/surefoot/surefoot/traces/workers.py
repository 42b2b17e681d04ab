# SPDX-License-Identifier: Apache-2.0
"""Worker processes that trace at low priority, so that the control loop does not notice them."""

import math
import multiprocessing
import os
import resource
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, wait
from typing import Any

from surefoot.gait.settings import PlannerSettings
from surefoot.processes import end_with
from surefoot.robot.load import load_robot
from surefoot.traces.jobs import Job, bundles, lost, traced
from surefoot.traces.outcome import Outcomes
from surefoot.traces.tracer import Rehearsal, Tracer

NICENESS = 10

MEMORY = 2 << 30
"""Bytes that a worker may have, about five times what one takes; a job for which that is not enough cannot be traced."""

RATE_GAIN = 0.3
"""Weight of the newest round in the rate of the workers."""

WORKER_DIED = "worker died"
NO_ANSWER = "no answer in time"
WORKER_ERROR = "worker error"


def _work(connection: Connection, parent: int, robot: str, settings: PlannerSettings, size: int, niceness: int, first: bool) -> None:
    """What a worker does until its parent goes. One of the first, of a robot that lies, steps back only when it is ready: beside busy
    programs it would not be for minutes.
    """
    end_with(parent)
    if not first:
        os.nice(niceness)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    model = load_robot(robot)
    tracer = Tracer(model, settings, size)
    if first:
        os.nice(niceness)
    connection.send("ready")
    while True:
        try:
            rehearsal, bundle = connection.recv()
        except EOFError:
            return
        try:
            answers: list[Any] = list(traced(tracer, rehearsal, bundle))
        except Exception:
            # Whose fault it is shows when each is traced alone.
            answers = [_answer(tracer, rehearsal, job) for job in bundle]
        connection.send(answers)


def _answer(tracer: Tracer, rehearsal: Rehearsal, job: Job) -> Any:
    """The outcomes of a job, or why there are none."""
    try:
        return traced(tracer, rehearsal, [job])[0]
    except Exception as error:
        return f"{WORKER_ERROR}: {error}"


class _Worker:
    def __init__(self, robot: str, settings: PlannerSettings, size: int, niceness: int, first: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, os.getpid(), robot, settings, size, niceness, first), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.bundle: tuple[Job, ...] = ()

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class WorkerPool:
    """Traces jobs in worker processes. A worker that dies or hangs costs its job and is replaced; jobs that it traced together with others
    are traced once more, each alone, where it died, since only one of them can be at fault.

    Args:
        robot: name or path of the robot.
        settings: of the planner; the same as on the robot.
        count: of workers.
        size: how many particles a worker steps together at most.
        deadline: wall time for one `run`, s; what is not answered by then is lost.
        niceness: of the workers.

    Attributes:
        period: s between ticks of the traces.

    A worker ends with the thread that made it, so the thread that calls `run`, which replaces workers, has to stay.
    """

    def __init__(
        self, robot: str, settings: PlannerSettings, count: int, size: int, deadline: float, niceness: int = NICENESS
    ) -> None:
        self._arguments = (robot, settings, size, niceness)
        self._deadline, self._size = deadline, size
        self._rate = 0.0
        self.period = 1.0 / load_robot(robot).description.control.rate
        # A worker dies with the thread that started it, so that thread must last as long as the pool, whoever calls `run`.
        self._starter = ThreadPoolExecutor(1, "start workers")
        self._workers = [self._started(first=True) for _ in range(count)]

    @property
    def rate(self) -> float:
        """Particle-seconds that the workers together traced in a second of late; 0 while nothing is known."""
        return self._rate

    def forget_rate(self) -> None:
        """Take the rate as unknown: what was slow once need not be slow for ever."""
        self._rate = 0.0

    @property
    def process_ids(self) -> tuple[int, ...]:
        """Of the workers."""
        return tuple(worker.process.pid or 0 for worker in self._workers)

    @property
    def any_ready(self) -> bool:
        """Whether a worker could take a job when they were last listened to."""
        return any(worker.ready for worker in self._workers)

    def wait_until_ready(self, timeout: float) -> bool:
        """Wait until every worker can take a job; False if some cannot within the timeout, s."""
        end = time.monotonic() + timeout
        while not all(worker.ready for worker in self._workers):
            left = end - time.monotonic()
            if left <= 0.0:
                return False
            self._receive(left, {})
        return True

    def close(self) -> None:
        """End every worker."""
        for worker in self._workers:
            worker.process.kill()
        # All of them end at once, not one after the other.
        for worker in self._workers:
            worker.stop()
        self._workers = []
        self._starter.shutdown()

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        """See jobs.Executor."""
        for index, worker in enumerate(self._workers):
            if worker.bundle:
                # Left over from a run that was broken off: its answer belongs to nobody any more.
                self._replace(index)
        # Small jobs are traced side by side, but no worker idles for it.
        share = -(-sum(len(job.indices) for job in jobs) // max(1, len(self._workers)))
        waiting, begin = deque(bundles(jobs, min(self._size, share))), time.monotonic()
        end, simulated = begin + min(self._deadline, math.inf if patience is None else patience), 0.0
        # Who waits for workers that still start learns nothing about their rate.
        all_ready = all(worker.ready for worker in self._workers)
        while True:
            for worker in self._workers:
                if waiting and worker.ready and not worker.bundle:
                    worker.bundle = waiting.popleft()
                    try:
                        worker.connection.send((rehearsal, worker.bundle))
                    except OSError:
                        # It died while idle; the jobs go to another, the worker is replaced when its end is read.
                        waiting.appendleft(worker.bundle)
                        worker.bundle, worker.ready = (), False
            if not waiting and not any(worker.bundle for worker in self._workers):
                if all_ready:
                    self._note_rate(simulated, time.monotonic() - begin)
                return
            left = end - time.monotonic()
            answers: dict[int, tuple[tuple[Job, ...], Any]] = {}
            if left > 0.0:
                self._receive(left, answers)
            else:
                for index, worker in enumerate(self._workers):
                    if worker.bundle:
                        answers[index] = (worker.bundle, NO_ANSWER)
                        self._replace(index)
                for number, bundle in enumerate(waiting):
                    answers[-1 - number] = (bundle, NO_ANSWER)
                waiting.clear()
            for bundle, answer in answers.values():
                if answer == WORKER_DIED and len(bundle) > 1:
                    waiting.extend((job,) for job in bundle)
                    all_ready = False
                    continue
                each = answer if isinstance(answer, list) and len(answer) == len(bundle) else [answer] * len(bundle)
                for job, one in zip(bundle, each, strict=True):
                    outcomes = one if isinstance(one, Outcomes) else lost(job, rehearsal, self.period, str(one))
                    simulated += outcomes.particle_seconds
                    done(job, outcomes)

    def _note_rate(self, simulated: float, seconds: float) -> None:
        """Keep a running mean over some rounds: one is short, and the load of the machine changes."""
        if simulated > 0.0:
            rate = simulated / max(seconds, 1e-6)
            self._rate = rate if self._rate == 0.0 else self._rate + RATE_GAIN * (rate - self._rate)

    def _replace(self, index: int) -> None:
        self._workers[index].stop()
        self._workers[index] = self._started()

    def _started(self, first: bool = False) -> _Worker:
        return self._starter.submit(_Worker, *self._arguments, first).result()

    def _receive(self, timeout: float, answers: dict[int, tuple[tuple[Job, ...], Any]]) -> None:
        """Take in what workers say within a timeout, s, and replace those that died."""
        by_connection = {worker.connection: index for index, worker in enumerate(self._workers)}
        for connection in wait(list(by_connection), timeout):
            index = by_connection[connection]  # type: ignore[index]
            worker = self._workers[index]
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                if worker.bundle:
                    answers[index] = (worker.bundle, WORKER_DIED)
                self._replace(index)
                continue
            if not worker.ready:
                worker.ready = True
            elif worker.bundle:
                answers[index] = (worker.bundle, answer)
                worker.bundle = ()

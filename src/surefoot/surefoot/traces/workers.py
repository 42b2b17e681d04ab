# SPDX-License-Identifier: Apache-2.0
"""Worker processes that trace at low priority, so that the control loop does not notice them."""

import math
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, wait
from typing import Any

from surefoot.gait.settings import PlannerSettings
from surefoot.processes import end_with
from surefoot.robot.load import load_robot
from surefoot.traces.jobs import Job, lost
from surefoot.traces.outcome import Outcomes
from surefoot.traces.tracer import Rehearsal, Tracer

NICENESS = 10

RATE_GAIN = 0.3
"""Weight of the newest round in the rate of the workers."""

WORKER_DIED = "worker died"
NO_ANSWER = "no answer in time"
WORKER_ERROR = "worker error"


def _work(connection: Connection, parent: int, robot: str, settings: PlannerSettings, size: int, niceness: int) -> None:
    """What a worker does until its parent goes."""
    end_with(parent)
    os.nice(niceness)
    model = load_robot(robot)
    tracer = Tracer(model, settings, size)
    connection.send("ready")
    while True:
        try:
            rehearsal, job = connection.recv()
        except EOFError:
            return
        try:
            answer: Any = tracer.trace(rehearsal, job.candidate, job.indices)
        except Exception as error:
            answer = f"{WORKER_ERROR}: {error}"
        connection.send(answer)


class _Worker:
    def __init__(self, robot: str, settings: PlannerSettings, size: int, niceness: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, os.getpid(), robot, settings, size, niceness), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.job: Job | None = None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class WorkerPool:
    """Traces jobs in worker processes. A worker that dies or hangs costs its job and is replaced.

    Args:
        robot: name or path of the robot.
        settings: of the planner; the same as on the robot.
        count: of workers.
        size: largest number of particles in a job.
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
        self._deadline = deadline
        self._rate = 0.0
        self.period = 1.0 / load_robot(robot).description.control.rate
        # A worker dies with the thread that started it, so that thread must last as long as the pool, whoever calls `run`.
        self._starter = ThreadPoolExecutor(1, "start workers")
        self._workers = [self._started() for _ in range(count)]

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
            worker.stop()
        self._workers = []
        self._starter.shutdown()

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        """See jobs.Executor."""
        for index, worker in enumerate(self._workers):
            if worker.job is not None:
                # Left over from a run that was broken off: its answer belongs to nobody any more.
                self._replace(index)
        waiting, begin = deque(jobs), time.monotonic()
        end, traced = begin + min(self._deadline, math.inf if patience is None else patience), 0.0
        # Who waits for workers that still start learns nothing about their rate.
        all_ready = all(worker.ready for worker in self._workers)
        while True:
            for worker in self._workers:
                if waiting and worker.ready and worker.job is None:
                    worker.job = waiting.popleft()
                    try:
                        worker.connection.send((rehearsal, worker.job))
                    except OSError:
                        # It died while idle; the job goes to another, the worker is replaced when its end is read.
                        waiting.appendleft(worker.job)
                        worker.job, worker.ready = None, False
            if not waiting and all(worker.job is None for worker in self._workers):
                if all_ready:
                    self._note_rate(traced, time.monotonic() - begin)
                return
            left = end - time.monotonic()
            answers: dict[int, tuple[Job, Any]] = {}
            if left > 0.0:
                self._receive(left, answers)
            else:
                for index, worker in enumerate(self._workers):
                    if worker.job is not None:
                        answers[index] = (worker.job, NO_ANSWER)
                        self._replace(index)
                for number, job in enumerate(waiting):
                    answers[-1 - number] = (job, NO_ANSWER)
                waiting.clear()
            traced += sum(answer.particle_seconds for _, answer in answers.values() if isinstance(answer, Outcomes))
            for job, answer in answers.values():
                done(job, answer if isinstance(answer, Outcomes) else lost(job, rehearsal, self.period, str(answer)))

    def _note_rate(self, traced: float, seconds: float) -> None:
        """Keep a running mean over some rounds: one is short, and the load of the machine changes."""
        if traced > 0.0:
            rate = traced / max(seconds, 1e-6)
            self._rate = rate if self._rate == 0.0 else self._rate + RATE_GAIN * (rate - self._rate)

    def _replace(self, index: int) -> None:
        self._workers[index].stop()
        self._workers[index] = self._started()

    def _started(self) -> _Worker:
        return self._starter.submit(_Worker, *self._arguments).result()

    def _receive(self, timeout: float, answers: dict[int, tuple[Job, Any]]) -> None:
        """Take in what workers say within a timeout, s, and replace those that died."""
        by_connection = {worker.connection: index for index, worker in enumerate(self._workers)}
        for connection in wait(list(by_connection), timeout):
            index = by_connection[connection]  # type: ignore[index]
            worker = self._workers[index]
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                if worker.job is not None:
                    answers[index] = (worker.job, WORKER_DIED)
                self._replace(index)
                continue
            if not worker.ready:
                worker.ready = True
            elif worker.job is not None:
                answers[index] = (worker.job, answer)
                worker.job = None

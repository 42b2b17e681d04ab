# SPDX-License-Identifier: Apache-2.0
"""Real processes: what they answer, and what becomes of their particles when they die, hang or err."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

import numpy as np
import psutil
import pytest

from surefoot.gait.settings import PlannerSettings
from surefoot.traces.jobs import Job, LocalExecutor
from surefoot.traces.outcome import FAILED, Outcomes, joined
from surefoot.traces.tracer import Rehearsal, Tracer
from surefoot.traces.workers import NICENESS, NO_ANSWER, WORKER_DIED, WORKER_ERROR, WorkerPool

SIZE = 4
PATIENCE = 120.0
"""s; only a broken pool needs them."""


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool("hyq", PlannerSettings(), count=2, size=SIZE, deadline=PATIENCE)
    yield pool
    pool.close()


@pytest.fixture
def ready(pool: WorkerPool) -> WorkerPool:
    assert pool.wait_until_ready(PATIENCE)
    return pool


@pytest.fixture(scope="module")
def rehearsal(walk, uncertainty) -> Rehearsal:
    return walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.1)


@pytest.fixture(scope="module")
def jobs(walk) -> list[Job]:
    return [Job(i, walk.candidate(0.05 * i, 0.25 * i), np.arange(SIZE * i, SIZE * i + SIZE)) for i in range(4)]


@pytest.fixture(scope="module")
def local(tracer: Tracer, rehearsal: Rehearsal, jobs: list[Job]) -> dict[int, Outcomes]:
    return answers_of(LocalExecutor(tracer), rehearsal, jobs)


def answers_of(
    executor: LocalExecutor | WorkerPool, rehearsal: Rehearsal, jobs: list[Job], also: Callable[[Job], None] = lambda job: None
) -> dict[int, Outcomes]:
    answers: dict[int, Outcomes] = {}

    def done(job: Job, outcomes: Outcomes) -> None:
        assert job.number not in answers
        answers[job.number] = outcomes
        also(job)

    executor.run(rehearsal, jobs, done)
    assert set(answers) == {job.number for job in jobs}
    return answers


def assert_same(first: Outcomes, second: Outcomes) -> None:
    for item in fields(Outcomes):
        one, two = np.asarray(getattr(first, item.name)), np.asarray(getattr(second, item.name))
        assert np.array_equal(one, two, equal_nan=item.name == "failure_time"), item.name


def assert_lost(outcomes: Outcomes, reason: str) -> None:
    assert (outcomes.verdict == FAILED).all()
    assert all(name.startswith(reason) for name in outcomes.violated)


def test_two_workers_answer_what_one_process_answers(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    for number, outcomes in answers_of(ready, rehearsal, jobs).items():
        assert_same(outcomes, local[number])


def test_one_worker_answers_the_same(rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]) -> None:
    """It is asked before it is ready: jobs wait."""
    pool = WorkerPool("hyq", PlannerSettings(), count=1, size=SIZE, deadline=PATIENCE)
    try:
        for number, outcomes in answers_of(pool, rehearsal, jobs).items():
            assert_same(outcomes, local[number])
    finally:
        pool.close()
    assert pool.process_ids == ()


def test_a_run_that_was_broken_off_leaves_nothing_to_the_next(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    def break_off(job: Job, outcomes: Outcomes) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ready.run(rehearsal, jobs, break_off)
    for number, outcomes in answers_of(ready, rehearsal, jobs).items():
        assert_same(outcomes, local[number])
    assert ready.wait_until_ready(PATIENCE)


def test_workers_run_at_low_priority(ready: WorkerPool) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert [os.getpriority(os.PRIO_PROCESS, pid) for pid in ready.process_ids] == [min(19, own + NICENESS)] * 2


def test_a_worker_that_is_killed_fails_its_particles_and_is_replaced(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    victim, other = ready.process_ids
    # Stopped, it holds its job for certain until it is killed.
    os.kill(victim, signal.SIGSTOP)

    def kill(job: Job) -> None:
        if job.number == 1:
            os.kill(victim, signal.SIGKILL)

    answers = answers_of(ready, rehearsal, jobs, kill)
    assert_lost(answers[0], WORKER_DIED)
    for number in (1, 2, 3):
        assert_same(answers[number], local[number])
    assert victim not in ready.process_ids
    assert other in ready.process_ids
    assert ready.wait_until_ready(PATIENCE)
    assert_same(answers_of(ready, rehearsal, jobs[:1])[0], local[0])


def test_jobs_that_shared_a_batch_with_the_one_that_killed_their_worker_are_traced_once_more_alone(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    first, second = (Job(number, jobs[0].candidate, jobs[0].indices[start : start + 2]) for number, start in ((0, 0), (8, 2)))
    victim = ready.process_ids[0]
    os.kill(victim, signal.SIGSTOP)

    def kill(job: Job) -> None:
        if job.number == 1:
            os.kill(victim, signal.SIGKILL)

    answers = answers_of(ready, rehearsal, [first, second, jobs[1]], kill)
    assert victim not in ready.process_ids
    assert_same(joined([answers[0], answers[8]]), local[0])
    assert_same(answers[1], local[1])
    assert ready.wait_until_ready(PATIENCE)


def test_a_worker_that_hangs_costs_its_job_at_the_deadline(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes], monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = ready.process_ids[0]
    os.kill(victim, signal.SIGSTOP)
    with monkeypatch.context() as patch:
        patch.setattr(ready, "_deadline", 0.3)
        assert_lost(answers_of(ready, rehearsal, jobs[:1])[0], NO_ANSWER)
    assert not psutil.pid_exists(victim)
    assert ready.wait_until_ready(PATIENCE)
    assert_same(answers_of(ready, rehearsal, jobs[:1])[0], local[0])


def test_a_job_that_cannot_be_traced_is_reported_and_the_worker_lives(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    before = ready.process_ids
    nobody = Job(9, jobs[0].candidate, np.array([-1]))
    answers = answers_of(ready, rehearsal, [nobody, jobs[0]])
    assert_lost(answers[9], WORKER_ERROR)
    assert_same(answers[0], local[0])
    assert ready.process_ids == before


def test_jobs_that_share_a_batch_answer_for_themselves(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    first, second = (Job(number, jobs[0].candidate, jobs[0].indices[2 * number : 2 * number + 2]) for number in (0, 1))
    nobody = Job(9, jobs[0].candidate, np.array([-1]))
    answers = answers_of(ready, rehearsal, [first, nobody, second, jobs[3]])
    assert_lost(answers[9], WORKER_ERROR)
    assert_same(joined([answers[0], answers[1]]), local[0])
    assert_same(answers[3], local[3])


def test_a_job_that_takes_too_much_memory_is_reported_and_the_worker_lives(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    before = ready.process_ids
    # More than an hour of noise for each particle.
    assert_lost(answers_of(ready, replace(rehearsal, horizon=6000.0), jobs[:1])[0], f"{WORKER_ERROR}: Unable to allocate")
    assert_same(answers_of(ready, rehearsal, jobs[:1])[0], local[0])
    assert ready.process_ids == before


def test_workers_replaced_by_a_passing_thread_outlive_it(
    ready: WorkerPool, rehearsal: Rehearsal, jobs: list[Job], local: dict[int, Outcomes]
) -> None:
    """Verdicts are made in threads that come and go; the system ends a child with the thread that started it."""
    victim = ready.process_ids[0]
    os.kill(victim, signal.SIGKILL)

    def verdict() -> None:
        answers_of(ready, rehearsal, jobs)
        ready.wait_until_ready(PATIENCE)

    thread = threading.Thread(target=verdict)
    thread.start()
    thread.join()
    replaced = ready.process_ids
    assert victim not in replaced
    for number, outcomes in answers_of(ready, rehearsal, jobs).items():
        assert_same(outcomes, local[number])
    assert ready.process_ids == replaced


def test_workers_go_with_their_parent() -> None:
    code = (
        "import time\n"
        "from surefoot.gait.settings import PlannerSettings\n"
        "from surefoot.traces.workers import WorkerPool\n"
        "if __name__ == '__main__':\n"
        "    print(*WorkerPool('hyq', PlannerSettings(), 1, 1, 1.0).process_ids, flush=True)\n"
        "    time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + PATIENCE
    while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        time.sleep(0.02)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE

# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.traces.jobs import Job, LocalExecutor, bundles, lost
from surefoot.traces.outcome import FAILED, joined
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Tracer


def test_local_traces_answer_every_job_once(tracer: Tracer, uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.05)
    jobs = [Job(i, walk.candidate(0.04 * i), np.arange(i, i + 2)) for i in range(3)]
    answered = []
    LocalExecutor(tracer).run(rehearsal, jobs, lambda job, outcomes: answered.append((job, outcomes)))
    assert [job for job, _ in answered] == jobs
    for job, outcomes in answered:
        assert outcomes.indices.tolist() == job.indices.tolist()
        assert outcomes.base_path.shape == (2, tracer.ticks(rehearsal, job.candidate)[1] + 1, 7)


def test_what_nobody_answered_has_failed_and_fits_to_what_was_answered(tracer: Tracer, uncertainty, walk) -> None:
    rehearsal = walk.rehearsal(walk.asked("trot"), uncertainty, horizon=0.05)
    candidate = walk.candidate(0.04)
    traced = tracer.trace(rehearsal, candidate, np.arange(2))
    missing = lost(Job(0, candidate, np.array([2, 3])), rehearsal, tracer.period, "worker died")
    whole = joined([traced, missing])
    assert (missing.switch_tick, missing.period) == (traced.switch_tick, traced.period)
    assert whole.verdict[2:].tolist() == [FAILED] * 2
    assert whole.violated[2:] == ("worker died",) * 2
    state = walk.snapshot.state
    assert whole.base_path[3, -1] == pytest.approx([*state.base_position, *state.base_quaternion[[3, 0, 1, 2]]], abs=1e-6)


def test_jobs_share_a_batch_as_long_as_there_is_room() -> None:
    jobs = [Job(i, Candidate(0.0, 1.0), np.arange(count)) for i, count in enumerate((2, 2, 5, 9, 1))]
    assert [[job.number for job in bundle] for bundle in bundles(jobs, 4)] == [[0, 1], [2], [3], [4]]
    assert [[job.number for job in bundle] for bundle in bundles(jobs, 10)] == [[0, 1, 2], [3, 4]]
    assert bundles([], 4) == []

# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.errors import SensorError
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.traces.snapshot import Candidate
from surefoot.viewer.page.rehearsal import (
    MOST_CANDIDATES,
    MOST_POINTS,
    MOST_REQUIREMENTS,
    MOST_TRACES,
    CandidateShown,
    RehearsalShown,
    TraceShown,
    VerdictShown,
    trace_shown,
)


def traces(count: int) -> list[TraceShown]:
    return [TraceShown(np.zeros((3, 3), np.float32), SURVIVED)] * count


def test_candidates_share_what_is_drawn() -> None:
    shown = RehearsalShown(1, "walk", "trot", 0.0)
    for number, count in enumerate((10, 200, 300)):
        shown.add(number, CandidateShown(Candidate(0.1 * number, 1.0, 0.0)), traces(count))
    drawn = [number for number, _ in shown.drawn()]
    assert len(drawn) == MOST_TRACES
    assert [drawn.count(number) for number in range(3)] == [10, 59, 59]
    assert shown.particles == 510
    # What can never be drawn is not kept.
    assert sum(len(candidate.traces) for candidate in shown.candidates.values()) == 10 + 2 * MOST_TRACES


def test_a_failed_trace_ends_where_it_failed() -> None:
    path = np.column_stack((np.arange(20.0), np.zeros((20, 2))))
    assert len(trace_shown(path, FAILED, "tilt", 0.5, 0.1).points) == 6
    assert len(trace_shown(path, SURVIVED, "", math.nan, 0.1).points) == 20
    assert len(trace_shown(path, FAILED, "worker died", math.nan, 0.1).points) == 1


def test_of_a_trace_no_more_points_are_kept_than_a_line_has() -> None:
    path = np.column_stack((np.arange(100_000.0), np.zeros((100_000, 2))))
    points = trace_shown(path, SURVIVED, "", math.nan, 0.1).points
    assert points.base is None or len(points.base) <= MOST_POINTS, "nor a view of all"
    assert len(points) == MOST_POINTS
    assert points[[0, -1], 0].tolist() == [0.0, 99_999.0]


def test_what_is_not_a_number_is_not_drawn() -> None:
    path = np.zeros((4, 3))
    path[2, 1] = np.inf
    assert len(trace_shown(path, SURVIVED, "", math.nan, 0.1).points) == 3


def test_the_verdict_passes_others_over() -> None:
    shown = RehearsalShown(1, "walk", "trot", 0.0)
    shown.add(0, CandidateShown(Candidate(0.0, 1.0, 0.0)), traces(1))
    version = shown.version
    assert not shown.is_dim(0)
    shown.answer(VerdictShown(True, 1, "good"), 2.0)
    assert shown.version > version
    assert shown.is_dim(0)
    assert not shown.is_dim(1)
    shown.answer(VerdictShown(False, None, "bad"), 2.0)
    assert not shown.is_dim(0)


def test_the_final_count_holds_whatever_came() -> None:
    shown = RehearsalShown(1, "walk", "trot", 0.0)
    shown.add(0, CandidateShown(Candidate(0.0, 1.0, 0.0)), traces(3))
    shown.settle(0, CandidateShown(Candidate(0.0, 1.0, 0.0)), 16, 12, {"tilt": 4}, 0.5)
    shown.settle(1, CandidateShown(Candidate(0.5, 1.0, 0.0)), 16, 0, {"scuff": 16}, 0.0)
    assert [(c.particles, c.survived) for c in shown.candidates.values()] == [(16, 12), (16, 0)]
    assert len(shown.drawn()) == 3


def test_a_trace_that_comes_after_the_verdict_is_drawn_and_changes_nothing_of_it() -> None:
    shown = RehearsalShown(1, "walk", "trot", 0.0)
    shown.settle(0, CandidateShown(Candidate(0.0, 1.0, 0.0)), 16, 12, {"tilt": 4}, 0.5)
    shown.answer(VerdictShown(False, None, "bad"), 2.0)
    shown.add(0, CandidateShown(Candidate(0.0, 1.0, 0.0)), [*traces(2), TraceShown(np.zeros((3, 3), np.float32), FAILED, "scuff")])
    assert len(shown.drawn()) == 3
    assert (shown.candidates[0].particles, shown.candidates[0].survived, dict(shown.candidates[0].violated)) == (16, 12, {"tilt": 4})


def candidate() -> CandidateShown:
    return CandidateShown(Candidate(0.0, 1.0, 0.0))


def ended_by(*names: str) -> list[TraceShown]:
    return [TraceShown(np.zeros((3, 3), np.float32), FAILED, name) for name in names]


def test_candidates_with_ever_new_numbers_are_refused_and_the_real_ones_still_find_their_place() -> None:
    shown = RehearsalShown(1, "walk", "trot", 0.0)
    refused = 0
    for number in range(10 * MOST_CANDIDATES, -1, -1):
        try:
            shown.add(number, candidate(), traces(1))
        except SensorError:
            refused += 1
    assert sorted(shown.candidates) == list(range(MOST_CANDIDATES))
    assert refused == 9 * MOST_CANDIDATES + 1
    with pytest.raises(SensorError, match="request 1 is said to have a candidate 256; they are 0 to 255"):
        shown.settle(MOST_CANDIDATES, candidate(), 16, 12, {}, 0.5)


def test_ever_new_requirements_are_refused_and_the_final_count_still_holds() -> None:
    shown = RehearsalShown(1, "walk", "trot", 0.0)
    shown.add(0, candidate(), ended_by("tilt", "", *(f"made up {number}" for number in range(MOST_REQUIREMENTS - 1))))
    with pytest.raises(SensorError, match="ended by 65 requirements"):
        shown.add(0, candidate(), ended_by("tilt", "one more"))
    assert (shown.candidates[0].particles, shown.candidates[0].violated["tilt"]) == (MOST_REQUIREMENTS + 1, 1), "nothing of it counts"
    shown.add(0, candidate(), ended_by("tilt"))
    assert shown.candidates[0].violated["tilt"] == 2
    with pytest.raises(SensorError, match="ended by 100 requirements"):
        shown.settle(0, candidate(), 16, 12, {f"made up {number}": 1 for number in range(100)}, 0.5)
    shown.settle(0, candidate(), 16, 12, {"scuff": 4}, 0.5)
    assert dict(shown.candidates[0].violated) == {"scuff": 4}

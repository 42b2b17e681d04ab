# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.traces.decision.confidence import running_lower_bound, running_upper_bound
from surefoot.traces.decision.scoring import Trial, score
from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.snapshot import Candidate


def outcomes(verdict: list[int], names: list[str], times: list[float], final: np.ndarray | None = None) -> Outcomes:
    count = len(verdict)
    path = np.zeros((count, 11, 7), np.float32)
    if final is not None:
        path[:, -1, :2] = final
    return Outcomes(np.arange(count), np.array(verdict), tuple(names), np.array(times), path, np.zeros((count, 11, 4), bool), 0.1, 4, 1.0)


def test_a_score_is_the_part_that_survived() -> None:
    verdict = [SURVIVED] * 35 + [FAILED] * 3 + [UNFINISHED] * 2
    names = [""] * 35 + ["roll", "pitch", "roll"] + ["keeps its speed"] * 2
    times = [np.nan] * 35 + [0.5, 0.7, 0.9] + [np.nan] * 2
    result = score(Candidate(0.25, 3.0), outcomes(verdict, names, times), 0.975)
    assert result.success_rate == 0.875
    assert (result.particles, result.survived, result.failed, result.unfinished) == (40, 35, 3, 2)
    assert result.violated == (("roll", 2), ("keeps its speed", 2), ("pitch", 1))
    assert result.mean_failure_time == pytest.approx(0.7 - 0.4)
    assert (result.lower, result.upper, result.tried) == (running_lower_bound(35, 40, 0.975), running_upper_bound(35, 40, 0.975), 0)


def test_failures_before_the_trial_do_not_count_in_it() -> None:
    some = outcomes([FAILED] * 2 + [SURVIVED] * 37 + [FAILED], ["roll"] * 2 + [""] * 37 + ["pitch"], [0.5] * 2 + [np.nan] * 37 + [0.5])
    result = score(Candidate(0.25, 3.0), some, 0.95, Trial(2, 0.97))
    assert (result.particles, result.survived, result.tried, result.tried_survived) == (40, 37, 38, 37)
    assert result.lower == running_lower_bound(37, 38, 0.97)


def test_nobody_failed() -> None:
    result = score(Candidate(0.0, 0.0), outcomes([SURVIVED] * 4, [""] * 4, [np.nan] * 4), 0.95)
    assert np.isnan(result.mean_failure_time)
    assert (result.success_rate, result.upper, result.final_spread) == (1.0, 1.0, 0.0)


def test_spread_is_the_distance_from_the_mean() -> None:
    corners = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * 0.2 + (7.0, 3.0)
    assert score(Candidate(0.0, 0.0), outcomes([SURVIVED] * 4, [""] * 4, [np.nan] * 4, corners), 0.95).final_spread == pytest.approx(0.2)


def test_a_candidate_of_which_nothing_was_traced_vouches_for_nothing() -> None:
    result = score(Candidate(0.0, 0.0), outcomes([], [], []), 0.95)
    assert (result.particles, result.success_rate, result.lower, result.upper, result.final_spread) == (0, 0.0, 0.0, 1.0, 0.0)

# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.scoring import lower_bound, score, upper_bound
from surefoot.traces.snapshot import Candidate


def outcomes(verdict: list[int], names: list[str], times: list[float], final: np.ndarray | None = None) -> Outcomes:
    count = len(verdict)
    path = np.zeros((count, 11, 7), np.float32)
    if final is not None:
        path[:, -1, :2] = final
    return Outcomes(np.arange(count), np.array(verdict), tuple(names), np.array(times), path, np.zeros((count, 11, 4), bool), 0.1, 4, 1.0)


@pytest.mark.parametrize(
    ("successes", "trials", "confidence", "bound"),
    [
        # Two-sided intervals at 95 %: each side at 97.5 %. All of four is weak evidence.
        (4, 4, 0.975, 0.397635), (0, 4, 0.975, 0.0), (35, 40, 0.975, 0.731967), (8, 10, 0.975, 0.443905),
        (4, 4, 0.95, 0.472871), (16, 16, 0.95, 0.829251),
    ],
)  # fmt: skip
def test_known_lower_bounds(successes: int, trials: int, confidence: float, bound: float) -> None:
    assert lower_bound(successes, trials, confidence) == pytest.approx(bound, abs=1e-6)
    assert upper_bound(trials - successes, trials, confidence) == pytest.approx(1.0 - bound, abs=1e-6)


@given(st.integers(1, 200), st.floats(0.5, 0.999), st.data())
def test_bounds_are_where_the_data_become_unlikely(trials: int, confidence: float, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = lower_bound(successes, trials, confidence), upper_bound(successes, trials, confidence)
    assert 0.0 <= low <= successes / trials <= high <= 1.0
    if successes > 0:
        assert binom.sf(successes - 1, trials, low) == pytest.approx(1.0 - confidence, rel=1e-4)
    if successes < trials:
        assert binom.cdf(successes, trials, high) == pytest.approx(1.0 - confidence, rel=1e-4)


def test_a_score_is_the_part_that_survived() -> None:
    verdict = [SURVIVED] * 35 + [FAILED] * 3 + [UNFINISHED] * 2
    names = [""] * 35 + ["roll", "pitch", "roll"] + ["keeps its speed"] * 2
    times = [np.nan] * 35 + [0.5, 0.7, 0.9] + [np.nan] * 2
    result = score(Candidate(0.25, 3.0), outcomes(verdict, names, times), 0.975)
    assert result.success_rate == 0.875
    assert (result.particles, result.survived, result.failed, result.unfinished) == (40, 35, 3, 2)
    assert result.violated == (("roll", 2), ("keeps its speed", 2), ("pitch", 1))
    assert result.mean_failure_time == pytest.approx(0.7 - 0.4)
    assert (result.lower, result.upper) == pytest.approx((0.731967, 0.958140), abs=1e-6)


def test_nobody_failed() -> None:
    result = score(Candidate(0.0, 0.0), outcomes([SURVIVED] * 4, [""] * 4, [np.nan] * 4), 0.95)
    assert np.isnan(result.mean_failure_time)
    assert (result.success_rate, result.upper, result.final_spread) == (1.0, 1.0, 0.0)


def test_spread_is_the_distance_from_the_mean() -> None:
    corners = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * 0.2 + (7.0, 3.0)
    assert score(Candidate(0.0, 0.0), outcomes([SURVIVED] * 4, [""] * 4, [np.nan] * 4, corners), 0.95).final_spread == pytest.approx(0.2)

# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from surefoot.traces.decision.confidence import (
    fewest_to_accept,
    is_above,
    least,
    log_evidence,
    lower_bound,
    running_lower_bound,
    running_upper_bound,
    upper_bound,
)


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


@given(st.floats(0.05, 0.99), st.floats(0.0, 1.0))
def test_no_outcome_is_expected_to_raise_the_evidence_against_what_is_true(probability: float, part: float) -> None:
    """A fair bet at the success probability that is to be refuted, a losing one below it: what makes a look at any time harmless."""
    true = part * probability
    for successes, trials in ((0, 0), (3, 3), (20, 21), (40, 50)):
        now = log_evidence(successes, trials, probability)
        after = [math.exp(log_evidence(successes + won, trials + 1, probability) - now) for won in (1, 0)]
        expected = true * after[0] + (1.0 - true) * after[1]
        assert expected <= 1.0 + 1e-9
        if part == 1.0:
            assert expected == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(("accept_at", "confidence"), [(0.9, 0.95), (0.75, 0.95), (0.9, 0.99375)])
def test_looking_after_every_particle_accepts_what_just_misses_no_more_often_than_stated(accept_at: float, confidence: float) -> None:
    """Exact, over all courses of 400 particles: the chance that the bound ever passes what it must not."""
    reach = np.zeros(402)
    reach[0], wrong = 1.0, 0.0
    for trials in range(1, 401):
        reach[1:] = (1.0 - accept_at) * reach[:-1] + accept_at * reach[1:]
        reach[0] *= accept_at
        for failures in range(trials + 1):
            if not is_above(trials - failures, trials, accept_at, confidence):
                break
            wrong += reach[failures]
            reach[failures] = 0.0
    assert 0.2 * (1.0 - confidence) < wrong <= 1.0 - confidence


def test_the_running_bound_costs_few_particles_more_than_one_look() -> None:
    fixed = math.ceil(math.log(0.05) / math.log(0.9))
    assert (fixed, fewest_to_accept(0.9, 0.95)) == (29, 33)
    assert running_lower_bound(33, 33, 0.95) >= 0.9 > running_lower_bound(32, 32, 0.95)


@given(st.integers(1, 300), st.data())
def test_running_bounds_hold_the_rate_and_grow_with_success(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = running_lower_bound(successes, trials, 0.95), running_upper_bound(successes, trials, 0.95)
    assert 0.0 <= low <= successes / trials <= high <= 1.0
    assert low <= lower_bound(successes, trials, 0.95) + 1e-9
    if successes < trials:
        assert running_lower_bound(successes + 1, trials, 0.95) >= low
    if 0 < low < 1.0 - 1e-9:
        assert log_evidence(successes, trials, low) == pytest.approx(math.log(20.0), rel=0.02)


@pytest.mark.parametrize("accept_at", [0.01, 0.5, 0.9, 0.999, 1.0 - 1e-9, math.nextafter(1.0, 0.0)])
def test_the_fewest_that_are_enough_are_found_however_many_they_are(accept_at: float) -> None:
    fewest = fewest_to_accept(accept_at, 0.95)
    assert is_above(fewest, fewest, accept_at, 0.95)
    assert fewest == 1 or not is_above(fewest - 1, fewest - 1, accept_at, 0.95)


@given(st.integers(1, 10**12), st.integers(0, 10**12))
def test_the_least_that_holds_is_found(first: int, further: int) -> None:
    assert least(lambda number: number >= first, first + further) == first

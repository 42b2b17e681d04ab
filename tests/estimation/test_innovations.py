# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

from surefoot.estimation.filter_state import FILTER_PARAMETERS, FILTER_STATE
from surefoot.estimation.innovations import PLACE, SPEED, begin_blocks, note_innovation

STEP, SAMPLES = 0.002, 30


def parameters() -> np.ndarray:
    record = np.zeros(1, FILTER_PARAMETERS)
    record["innovation_time"] = (SAMPLES - 0.5) * STEP
    return record


def mean_distance(white: np.ndarray, by_zeros: np.ndarray) -> float:
    """Mean squared distance by dimension of innovations (n, 3) on which one standard deviation of each zero has an effect (3, 12)."""
    state, record = np.zeros(1, FILTER_STATE), parameters()
    for one in white:
        note_innovation(state[0], record[0], SPEED, 2, one, by_zeros, STEP)
    assert state["innovation_size"][0, SPEED] == 3 * (len(white) // SAMPLES)
    return float(state["innovation_distance"][0, SPEED] / state["innovation_size"][0, SPEED])


def test_white_innovations_have_a_mean_distance_of_one_and_larger_ones_more() -> None:
    white = np.random.default_rng(0).normal(size=(600 * SAMPLES, 3))
    assert mean_distance(white, np.zeros((3, 12))) == pytest.approx(1.0, abs=0.08)
    assert mean_distance(1.5 * white, np.zeros((3, 12))) == pytest.approx(2.25, abs=0.2)


def test_an_error_that_lasts_counts_for_all_samples_for_which_it_lasts() -> None:
    """Taken for white noise of n times its variance: a single innovation is too small, their mean is right."""
    lasts, generator = 5, np.random.default_rng(1)
    errors = np.repeat(generator.normal(size=(600 * SAMPLES // lasts, 3)), lasts, axis=0) / np.sqrt(lasts)
    assert (errors**2).mean() == pytest.approx(1.0 / lasts, rel=0.05)
    assert mean_distance(errors, np.zeros((3, 12))) == pytest.approx(1.0, abs=0.08)


def test_what_the_zeros_add_all_the_time_is_no_surprise() -> None:
    generator, distances = np.random.default_rng(2), []
    for _ in range(400):
        effect = 0.5 * generator.normal(size=(3, 12))
        offset = effect @ generator.normal(size=12)
        distances.append(mean_distance(generator.normal(size=(SAMPLES, 3)) + offset, effect))
    assert np.mean(distances) == pytest.approx(1.0, abs=0.12)


def test_a_block_that_is_not_whole_does_not_count_and_feet_and_kinds_are_apart() -> None:
    state, record = np.zeros(1, FILTER_STATE), parameters()
    for _ in range(SAMPLES - 1):
        note_innovation(state[0], record[0], PLACE, 0, np.ones(3), np.ones((3, 12)), STEP)
        note_innovation(state[0], record[0], PLACE, 1, np.ones(3), np.ones((3, 12)), STEP)
    begin_blocks(state[0], PLACE, 0)
    for leg in (0, 1):
        note_innovation(state[0], record[0], PLACE, leg, np.ones(3), np.ones((3, 12)), STEP)
    assert state["innovation_size"][0].tolist() == [3.0, 0.0]
    assert state["block_count"][0, PLACE].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert not state["block_zeros"][0, PLACE, 1].any()

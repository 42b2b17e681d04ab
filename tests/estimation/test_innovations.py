# SPDX-License-Identifier: Apache-2.0


import numpy as np
import pytest

from surefoot.estimation.filter_state import FILTER_PARAMETERS, FILTER_STATE
from surefoot.estimation.innovations import PLACE, SPEED, begin_blocks, note_innovation
from surefoot.evaluation.bench.estimator import STANDING, nis
from surefoot.evaluation.estimator_runs import Track

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
    return float(state["innovation_distance"][0, SPEED, 1] / state["innovation_size"][0, SPEED])


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


def feet_of_a_robot(generator: np.random.Generator, blocks: int, zeros: np.ndarray, noise: float) -> np.ndarray:
    """Sums after each round of blocks, one of places and speeds of four feet each, (blocks, 2, 3), as a Track has them.

    Each foot and kind hears the zeros by an effect of its own.
    """
    state, record, base, sums = np.zeros(1, FILTER_STATE), parameters(), generator.normal(size=(8, 3, 12)), []
    base[:, :, 3:] = 0.0  # So few zeros that each is heard by all.
    record["innovation_time"] = 0.5 * STEP
    for _ in range(blocks):
        for kind in (PLACE, SPEED):
            for leg in range(4):
                effect = base[4 * kind + leg]
                white = noise * generator.normal(size=3) + effect @ zeros
                note_innovation(state[0], record[0], kind, leg, white, effect, STEP)
        sums.append(np.column_stack((state["innovation_distance"][0], state["innovation_size"][0])))
    return np.array(sums)


def judged(zeros: float, noise: float, what: str = "innovations") -> tuple[float, float]:
    """Mean, and share in the band, of groups of robots whose zeros and white noise are so many times as large as said."""
    groups, robots, blocks = 6, 8, 30
    time, results = STANDING + 1.0 + np.arange(blocks), []
    for group in range(groups):
        generator = np.random.default_rng(group)
        sums = [feet_of_a_robot(generator, blocks, zeros * generator.normal(size=12), noise) for _ in range(robots)]
        results.append(nis([Track(time, time, np.zeros((blocks, 9)), innovations=one) for one in sums], what))
    return float(np.mean([one.normalised for one in results])), float(np.mean([one.in_band for one in results]))


def test_all_blocks_together_are_held_against_their_whole_covariance() -> None:
    generator, record, state = np.random.default_rng(3), parameters(), np.zeros(1, FILTER_STATE)
    means, effects = [], []
    for block in range(40):
        kind, leg, effect = block % 2, block % 4, 0.2 * generator.normal(size=(3, 12))
        white = generator.normal(size=(SAMPLES, 3)) + effect @ np.ones(12)
        for one in white:
            note_innovation(state[0], record[0], kind, leg, one, effect, STEP)
        means.append(white.sum(axis=0) / np.sqrt(SAMPLES))
        effects.append(effect * np.sqrt(SAMPLES))
    total, effect = np.concatenate(means), np.concatenate(effects)
    expected = total @ np.linalg.solve(np.eye(len(total)) + effect @ effect.T, total)
    assert state["innovation_distance"][0, :, 0].sum() == pytest.approx(expected, rel=1e-9)
    assert state["innovation_size"].sum() == len(total)
    precision = np.eye(12) + effect.T @ effect
    np.testing.assert_allclose(state["told_zeros"][0], np.linalg.solve(precision, effect.T @ total), atol=1e-9)
    np.testing.assert_allclose(state["told_variance"][0], np.eye(12) - np.linalg.inv(precision), atol=1e-9)


def test_what_is_true_lies_in_the_band_for_its_share_of_the_time() -> None:
    mean, share = judged(1.0, 1.0)
    assert mean == pytest.approx(1.0, abs=0.03)
    assert share == pytest.approx(0.95, abs=0.03)
    # Taken for independent, blocks that are wrong by the same zeros lie outside of it together.
    assert judged(1.0, 1.0, "innovations, each by itself")[1] < 0.8


def test_what_is_not_true_lies_outside_of_it() -> None:
    assert judged(1.0, 1.2)[1] < 0.2
    assert judged(1.0, 0.8)[1] < 0.2

# SPDX-License-Identifier: Apache-2.0
"""What is taken for true while the last sample of the IMU is held, against forces and rates that do what the model says."""

import numpy as np
import pytest
from scipy.stats import chi2

from surefoot.estimation.correction import correct
from surefoot.estimation.filter_state import (
    ACCELEROMETER_BIAS,
    ERRORS,
    FILTER_PARAMETERS,
    FILTER_STATE,
    GYROSCOPE_BIAS,
    ORIENTATION,
    VELOCITY,
)
from surefoot.estimation.imu_extrapolation import BOTH, DRIFT, FORCE, SPEED, let_force_go_back, vertical_walk
from surefoot.estimation.prediction import note_sample, predict
from surefoot.estimation.rotation import rotation_from_vector

UP, STILL = np.array([0.0, 0.0, 9.81]), np.zeros(3)
FORGOTTEN_IN, SPREAD = np.array([0.01, 0.03, 0.02]), np.array([0.6, 1.1, 1.2])
"""Of the force in each axis: time constant, s, and variance about its mean, (m/s^2)^2: about those of an A1's trot."""


def parameters() -> np.ndarray:
    record = np.zeros(1, FILTER_PARAMETERS)
    record["walk_time"], record["walk_memory"], record["force_time"], record["least_rate_walk"] = 0.015, 0.5, 0.005, 0.01
    record["gravity"] = 9.81
    return record


def moved(generator: np.random.Generator, away: np.ndarray, step: float, left: np.ndarray | None = None) -> np.ndarray:
    """The force's deviation from its mean a step, s, later."""
    left = np.exp(-step / FORGOTTEN_IN) if left is None else left
    result: np.ndarray = left * away + np.sqrt(SPREAD * (1.0 - left**2)) * generator.normal(size=away.shape)
    return result


def knowing_state(away: np.ndarray = STILL) -> np.ndarray:
    """Knows the two variances, and holds a sample that is so far from the mean, (3,), m/s^2."""
    state = np.zeros(1, FILTER_STATE)
    state["rotation"] = np.eye(3)
    state["mean_force"], state["specific_force"], state["force_spread"] = UP, UP + away, SPREAD
    state["force_unrest"], state["unrest_share"] = SPREAD * 0.005 / (0.005 + FORGOTTEN_IN), 1.0
    return state


@pytest.mark.parametrize("step", [0.001, 0.004])
def test_how_fast_a_force_goes_back_is_learned_from_the_samples(step: float) -> None:
    generator, record, state = np.random.default_rng(7), parameters(), np.zeros(1, FILTER_STATE)
    away, drift, force, found = np.zeros(3), np.empty((DRIFT, 3)), np.empty(3), []
    note_sample(state[0], record[0], STILL, UP, np.inf)
    for k in range(round(20.0 / step)):
        away = moved(generator, away, step)
        note_sample(state[0], record[0], STILL, UP + away, step)
        if k * step > 2.0 and k % 20 == 0:
            ahead = state.copy()
            let_force_go_back(ahead[0], record[0], 1.0, 0.0, force, drift)
            found.append(np.array([drift[FORCE], drift[SPEED]]))
            np.testing.assert_allclose(ahead["specific_force"], state["mean_force"], atol=0.5)
    # After a second all is forgotten: what is left is the variance, and 2 variance * time constant for the sum of it.
    force_variance, speed_variance = np.median(found, axis=0)
    np.testing.assert_allclose(force_variance, SPREAD, rtol=0.2)
    np.testing.assert_allclose(speed_variance / (2.0 * force_variance), FORGOTTEN_IN, rtol=0.35)


def test_a_force_that_jumps_in_one_part_of_each_step_is_less_known_there_alone() -> None:
    """Steps of 0.2 s, in which the second axis is four times as restless for 20 ms; what it gets by in 10 ms, there and elsewhere."""
    generator, record, state, step = np.random.default_rng(8), parameters(), np.zeros(1, FILTER_STATE), 0.002
    away, drift, force = np.zeros(3), np.empty((DRIFT, 3)), np.empty(3)
    said: dict[int, list[np.ndarray]] = {50: [], 80: [], 150: []}
    note_sample(state[0], record[0], STILL, UP, np.inf)
    for k in range(10_000):
        phase, state["time"] = k % 100, k * step
        if phase == 0:
            state["step_begun"] = k * step
        jumps = np.array([1.0, 4.0 if 40 <= phase < 50 else 1.0, 1.0])
        left = np.exp(-step / FORGOTTEN_IN)
        away = left * away + jumps * np.sqrt(SPREAD * (1.0 - left**2)) * generator.normal(size=3)
        note_sample(state[0], record[0], STILL, UP + away, step)
        if k > 2000 and 2 * phase in said:
            let_force_go_back(state.copy()[0], record[0], 0.01, 0.0, force, drift)
            said[2 * phase].append(drift[SPEED].copy())
    before, there, after = (np.median(said[when], axis=0) for when in (50, 80, 150))
    assert there[1] > 5.0 * max(before[1], after[1])
    np.testing.assert_allclose(there[[0, 2]], before[[0, 2]], rtol=0.5)


def test_where_no_foot_is_lifted_off_the_unrest_stays_that_of_the_end_of_the_last_part() -> None:
    record, state, step = parameters(), np.zeros(1, FILTER_STATE), 0.002
    note_sample(state[0], record[0], STILL, UP, np.inf)

    def walk(seconds: float, jump_at: float) -> np.ndarray:
        """One step that takes so long, with a force that jumps near one time in it; shares of the last part after it, (3,)."""
        begun = state["time"][0] + step
        state["step_begun"] = begun
        for k in range(round(seconds / step)):
            state["time"] = begun + k * step
            jump = (-1.0) ** k if abs(k * step - jump_at) < 0.01 else 0.1 * (-1.0) ** k
            note_sample(state[0], record[0], STILL, UP + jump, step)
        return state["unrest_share"][0, -1].copy()

    np.testing.assert_array_equal(walk(0.3, 0.15), 1.0)
    learned = walk(0.4, 0.385)
    assert (learned > 1.1).all()
    np.testing.assert_array_equal(walk(0.3, 0.15), learned)
    state["step_begun"] = -np.inf
    np.testing.assert_array_equal(walk(0.38, 0.0), learned)


def test_a_rate_walks_as_its_samples_do() -> None:
    generator, record = np.random.default_rng(7), parameters()
    for step in (0.001, 0.004):
        state, rate, learned = np.zeros(1, FILTER_STATE), np.zeros(3), []
        note_sample(state[0], record[0], rate, UP, np.inf)
        for _ in range(round(20.0 / step)):
            rate = rate + np.sqrt(step * np.array([1.0, 0.25, 0.0])) * generator.normal(size=3)
            note_sample(state[0], record[0], rate, UP, step)
            learned.append(state["rate_walk"][0].copy())
        # Next to nothing, a walk is never taken for less than the settings say.
        np.testing.assert_allclose(np.mean(learned, axis=0), [1.0, 0.25, 0.01], rtol=0.35)


def test_parts_of_a_held_span_add_up_to_the_whole() -> None:
    away, record, generator = np.array([1.0, -2.0, 0.5]), parameters(), np.random.default_rng(2)
    whole, parts = knowing_state(away), knowing_state(away)
    for state in (whole, parts):
        state["rate_walk"] = 0.5
    predict(whole[0], record[0], STILL, STILL, 0.02, 0.02, 0.0)
    for k in range(10):
        predict(parts[0], record[0], STILL, STILL, 0.002, 0.02, 0.002 * k)
    np.testing.assert_allclose(parts["velocity"], whole["velocity"], atol=1e-6)
    np.testing.assert_allclose(parts["specific_force"], whole["specific_force"], atol=1e-9)
    kept = np.r_[VELOCITY : VELOCITY + 3, ORIENTATION : ACCELEROMETER_BIAS + 3]
    one, other = (state["covariance"][0][np.ix_(kept, kept)] for state in (whole, parts))
    np.testing.assert_allclose(other, one, atol=0.03 * np.abs(one).max(), rtol=0.03)
    assert (other == other.T).all()
    # The same by forces that do so.
    force, speed = np.tile(away, (4000, 1)), np.zeros((4000, 3))
    for _ in range(200):
        after = moved(generator, force, 1e-4)
        speed, force = speed + 0.5e-4 * (force + after), after
    np.testing.assert_allclose(speed.mean(axis=0), whole["velocity"][0], atol=4.0 * speed.std() / 4000**0.5)
    drift = np.empty((DRIFT, 3))
    let_force_go_back(knowing_state(away)[0], record[0], 0.02, 0.0, np.empty(3), drift)
    for axis in range(3):
        expected = np.array([[drift[FORCE, axis], drift[BOTH, axis]], [drift[BOTH, axis], drift[SPEED, axis]]])
        np.testing.assert_allclose(np.cov(force[:, axis], speed[:, axis]), expected, rtol=0.1)


def test_speeds_that_are_heard_while_a_sample_is_held_correct_what_comes_after() -> None:
    """Errors over their covariance lie in the band, and are smaller than those of a robot that heard nothing of the force."""
    generator, record, robots = np.random.default_rng(3), parameters(), 300
    sensitivity, noise = np.zeros((3, ERRORS)), np.eye(3) * 0.003**2
    sensitivity[:, VELOCITY : VELOCITY + 3] = np.eye(3)
    squares, deaf = [], []
    for _ in range(robots):
        away = np.sqrt(SPREAD) * generator.normal(size=3)
        state, alone, speed = knowing_state(away), knowing_state(away), np.zeros(3)
        for k in range(10):
            after = moved(generator, away, 0.002)
            speed, away = speed + 0.001 * (away + after), after
            predict(state[0], record[0], STILL, STILL, 0.002, 0.002, 0.002 * k)
            innovation = speed + 0.003 * generator.normal(size=3) - state["velocity"][0]
            assert correct(state[0], sensitivity, innovation, noise, np.zeros((3, 12)), np.empty(3), np.inf, False)
        alone["velocity"], alone["covariance"] = state["velocity"], 0.0
        for k in range(10, 15):
            after = moved(generator, away, 0.002)
            speed, away = speed + 0.001 * (away + after), after
            for one in (state, alone):
                predict(one[0], record[0], STILL, STILL, 0.002, 0.002, 0.002 * k)
        error = speed - state["velocity"][0]
        squares.append(error @ np.linalg.solve(state["covariance"][0, VELOCITY : VELOCITY + 3, VELOCITY : VELOCITY + 3], error))
        deaf.append((error @ error, np.sum((speed - alone["velocity"][0]) ** 2)))
    low, high = chi2.ppf((0.005, 0.995), 3 * robots) / robots
    assert low < np.mean(squares) < high
    heard, unheard = np.mean(deaf, axis=0)
    assert heard < 0.85 * unheard


def test_what_walks_about_the_vertical_is_left_out_of_the_bias() -> None:
    record, state = parameters(), knowing_state()
    state["rotation"] = rotation_from_vector(0.3, -0.2, 0.5)
    state["rate_walk"] = (0.5, 1.0, 2.0)
    vertical, walk = state["rotation"][0, 2].copy(), vertical_walk(state[0])
    assert walk == pytest.approx(vertical**2 @ [0.5, 1.0, 2.0])
    predict(state[0], record[0], STILL, STILL, 0.01, 0.01, 0.01)
    covariance = state["covariance"][0]
    bias = covariance[GYROSCOPE_BIAS : GYROSCOPE_BIAS + 3, GYROSCOPE_BIAS : GYROSCOPE_BIAS + 3]
    assert vertical @ bias @ vertical == pytest.approx(0.0, abs=1e-15)
    assert np.trace(bias) > 0.01
    assert covariance[ORIENTATION + 2, ORIENTATION + 2] == pytest.approx(walk * (0.02**3 - 0.01**3) / 3.0, rel=1e-6)
    assert not covariance[ORIENTATION + 2, GYROSCOPE_BIAS : GYROSCOPE_BIAS + 3].any()


def test_nothing_that_legs_have_told_of_a_held_force_lasts() -> None:
    record, state = parameters(), knowing_state()
    state["accelerometer_bias"] = 0.05
    predict(state[0], record[0], STILL, STILL, 0.002, 0.002, 0.0)
    state["accelerometer_bias"] += 1.0
    predict(state[0], record[0], STILL, STILL, 0.5, 0.5, 0.002)
    np.testing.assert_allclose(state["accelerometer_bias"], 0.05, atol=1e-6)

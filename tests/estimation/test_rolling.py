# SPDX-License-Identifier: Apache-2.0
"""Feet that roll: derivatives against differences of the mean, covariance against whole matrices."""

import numpy as np
from neighbours import neighbour

from surefoot.estimation.filter_state import ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION
from surefoot.estimation.rolling import roll_by_turn, roll_foot
from surefoot.estimation.rotation import rotation_from_vector

SHANK, NORMAL, RADIUS, STEP, SMALL = np.array([0.4, 3.0, -0.2]), np.array([0.1, -0.2, np.sqrt(0.95)]), 0.02, 0.01, 1e-6

filter_tests = neighbour("estimation/test_filter.py")
consider_tests = neighbour("estimation/test_consider.py")


def rolled(state: np.ndarray, shank: np.ndarray, leg: int = 2) -> np.ndarray:
    moved = state.copy()
    roll_foot(moved[0], leg, shank, NORMAL, RADIUS, STEP)
    return moved


def derivative(state: np.ndarray, leg: int = 2) -> np.ndarray:
    """Of the whole error after a step by that before, (27, 27): the link's rate turns with the base, and the bias is in it."""
    there, transition = rolled(state, SHANK), np.empty((ERRORS, ERRORS))
    for column in range(ERRORS):
        error = np.zeros(ERRORS)
        error[column] = SMALL
        turn = rotation_from_vector(*error[ORIENTATION : ORIENTATION + 3])
        bias = state["rotation"][0] @ error[GYROSCOPE_BIAS : GYROSCOPE_BIAS + 3]
        after = rolled(filter_tests.plus(state, error), turn @ SHANK - bias)
        transition[:, column] = filter_tests.minus(after, there) / SMALL
    return transition


def test_a_foot_rolls_along_the_ground_by_its_radius_times_the_turn_of_its_link() -> None:
    state = filter_tests.random_state()
    way = rolled(state, SHANK)["feet"][0] - state["feet"][0]
    np.testing.assert_allclose(way[2], STEP * RADIUS * np.cross(SHANK, NORMAL), atol=1e-15)
    assert not way[[0, 1, 3]].any()


def test_the_derivative_of_rolling_by_a_turn() -> None:
    found, expected = np.empty((3, 3)), np.empty((3, 3))
    roll_by_turn(SHANK, NORMAL, RADIUS, found)
    for axis in range(3):
        turned = [rotation_from_vector(*(sign * SMALL * np.eye(3)[axis])) @ SHANK for sign in (1.0, -1.0)]
        expected[:, axis] = RADIUS * np.cross(turned[0] - turned[1], NORMAL) / (2.0 * SMALL)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_yaw_turns_the_way_of_a_foot_on_level_ground() -> None:
    found, up = np.empty((3, 3)), np.array([0.0, 0.0, 1.0])
    roll_by_turn(SHANK, up, RADIUS, found)
    np.testing.assert_allclose(found @ up, np.cross(up, RADIUS * np.cross(SHANK, up)), atol=1e-15)


def test_covariance_and_effect_of_the_zeros_are_carried_by_the_derivative() -> None:
    state = consider_tests.random_state()
    transition, moved = derivative(state), rolled(state, SHANK)
    assert np.abs(transition - np.eye(ERRORS))[FEET + 6 : FEET + 9].max() > 1e-4
    np.testing.assert_allclose(moved["covariance"][0], transition @ state["covariance"][0] @ transition.T, atol=1e-8)
    np.testing.assert_allclose(moved["zero_effect"][0], transition @ state["zero_effect"][0], atol=1e-8)
    assert (moved["covariance"][0] == moved["covariance"][0].T).all()

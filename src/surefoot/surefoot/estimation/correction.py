# SPDX-License-Identifier: Apache-2.0
"""Kalman corrections of the error state: three or one dimensions at a time, gated, symmetric by construction."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.rotation import assign, orthonormalise, product, rotation_from_vector

Array = NDArray[np.float64]


@compiled
def correct(state: Any, sensitivity: Array, innovation: Array, noise: Array, gate: float) -> bool:
    """One measurement of three dimensions.

    Args:
        state: record of FILTER_STATE, changed in place.
        sensitivity: of the innovation to the error state, (3, 27).
        innovation: measured minus expected, (3,).
        noise: covariance of the measurement, (3, 3).
        gate: squared Mahalanobis distance beyond which nothing is changed.

    Returns:
        Whether the measurement was used.
    """
    covariance = state.covariance
    cross, spread = np.zeros((ERRORS, 3)), np.empty((3, 3))
    assign(spread, noise)
    for k in range(3):
        for j in range(ERRORS):
            weight = sensitivity[k, j]
            if weight != 0.0:
                for i in range(ERRORS):
                    cross[i, k] += covariance[j, i] * weight
    for k in range(3):
        for j in range(3):
            for i in range(ERRORS):
                spread[k, j] += sensitivity[k, i] * cross[i, j]
    inverse = _inverse(spread)
    distance = 0.0
    for k in range(3):
        for j in range(3):
            distance += innovation[k] * inverse[k, j] * innovation[j]
    # Written so that a NaN is refused.
    if not distance <= gate:
        return False
    gain = np.empty((ERRORS, 3))
    change = np.zeros(ERRORS)
    for i in range(ERRORS):
        for k in range(3):
            gain[i, k] = cross[i, 0] * inverse[0, k] + cross[i, 1] * inverse[1, k] + cross[i, 2] * inverse[2, k]
            change[i] += gain[i, k] * innovation[k]
    for i in range(ERRORS):
        for j in range(i + 1):
            value = covariance[i, j] - gain[i, 0] * cross[j, 0] - gain[i, 1] * cross[j, 1] - gain[i, 2] * cross[j, 2]
            covariance[i, j], covariance[j, i] = value, value
    _move(state, change)
    return True


@compiled
def correct_scalar(state: Any, sensitivity: Array, innovation: float, variance: float, gate: float) -> bool:
    """One measurement of one dimension; as correct, with sensitivity (27,)."""
    covariance = state.covariance
    cross = np.zeros(ERRORS)
    for j in range(ERRORS):
        weight = sensitivity[j]
        if weight != 0.0:
            for i in range(ERRORS):
                cross[i] += covariance[j, i] * weight
    spread = variance
    for i in range(ERRORS):
        spread += sensitivity[i] * cross[i]
    if not innovation * innovation <= gate * spread:
        return False
    for i in range(ERRORS):
        for j in range(i + 1):
            value = covariance[i, j] - cross[i] * cross[j] / spread
            covariance[i, j], covariance[j, i] = value, value
    for i in range(ERRORS):
        cross[i] *= innovation / spread
    _move(state, cross)
    return True


@compiled
def set_foot_down(state: Any, leg: int, arm: Array, noise: Array) -> None:
    """Make a foot part of the state where the base says that it is, correlated with the base.

    Args:
        state: record of FILTER_STATE, changed in place.
        leg: index of the foot.
        arm: from the IMU to the foot in odom axes, (3,), m.
        noise: covariance of the arm, in odom axes, (3, 3), m^2.
    """
    drop_foot(state, leg)
    covariance, first = state.covariance, FEET + 3 * leg
    for column in range(ERRORS):
        tx, ty, tz = covariance[ORIENTATION, column], covariance[ORIENTATION + 1, column], covariance[ORIENTATION + 2, column]
        covariance[first, column] = covariance[POSITION, column] + ty * arm[2] - tz * arm[1]
        covariance[first + 1, column] = covariance[POSITION + 1, column] + tz * arm[0] - tx * arm[2]
        covariance[first + 2, column] = covariance[POSITION + 2, column] + tx * arm[1] - ty * arm[0]
    for row in range(ERRORS):
        tx, ty, tz = covariance[row, ORIENTATION], covariance[row, ORIENTATION + 1], covariance[row, ORIENTATION + 2]
        covariance[row, first] = covariance[row, POSITION] + ty * arm[2] - tz * arm[1]
        covariance[row, first + 1] = covariance[row, POSITION + 1] + tz * arm[0] - tx * arm[2]
        covariance[row, first + 2] = covariance[row, POSITION + 2] + tx * arm[1] - ty * arm[0]
    for i in range(3):
        state.feet[leg, i] = state.position[i] + arm[i]
        for j in range(3):
            covariance[first + i, first + j] += noise[i, j]
    state.foot_held[leg] = 1.0
    state.foot_left_out[leg] = 0.0


@compiled
def drop_foot(state: Any, leg: int) -> None:
    """Take a foot out of the state."""
    first = FEET + 3 * leg
    covariance = state.covariance
    for i in range(first, first + 3):
        for j in range(ERRORS):
            covariance[i, j] = covariance[j, i] = 0.0
    state.foot_held[leg] = 0.0
    state.foot_left_out[leg] = 0.0


@compiled
def _move(state: Any, change: Array) -> None:
    """Add an error (27,) to the state."""
    for i in range(3):
        state.position[i] += change[POSITION + i]
        state.velocity[i] += change[VELOCITY + i]
        state.gyroscope_bias[i] += change[GYROSCOPE_BIAS + i]
        state.accelerometer_bias[i] += change[ACCELEROMETER_BIAS + i]
        for leg in range(4):
            state.feet[leg, i] += change[FEET + 3 * leg + i]
    turn = rotation_from_vector(change[ORIENTATION], change[ORIENTATION + 1], change[ORIENTATION + 2])
    assign(state.rotation, product(turn, state.rotation))
    orthonormalise(state.rotation)


@compiled
def _inverse(m: Array) -> Array:
    """Inverse of a symmetric positive matrix (3, 3) by cofactors."""
    result = np.empty((3, 3))
    a = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
    b = m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]
    c = m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]
    scale = 1.0 / (m[0, 0] * a + m[0, 1] * b + m[0, 2] * c)
    result[0, 0] = a * scale
    result[0, 1] = result[1, 0] = b * scale
    result[0, 2] = result[2, 0] = c * scale
    result[1, 1] = (m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0]) * scale
    result[1, 2] = result[2, 1] = (m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1]) * scale
    result[2, 2] = (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]) * scale
    return result

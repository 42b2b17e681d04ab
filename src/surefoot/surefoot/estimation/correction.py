# SPDX-License-Identifier: Apache-2.0
"""Kalman corrections of the error state: three or one dimensions at a time, gated, symmetric by construction."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.rotation import exponential, orthonormalise, symmetric_inverse
from surefoot.robot.spatial import multiply
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def correct(state: Any, sensitivity: Array, innovation: Array, noise: Array, gate: float, keep_heading: bool) -> bool:
    """One measurement of three dimensions.

    The loops run along rows of the covariance, which a processor takes several numbers at a time.

    Args:
        state: record of FILTER_STATE, changed in place; its `distance` becomes the squared Mahalanobis distance of what was used.
        sensitivity: of the innovation to the error state, (3, 27).
        innovation: measured minus expected, (3,).
        noise: covariance of the measurement, (3, 3).
        gate: squared Mahalanobis distance beyond which nothing is changed.
        keep_heading: leave the yaw and the gyroscope's bias about the vertical as they are, but not what is correlated with them: a
            partial update [Brink 2017]. For measurements whose error about the vertical is the same all the time and not white.

    Returns:
        Whether the measurement was used.
    """
    covariance = state.covariance
    cross, spread = stack_matrix(3, ERRORS), stack_matrix(3, 3)
    for k in range(3):
        for i in range(ERRORS):
            cross[k, i] = 0.0
        for j in range(ERRORS):
            weight = sensitivity[k, j]
            if weight != 0.0:
                for i in range(ERRORS):
                    cross[k, i] += covariance[j, i] * weight
    for k in range(3):
        for j in range(3):
            total = noise[k, j]
            for i in range(ERRORS):
                if sensitivity[k, i] != 0.0:
                    total += sensitivity[k, i] * cross[j, i]
            spread[k, j] = total
    inverse = stack_matrix(3, 3)
    symmetric_inverse(spread, inverse)
    distance = 0.0
    for k in range(3):
        for j in range(3):
            distance += innovation[k] * inverse[k, j] * innovation[j]
    # Written so that a NaN is refused.
    if not distance <= gate:
        return False
    state.distance = distance
    gain, change = stack_matrix(3, ERRORS), stack_vector(ERRORS)
    for k in range(3):
        for i in range(ERRORS):
            gain[k, i] = cross[0, i] * inverse[0, k] + cross[1, i] * inverse[1, k] + cross[2, i] * inverse[2, k]
    if keep_heading:
        _leave_heading(state, gain)
    for i in range(ERRORS):
        change[i] = 0.0
        for k in range(3):
            change[i] += gain[k, i] * innovation[k]
    for i in range(ERRORS):
        first, second, third = gain[0, i], gain[1, i], gain[2, i]
        if first == 0.0 and second == 0.0 and third == 0.0:
            # A foot in the air.
            continue
        for j in range(i + 1):
            covariance[i, j] = covariance[i, j] - first * cross[0, j] - second * cross[1, j] - third * cross[2, j]
    if keep_heading:
        # What the best gain would have taken is still there: P - K C' - (C - K S) K', whose last part has only the rows that were kept.
        for i in range(ORIENTATION + 2, GYROSCOPE_BIAS + 3):
            for k in range(3):
                rest = cross[k, i]
                for m in range(3):
                    rest -= gain[m, i] * spread[m, k]
                for j in range(i + 1):
                    covariance[i, j] -= rest * gain[k, j]
    for i in range(ERRORS):
        for j in range(i):
            covariance[j, i] = covariance[i, j]
    _move(state, change)
    return True


@compiled
def _leave_heading(state: Any, gain: Array) -> None:
    """Take the yaw, and the part of the gyroscope's bias about the vertical, out of a gain (3, 27)."""
    vertical = state.rotation[2]
    for k in range(3):
        gain[k, ORIENTATION + 2] = 0.0
        part = 0.0
        for i in range(3):
            part += vertical[i] * gain[k, GYROSCOPE_BIAS + i]
        for i in range(3):
            gain[k, GYROSCOPE_BIAS + i] -= part * vertical[i]


@compiled
def correct_scalar(state: Any, sensitivity: Array, innovation: float, variance: float, gate: float) -> bool:
    """One measurement of one dimension; as correct, with sensitivity (27,)."""
    covariance = state.covariance
    cross = stack_vector(ERRORS)
    for i in range(ERRORS):
        cross[i] = 0.0
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
        if cross[i] == 0.0:
            continue
        for j in range(i + 1):
            covariance[i, j] = covariance[i, j] - cross[i] * cross[j] / spread
    for i in range(ERRORS):
        for j in range(i):
            covariance[j, i] = covariance[i, j]
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
    turn, turned = stack_matrix(3, 3), stack_matrix(3, 3)
    exponential(change[ORIENTATION], change[ORIENTATION + 1], change[ORIENTATION + 2], turn)
    multiply(turn, state.rotation, turned)
    orthonormalise(turned, state.rotation)

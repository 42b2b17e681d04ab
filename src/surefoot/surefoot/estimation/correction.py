# SPDX-License-Identifier: Apache-2.0
"""Kalman corrections of the error state: three or one dimensions at a time, gated, symmetric by construction."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.rotation import exponential, orthonormalise
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
    cross, spread, root = stack_matrix(3, ERRORS), stack_matrix(3, 3), stack_matrix(3, 3)
    for i in range(ERRORS):
        cross[0, i] = cross[1, i] = cross[2, i] = 0.0
    for k in range(3):
        for j in range(3):
            spread[k, j] = noise[k, j]
    # Three errors at a time, which are measured together or not at all.
    for block in range(0, ERRORS, 3):
        if _measured(sensitivity, block):
            _add_three(covariance, sensitivity, block, cross)
    for block in range(0, ERRORS, 3):
        if _measured(sensitivity, block):
            for k in range(3):
                x, y, z = sensitivity[k, block], sensitivity[k, block + 1], sensitivity[k, block + 2]
                for j in range(3):
                    spread[k, j] += x * cross[j, block] + y * cross[j, block + 1] + z * cross[j, block + 2]
    # The spread is root root^T, and its inverse takes a triangle from both sides: what the gain takes off is a sum of squares.
    _triangle(spread, root)
    white = stack_vector(3)
    white[0] = innovation[0] / root[0, 0]
    white[1] = (innovation[1] - root[1, 0] * white[0]) / root[1, 1]
    white[2] = (innovation[2] - root[2, 0] * white[0] - root[2, 1] * white[1]) / root[2, 2]
    distance = white[0] * white[0] + white[1] * white[1] + white[2] * white[2]
    # Written so that a NaN is refused.
    if not distance <= gate:
        return False
    state.distance = distance
    change = stack_vector(ERRORS)
    first, second, third = cross[0], cross[1], cross[2]
    scale_first, scale_second, scale_third = 1.0 / root[0, 0], 1.0 / root[1, 1], 1.0 / root[2, 2]
    low, lower, lowest = root[1, 0], root[2, 0], root[2, 1]
    for i in range(ERRORS):
        first[i] = first[i] * scale_first
        second[i] = (second[i] - low * first[i]) * scale_second
        third[i] = (third[i] - lower * first[i] - lowest * second[i]) * scale_third
        change[i] = first[i] * white[0] + second[i] * white[1] + third[i] * white[2]
    for i in range(ERRORS):
        a, b, c = first[i], second[i], third[i]
        if a == 0.0 and b == 0.0 and c == 0.0:
            # A foot in the air.
            continue
        row = covariance[i]
        for j in range(ERRORS):
            row[j] -= a * first[j] + b * second[j] + c * third[j]
    if keep_heading:
        _leave_heading(state, cross, change)
    _move(state, change)
    return True


@compiled
def _measured(sensitivity: Array, block: int) -> bool:
    """Whether a measurement depends on any of three errors."""
    measured = False
    for k in range(3):
        for i in range(block, block + 3):
            measured = measured or sensitivity[k, i] != 0.0
    return measured


@compiled
def _add_three(covariance: Array, sensitivity: Array, block: int, result: Array) -> None:
    """result += sensitivity @ covariance, (3, 27), of three errors, from the index `block` on."""
    a, b, c = covariance[block], covariance[block + 1], covariance[block + 2]
    first, second, third = result[0], result[1], result[2]
    xa, xb, xc = sensitivity[0, block], sensitivity[0, block + 1], sensitivity[0, block + 2]
    ya, yb, yc = sensitivity[1, block], sensitivity[1, block + 1], sensitivity[1, block + 2]
    za, zb, zc = sensitivity[2, block], sensitivity[2, block + 1], sensitivity[2, block + 2]
    for i in range(ERRORS):
        one, two, three = a[i], b[i], c[i]
        first[i] += xa * one + xb * two + xc * three
        second[i] += ya * one + yb * two + yc * three
        third[i] += za * one + zb * two + zc * three


@compiled
def _triangle(matrix: Array, root: Array) -> None:
    """Lower triangle (3, 3) whose product with its transpose is a symmetric positive matrix (3, 3) [Cholesky]; NaN where it is not."""
    root[0, 0] = math.sqrt(matrix[0, 0])
    root[1, 0], root[2, 0] = matrix[1, 0] / root[0, 0], matrix[2, 0] / root[0, 0]
    root[1, 1] = math.sqrt(matrix[1, 1] - root[1, 0] * root[1, 0])
    root[2, 1] = (matrix[2, 1] - root[2, 0] * root[1, 0]) / root[1, 1]
    root[2, 2] = math.sqrt(matrix[2, 2] - root[2, 0] * root[2, 0] - root[2, 1] * root[2, 1])


@compiled
def _leave_heading(state: Any, taken: Array, change: Array) -> None:
    """Put back the yaw, and the part of the gyroscope's bias about the vertical, of what a measurement has changed.

    With the rows E of the best gain left out, the covariance is P - K S K^T + E S E^T: only the rows that are kept get something back.

    Args:
        state: whose covariance has lost taken^T taken.
        taken: (3, 27).
        change: of the error state, (27,).
    """
    vertical, covariance, kept = state.rotation[2], state.covariance, stack_matrix(3, 4)
    for k in range(3):
        part = 0.0
        for i in range(3):
            part += vertical[i] * taken[k, GYROSCOPE_BIAS + i]
        kept[k, 0] = taken[k, ORIENTATION + 2]
        for i in range(3):
            kept[k, 1 + i] = part * vertical[i]
    for i in range(4):
        for j in range(4):
            back = kept[0, i] * kept[0, j] + kept[1, i] * kept[1, j] + kept[2, i] * kept[2, j]
            covariance[ORIENTATION + 2 + i, ORIENTATION + 2 + j] += back
    change[ORIENTATION + 2] = 0.0
    part = 0.0
    for i in range(3):
        part += vertical[i] * change[GYROSCOPE_BIAS + i]
    for i in range(3):
        change[GYROSCOPE_BIAS + i] -= part * vertical[i]


@compiled
def correct_scalar(state: Any, sensitivity: Array, innovation: float, variance: float, gate: float) -> bool:
    """One measurement of one dimension; as correct, with sensitivity (27,)."""
    covariance = state.covariance
    cross = stack_vector(ERRORS)
    for i in range(ERRORS):
        cross[i] = 0.0
    for block in range(0, ERRORS, 3):
        x, y, z = sensitivity[block], sensitivity[block + 1], sensitivity[block + 2]
        if x != 0.0 or y != 0.0 or z != 0.0:
            a, b, c = covariance[block], covariance[block + 1], covariance[block + 2]
            for i in range(ERRORS):
                cross[i] += x * a[i] + y * b[i] + z * c[i]
    spread = variance
    for block in range(0, ERRORS, 3):
        x, y, z = sensitivity[block], sensitivity[block + 1], sensitivity[block + 2]
        if x != 0.0 or y != 0.0 or z != 0.0:
            spread += x * cross[block] + y * cross[block + 1] + z * cross[block + 2]
    if not innovation * innovation <= gate * spread:
        return False
    scale = 1.0 / math.sqrt(spread)
    for i in range(ERRORS):
        cross[i] *= scale
    for i in range(ERRORS):
        one = cross[i]
        if one == 0.0:
            continue
        row = covariance[i]
        for j in range(ERRORS):
            row[j] -= one * cross[j]
    for i in range(ERRORS):
        cross[i] *= innovation * scale
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

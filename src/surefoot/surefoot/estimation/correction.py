# SPDX-License-Identifier: Apache-2.0
"""Kalman corrections of the error state: three or one dimensions at a time, gated, symmetric by construction."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.consider import seen_effect, set_effect_of_foot
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY, ZEROS
from surefoot.estimation.rotation import exponential, orthonormalise
from surefoot.robot.spatial import multiply
from surefoot.rows import add_rows
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def correct(
    state: Any, sensitivity: Array, innovation: Array, noise: Array, by_zeros: Array, white: Array, gate: float, keep_heading: bool
) -> bool:
    """One measurement of three dimensions.

    The loops run along rows of the covariance, which a processor takes several numbers at a time.

    Args:
        state: record of FILTER_STATE, changed in place.
        sensitivity: of the innovation to the error state, (3, 27).
        innovation: measured minus expected, (3,).
        noise: covariance of the measurement, (3, 3): larger than what a sample shows where one error lasts for many.
        by_zeros: what one standard deviation of each joint's zero adds to the innovation by itself, (3, 12). Of a measurement that was used
            it becomes what it adds to the white innovation, by way of the state too.
        white: output, the innovation in units of its standard deviation, (3,): independent and of unit variance but for the zeros.
        gate: squared Mahalanobis distance beyond which nothing is changed.
        keep_heading: leave the yaw and the gyroscope's bias about the vertical as they are: a partial update [Brink 2017], after which
            what it says of the yaw turns the feet about the robot. For measurements whose error about the vertical is the same all the
            time and not white.

    Returns:
        Whether the measurement was used.
    """
    covariance = state.covariance
    cross, spread, root = stack_matrix(3, ERRORS), stack_matrix(3, 3), stack_matrix(3, 3)
    for i in range(ERRORS):
        cross[0, i] = cross[1, i] = cross[2, i] = 0.0
    for k in range(3):
        for j in range(3):
            spread[k, j] = 0.0
    # Three errors at a time, which are measured together or not at all.
    for block in range(0, ERRORS, 3):
        xa, xb, xc = sensitivity[0, block], sensitivity[0, block + 1], sensitivity[0, block + 2]
        ya, yb, yc = sensitivity[1, block], sensitivity[1, block + 1], sensitivity[1, block + 2]
        za, zb, zc = sensitivity[2, block], sensitivity[2, block + 1], sensitivity[2, block + 2]
        if abs(xa) + abs(xb) + abs(xc) + abs(ya) + abs(yb) + abs(yc) + abs(za) + abs(zb) + abs(zc) == 0.0:
            continue
        a, b, c = covariance[block], covariance[block + 1], covariance[block + 2]
        for i in range(ERRORS):
            one, two, three = a[i], b[i], c[i]
            cross[0, i] += xa * one + xb * two + xc * three
            cross[1, i] += ya * one + yb * two + yc * three
            cross[2, i] += za * one + zb * two + zc * three
    for block in range(0, ERRORS, 3):
        for k in range(3):
            x, y, z = sensitivity[k, block], sensitivity[k, block + 1], sensitivity[k, block + 2]
            if x != 0.0 or y != 0.0 or z != 0.0:
                for j in range(3):
                    spread[k, j] += x * cross[j, block] + y * cross[j, block + 1] + z * cross[j, block + 2]
    # The spread is root root^T, and its inverse takes a triangle from both sides: what the gain takes off is a sum of squares.
    for k in range(3):
        for j in range(3):
            spread[k, j] += noise[k, j]
    triangle(spread, root)
    # Written so that a NaN is refused.
    if not whiten(root, innovation, white) <= gate:
        return False
    seen_effect(state.zero_effect, sensitivity, by_zeros)
    change = stack_vector(ERRORS)
    first, second, third = cross[0], cross[1], cross[2]
    scale_first, scale_second, scale_third = 1.0 / root[0, 0], 1.0 / root[1, 1], 1.0 / root[2, 2]
    low, lower, lowest = root[1, 0], root[2, 0], root[2, 1]
    for i in range(ERRORS):
        first[i] = first[i] * scale_first
        second[i] = (second[i] - low * first[i]) * scale_second
        third[i] = (third[i] - lower * first[i] - lowest * second[i]) * scale_third
    for i in range(ERRORS):
        a, b, c = first[i], second[i], third[i]
        if a == 0.0 and b == 0.0 and c == 0.0:
            # A foot in the air.
            continue
        row = covariance[i]
        for j in range(ERRORS):
            row[j] -= a * first[j] + b * second[j] + c * third[j]
    if keep_heading:
        _leave_heading(state, cross)
    _take_off_effect(state, by_zeros, cross, root)
    for i in range(ERRORS):
        change[i] = first[i] * white[0] + second[i] * white[1] + third[i] * white[2]
    _move(state, change)
    return True


@compiled
def triangle(matrix: Array, root: Array) -> None:
    """Lower triangle (3, 3) whose product with its transpose is a symmetric positive matrix (3, 3) [Cholesky]; NaN where it is not."""
    root[0, 0] = math.sqrt(matrix[0, 0])
    root[1, 0], root[2, 0] = matrix[1, 0] / root[0, 0], matrix[2, 0] / root[0, 0]
    root[1, 1] = math.sqrt(matrix[1, 1] - root[1, 0] * root[1, 0])
    root[2, 1] = (matrix[2, 1] - root[2, 0] * root[1, 0]) / root[1, 1]
    root[2, 2] = math.sqrt(matrix[2, 2] - root[2, 0] * root[2, 0] - root[2, 1] * root[2, 1])


@compiled
def _take_off_effect(state: Any, seen: Array, taken: Array, root: Array) -> None:
    """Let the joints' zeros answer to a correction: T <- T - K (H T + Z), where K = taken^T root^-1.

    Args:
        state: whose zero_effect changes.
        seen: H T + Z, (3, 12); becomes root^-1 of it.
        taken, root: from correct, (3, 27) and (3, 3).
    """
    effect = state.zero_effect
    first, second, third = seen[0], seen[1], seen[2]
    x, y, z, low, lower, lowest = root[0, 0], root[1, 1], root[2, 2], root[1, 0], root[2, 0], root[2, 1]
    for column in range(ZEROS):
        first[column] /= x
        second[column] = (second[column] - low * first[column]) / y
        third[column] = (third[column] - lower * first[column] - lowest * second[column]) / z
    for i in range(ERRORS):
        a, b, c = taken[0, i], taken[1, i], taken[2, i]
        if a != 0.0 or b != 0.0 or c != 0.0:
            add_rows(ZEROS, effect[i], -a, first, -b, second, -c, third)


@compiled
def whiten(root: Array, vector: Array, result: Array) -> float:
    """Write root^-1 vector, (3,), where root is a lower triangle; returns the square of its length."""
    result[0] = vector[0] / root[0, 0]
    result[1] = (vector[1] - root[1, 0] * result[0]) / root[1, 1]
    result[2] = (vector[2] - root[2, 0] * result[0] - root[2, 1] * result[1]) / root[2, 2]
    return float(result[0] * result[0] + result[1] * result[1] + result[2] * result[2])


@compiled
def _leave_heading(state: Any, taken: Array) -> None:
    """Give a measurement another gain, which does not move the yaw, nor the gyroscope's bias about the vertical.

    As if, after the best correction, all were turned back about the vertical through the robot: velocity and feet turn with the yaw, and
    to each other, and to the robot, they are where the measurement has put them. Were the yaw's row of the gain only left out, as far as
    the feet are turned about the robot that would stay, in all samples of all steps, and be no white innovation. With a part E of the best
    gain left out, the covariance is P - K S K^T + E S E^T.

    Args:
        state: whose covariance has lost taken^T taken.
        taken: (3, 27), of which E's part is taken off.
    """
    vertical, covariance, turned, left_out = state.rotation[2], state.covariance, stack_vector(ERRORS), stack_matrix(3, ERRORS)
    for i in range(ERRORS):
        turned[i] = 0.0
    turned[ORIENTATION + 2] = 1.0
    turned[VELOCITY], turned[VELOCITY + 1] = -state.velocity[1], state.velocity[0]
    x, y, unknown = 0.0, 0.0, covariance[ORIENTATION + 2, ORIENTATION + 2]
    if unknown > 0.0:
        x, y = covariance[POSITION, ORIENTATION + 2] / unknown, covariance[POSITION + 1, ORIENTATION + 2] / unknown
    turned[POSITION], turned[POSITION + 1] = x, y
    for leg in range(4):
        if state.foot_held[leg] > 0.0:
            turned[FEET + 3 * leg] = x + state.position[1] - state.feet[leg, 1]
            turned[FEET + 3 * leg + 1] = y + state.feet[leg, 0] - state.position[0]
    for k in range(3):
        turn, part, row = taken[k, ORIENTATION + 2], 0.0, left_out[k]
        for i in range(3):
            part += vertical[i] * taken[k, GYROSCOPE_BIAS + i]
        for i in range(ERRORS):
            row[i] = turn * turned[i]
        for i in range(3):
            row[GYROSCOPE_BIAS + i] += part * vertical[i]
        for i in range(ERRORS):
            taken[k, i] -= row[i]
    first, second, third = left_out[0], left_out[1], left_out[2]
    for i in range(ERRORS):
        a, b, c = first[i], second[i], third[i]
        if a != 0.0 or b != 0.0 or c != 0.0:
            add_rows(ERRORS, covariance[i], a, first, b, second, c, third)


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
            add_rows(ERRORS, cross, x, a, y, b, z, c)
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
    _take_off_effect_of_one(state, sensitivity, cross, scale)
    for i in range(ERRORS):
        one = cross[i]
        if one == 0.0:
            continue
        add_rows(ERRORS, covariance[i], -one, cross)
    for i in range(ERRORS):
        cross[i] *= innovation * scale
    _move(state, cross)
    return True


@compiled
def _take_off_effect_of_one(state: Any, sensitivity: Array, taken: Array, scale: float) -> None:
    """As _take_off_effect, for one dimension that no zero enters by itself: taken (27,) is the gain over `scale`."""
    effect, seen = state.zero_effect, stack_vector(ZEROS)
    for column in range(ZEROS):
        seen[column] = 0.0
    for m in range(ERRORS):
        if sensitivity[m] != 0.0:
            add_rows(ZEROS, seen, sensitivity[m], effect[m])
    for i in range(ERRORS):
        gain = taken[i] * scale
        if gain != 0.0:
            add_rows(ZEROS, effect[i], -gain, seen)


@compiled
def set_foot_down(state: Any, leg: int, arm: Array, leg_in_odom: Array, noise: Array, zero_deviation: float) -> None:
    """Make a foot part of the state where the base says that it is, correlated with the base.

    Args:
        state: record of FILTER_STATE, changed in place.
        leg: index of the foot.
        arm: from the IMU to the foot in odom axes, (3,), m.
        leg_in_odom: its derivative by the leg's joints, (3, 3), m/rad.
        noise: covariance of the arm, in odom axes, (3, 3), m^2.
        zero_deviation: of the zeros of the joints, rad.
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
        state.moved_by[2 + leg, i] = state.moved_by[0, i]
        for j in range(3):
            covariance[first + i, first + j] += noise[i, j]
    set_effect_of_foot(state, leg, arm, leg_in_odom, zero_deviation)
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
        for j in range(ZEROS):
            state.zero_effect[i, j] = 0.0
        state.moved_by[2 + leg, i - first] = 0.0
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
        state.moved_by[0, i] += change[POSITION + i]
        state.moved_by[1, i] += change[VELOCITY + i]
        for leg in range(4):
            state.feet[leg, i] += change[FEET + 3 * leg + i]
            state.moved_by[2 + leg, i] += change[FEET + 3 * leg + i]
    turn, turned = stack_matrix(3, 3), stack_matrix(3, 3)
    exponential(change[ORIENTATION], change[ORIENTATION + 1], change[ORIENTATION + 2], turn)
    multiply(turn, state.rotation, turned)
    orthonormalise(turned, state.rotation)

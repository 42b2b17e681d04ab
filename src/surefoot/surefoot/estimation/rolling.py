# SPDX-License-Identifier: Apache-2.0
"""A ball foot that rolls goes where the estimate turns to: what a wrong attitude, and a wrong bias of the gyroscope, do to its way.

The centre of a foot of radius r whose link turns at w moves by r w x n along a ground of normal n. All of that turns with the base's yaw. A
filter that takes the way for known as it is, while the base's own way turns with the yaw, sees the yaw in the difference of the two;
nothing measures it there, so what the filter learns is wrong, the more the less it knows its yaw, and goes into the position.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, ZEROS
from surefoot.rows import add_rows
from surefoot.stack_arrays import stack_matrix

Array = NDArray[np.float64]


@compiled
def roll_by_turn(shank: Array, normal: Array, radius: float, result: Array) -> None:
    """Derivative of the speed radius * shank x normal by a turn of the shank's rate (3,), the normal staying where it is, (3, 3)."""
    along = shank[0] * normal[0] + shank[1] * normal[1] + shank[2] * normal[2]
    for i in range(3):
        for j in range(3):
            result[i, j] = radius * shank[i] * normal[j]
        result[i, i] -= radius * along


@compiled
def roll_foot(state: Any, leg: int, shank: Array, normal: Array, radius: float, step: float) -> None:
    """Let a foot of the state roll for one step: mean, covariance and the effect of the joints' zeros.

    Args:
        state: record of FILTER_STATE, changed in place.
        leg: index of the foot.
        shank: mean angular velocity of its link in odom, (3,), rad/s.
        normal: of the ground in odom, (3,).
        radius: of the foot, m.
        step: s.
    """
    covariance, effect, first = state.covariance, state.zero_effect, FEET + 3 * leg
    by_turn, by_bias = stack_matrix(3, 3), stack_matrix(3, 3)
    moved, again = stack_matrix(3, ERRORS), stack_matrix(3, 3)
    roll_by_turn(shank, normal, radius * step, by_turn)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        state.feet[leg, i] += step * radius * (shank[j] * normal[k] - shank[k] * normal[j])
        for m in range(3):
            # -(R bias) x normal
            by_bias[i, m] = step * radius * (normal[j] * state.rotation[k, m] - normal[k] * state.rotation[j, m])
    for i in range(3):
        turn_x, turn_y, turn_z = by_turn[i, 0], by_turn[i, 1], by_turn[i, 2]
        bias_x, bias_y, bias_z = by_bias[i, 0], by_bias[i, 1], by_bias[i, 2]
        row = moved[i]
        for column in range(ERRORS):
            row[column] = (
                turn_x * covariance[ORIENTATION, column] + turn_y * covariance[ORIENTATION + 1, column]
                + turn_z * covariance[ORIENTATION + 2, column] + bias_x * covariance[GYROSCOPE_BIAS, column]
                + bias_y * covariance[GYROSCOPE_BIAS + 1, column] + bias_z * covariance[GYROSCOPE_BIAS + 2, column]
            )  # fmt: skip
        add_rows(
            ZEROS, effect[first + i], turn_x, effect[ORIENTATION], turn_y, effect[ORIENTATION + 1], turn_z, effect[ORIENTATION + 2],
            bias_x, effect[GYROSCOPE_BIAS], bias_y, effect[GYROSCOPE_BIAS + 1], bias_z, effect[GYROSCOPE_BIAS + 2],
        )  # fmt: skip
    for i in range(3):
        for j in range(3):
            again[i, j] = 0.0
            for m in range(3):
                again[i, j] += moved[i, ORIENTATION + m] * by_turn[j, m] + moved[i, GYROSCOPE_BIAS + m] * by_bias[j, m]
    # With F = 1 + A, F P F^T = P + A P + (A P)^T + A P A^T, written to both sides so that it stays symmetric to the bit.
    for i in range(3):
        for column in range(ERRORS):
            if first <= column < first + 3:
                continue
            total = covariance[first + i, column] + moved[i, column]
            covariance[first + i, column] = covariance[column, first + i] = total
    for i in range(3):
        for j in range(i + 1):
            total = covariance[first + i, first + j] + (moved[i, first + j] + moved[j, first + i]) + again[i, j]
            covariance[first + i, first + j] = covariance[first + j, first + i] = total

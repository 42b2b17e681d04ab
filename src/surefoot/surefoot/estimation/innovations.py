# SPDX-License-Identifier: Apache-2.0
"""Are the innovations as large as the filter says? Judged by their mean over a time in which the lasting errors of a foot have changed.

The gain takes a foot's errors for white noise, of a variance that makes their mean over some tens of milliseconds right: one that lasts for
n samples counts n times [Simon 2006, section 7.2]. A single innovation is then smaller than its covariance and no test of it. The mean
of N white innovations, times the root of N, has unit variance again, and is what the filter lives by: that of each block of one foot
in contact is squared and counted.

What the joints' zeros add to it (consider.py) is the same in every sample of every block, of all feet: the covariance of two blocks i and j
is E_i E_j^T, and their squares are not independent. So each block is held against what those before it let expect: they tell the zeros as
a Kalman filter of constants does, from their variance on, and what is left is white under the model [Bar-Shalom 2001, section 5.4]. The
sum of squares is that of all blocks over their whole covariance. It only judges: the estimate does not hear of these zeros. Beside it each
block is judged by itself, as if it were the first.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.correction import triangle, whiten
from surefoot.estimation.filter_state import ZEROS
from surefoot.rows import add_rows
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]

PLACE, SPEED = 0, 1
"""Kinds of a foot's measurements."""


@compiled
def note_innovation(state: Any, parameters: Any, kind: int, leg: int, white: Array, by_zeros: Array, step: float) -> None:
    """Add one innovation that was used to the block of its foot, and count the block when it is whole.

    Args:
        state: record of FILTER_STATE; its block_... and innovation_... change.
        parameters: record of FILTER_PARAMETERS.
        kind: PLACE or SPEED.
        leg: index of the foot.
        white: in units of its standard deviation, (3,).
        by_zeros: what one standard deviation of each zero adds to it, (3, 12).
        step: since the last sample of the joints, s.
    """
    total, effect = state.block_white[kind, leg], state.block_zeros[kind, leg]
    state.block_count[kind, leg] += 1.0
    state.block_time[kind, leg] += step
    for i in range(3):
        total[i] += white[i]
        add_rows(ZEROS, effect[i], 1.0, by_zeros[i])
    if state.block_time[kind, leg] >= parameters.innovation_time:
        scale = 1.0 / math.sqrt(state.block_count[kind, leg])
        for i in range(3):
            total[i] *= scale
            for column in range(ZEROS):
                effect[i, column] *= scale
        state.innovation_distance[kind, 1] += _distance(total, effect)
        state.innovation_distance[kind, 0] += _distance_given_those_before(state, total, effect)
        state.innovation_size[kind] += 3.0
        begin_blocks(state, kind, leg)


@compiled
def begin_blocks(state: Any, kind: int, leg: int) -> None:
    """Forget the block of a foot."""
    state.block_count[kind, leg] = state.block_time[kind, leg] = 0.0
    for i in range(3):
        state.block_white[kind, leg, i] = 0.0
        for column in range(ZEROS):
            state.block_zeros[kind, leg, i, column] = 0.0


@compiled
def _distance(mean: Array, effect: Array) -> float:
    """Squared Mahalanobis distance of (3,) numbers of which the zeros do `effect` (3, 12): their covariance is 1 + effect effect^T."""
    root, white = stack_matrix(3, 3), stack_vector(3)
    _root_of_spread(effect, effect, root)
    return float(whiten(root, mean, white))


@compiled
def _root_of_spread(unknown: Array, effect: Array, root: Array) -> None:
    """Triangular root (3, 3), output, of 1 + unknown effect^T; unknown: `effect` (3, 12) times the covariance of the zeros."""
    spread = stack_matrix(3, 3)
    for i in range(3):
        for j in range(3):
            spread[i, j] = 1.0 if i == j else 0.0
            for column in range(ZEROS):
                spread[i, j] += unknown[i, column] * effect[j, column]
    triangle(spread, root)


@compiled
def _distance_given_those_before(state: Any, mean: Array, effect: Array) -> float:
    """The same from what the blocks before let expect, which learn from it: state.told_zeros and told_variance, in place.

    Of the zeros d, which are 12 independent numbers of unit variance before the first block, each block says

        mean = effect d + white noise of unit variance.
    """
    root, unknown, away, white = stack_matrix(3, 3), stack_matrix(3, ZEROS), stack_vector(3), stack_vector(3)
    for i in range(3):
        away[i] = mean[i]
        for column in range(ZEROS):
            away[i] -= effect[i, column] * state.told_zeros[column]
            unknown[i, column] = effect[i, column]
        for row in range(ZEROS):
            add_rows(ZEROS, unknown[i], -effect[i, row], state.told_variance[row])
    _root_of_spread(unknown, effect, root)
    distance = whiten(root, away, white)
    first, second, third = unknown[0], unknown[1], unknown[2]
    for column in range(ZEROS):
        first[column] /= root[0, 0]
        second[column] = (second[column] - root[1, 0] * first[column]) / root[1, 1]
        third[column] = (third[column] - root[2, 0] * first[column] - root[2, 1] * second[column]) / root[2, 2]
    for row in range(ZEROS):
        a, b, c = first[row], second[row], third[row]
        state.told_zeros[row] += a * white[0] + b * white[1] + c * white[2]
        add_rows(ZEROS, state.told_variance[row], a, first, b, second, c, third)
    return float(distance)

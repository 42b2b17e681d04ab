# SPDX-License-Identifier: Apache-2.0
"""Are the innovations as large as the filter says? Judged by their mean over a time in which the lasting errors of a foot have changed.

The gain takes a foot's errors for white noise, of a variance that makes their mean over some tens of milliseconds right: one that lasts for
n samples counts n times [Simon 2006, section 7.2]. A single innovation is then smaller than its covariance and no test of it. The mean
of N white innovations, times the root of N, has unit variance again, and is what the filter lives by: that of each block of one foot
in contact is squared and counted. What the joints' zeros add to it (consider.py) is the same in every sample, and is taken off by its
covariance.
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
        state.innovation_distance[kind] += _distance(total, effect, state.block_count[kind, leg])
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
def _distance(total: Array, effect: Array, count: float) -> float:
    """Squared Mahalanobis distance of total / root(count), whose covariance is 1 + effect effect^T / count."""
    spread, root, white, scaled = stack_matrix(3, 3), stack_matrix(3, 3), stack_vector(3), stack_vector(3)
    for i in range(3):
        scaled[i] = total[i] / math.sqrt(count)
        for j in range(3):
            spread[i, j] = 1.0 if i == j else 0.0
            for column in range(ZEROS):
                spread[i, j] += effect[i, column] * effect[j, column] / count
    triangle(spread, root)
    return float(whiten(root, scaled, white))

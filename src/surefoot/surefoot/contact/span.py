# SPDX-License-Identifier: Apache-2.0
"""Orthonormal bases of a few long rows, compiled."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


@compiled
def add_span(rows: Array, smallest: float, basis: Array, rank: int) -> int:
    """Add an orthonormal basis of what rows span outside of a basis to it; returns the new rank.

    Gram and Schmidt's method with the longest rest first, each twice. Work is O(m^2 n).

    Args:
        rows: (m, n).
        smallest: rests up to this part of the longest row count as 0.
        basis: (rank + m, n) or larger, orthonormal up to the rank; written from there on.
        rank: of the basis as it is given.
    """
    count, size = rows.shape
    rests, left, longest = rows.copy(), np.empty(count), 0.0
    for i in range(count):
        longest = max(longest, length(rests[i]))
        _take_out(basis, 0, rank, rests[i])
        left[i] = length(rests[i])
    first = rank
    for _ in range(count):
        chosen = int(np.argmax(left))
        if not left[chosen] > smallest * longest:
            break
        row = basis[rank]
        for k in range(size):
            row[k] = rests[chosen, k] / left[chosen]
        _take_out(basis, 0, rank, row)
        whole = length(row)
        for k in range(size):
            row[k] /= whole
        rank += 1
        left[chosen] = 0.0
        for i in range(count):
            if left[i] > 0.0:
                _take_out(basis, rank - 1, rank, rests[i])
                left[i] = length(rests[i])
        if rank - first == size:
            break
    return rank


@compiled
def length(row: Array) -> float:
    """Euclid's norm."""
    total = 0.0
    for k in range(len(row)):
        total += row[k] * row[k]
    return math.sqrt(total)


@compiled
def _take_out(basis: Array, first: int, last: int, row: Array) -> None:
    for j in range(first, last):
        along = 0.0
        for k in range(len(row)):
            along += basis[j, k] * row[k]
        for k in range(len(row)):
            row[k] -= along * basis[j, k]

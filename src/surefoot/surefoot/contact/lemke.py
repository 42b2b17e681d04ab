# SPDX-License-Identifier: Apache-2.0
"""Lemke's method for linear complementarity problems [Lemke 1965; Cottle, Pang and Stone 1992, Alg. 4.4.5].

The lexicographic choice of the leaving variable makes every basis of the path different from the ones before, so it cannot cycle. On
copositive matrices, such as that of Coulomb friction, the path ends in a solution if every z >= 0 with M z >= 0 and z^T M z = 0 has
q^T z >= 0 [Cottle, Pang and Stone 1992, Theorem 4.4.13].
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.complementarity import INVALID, PIVOT_LIMIT, RAY, SOLVED, UNTRUSTED, ComplementarityResult, is_complementary

Array = NDArray[np.float64]

PIVOT = 1e-11
"""Smallest entry that may be pivoted on."""
TIE = 1e-11
"""Ratios closer than this, relative to their size, are told apart by the columns of the inverse basis."""


def solve_lemke(matrix: Array, offset: Array, pivot_limit: int | None = None) -> ComplementarityResult:
    """Find z >= 0 with w = M z + q >= 0 and z^T w = 0.

    Args:
        matrix: M, (n, n).
        offset: q, (n,).
        pivot_limit: 50 times n, at least 200, if none is given.
    """
    size = len(offset)
    if not math.isfinite(float(matrix.sum()) + float(offset.sum())):
        return ComplementarityResult.unsolved(size, INVALID)
    if not size or offset.min() >= 0.0:
        return ComplementarityResult(np.zeros(size), offset.copy(), SOLVED)
    limit = max(200, 50 * size) if pivot_limit is None else pivot_limit
    # Columns: w, z, the artificial variable, right side. basis[i] is the column that row i has been solved for.
    artificial = 2 * size
    tableau = np.hstack((np.eye(size), -matrix, -np.ones((size, 1)), offset[:, np.newaxis]))
    basis = np.arange(size)
    # Among equals the last row is the lexicographically smallest.
    row = int(np.flatnonzero(offset == offset.min())[-1])
    entering = artificial
    for pivots in range(1, limit + 1):
        leaving = int(basis[row])
        _pivot(tableau, row, entering)
        basis[row] = entering
        if leaving == artificial:
            return _checked(matrix, offset, basis, pivots)
        entering = leaving + size if leaving < size else leaving - size
        found = _leaving_row(tableau, basis, entering, artificial)
        if found is None:
            return ComplementarityResult.unsolved(size, RAY, pivots)
        row = found
    return ComplementarityResult.unsolved(size, PIVOT_LIMIT, limit)


def _pivot(tableau: Array, row: int, column: int) -> None:
    tableau[row] /= tableau[row, column]
    factors = tableau[:, column].copy()
    factors[row] = 0.0
    tableau -= np.outer(factors, tableau[row])


def _leaving_row(tableau: Array, basis: NDArray[np.int64], column: int, artificial: int) -> int | None:
    """Row of the lexicographically smallest ratio; the artificial variable goes first where it may go at all."""
    rows = np.flatnonzero(tableau[:, column] > PIVOT)
    if not rows.size:
        return None
    size = len(basis)
    for place in (tableau.shape[1] - 1, *range(size)):
        ratios = tableau[rows, place] / tableau[rows, column]
        smallest = ratios.min()
        rows = rows[ratios <= smallest + TIE * (1.0 + abs(smallest))]
        if place >= size and artificial in basis[rows]:
            return int(rows[basis[rows] == artificial][0])
        if rows.size == 1:
            break
    return int(rows[0])


def _checked(matrix: Array, offset: Array, basis: NDArray[np.int64], pivots: int) -> ComplementarityResult:
    """The answer of a basis, solved for afresh so that no rounding of the pivots is left, or UNTRUSTED."""
    size = len(offset)
    positive = np.sort(basis[basis >= size] - size)
    solution = np.zeros(size)
    if positive.size:
        solution[positive] = np.linalg.lstsq(matrix[np.ix_(positive, positive)], -offset[positive], rcond=None)[0]
    if not is_complementary(matrix, offset, solution):
        return ComplementarityResult.unsolved(size, UNTRUSTED, pivots)
    solution = np.maximum(solution, 0.0)
    return ComplementarityResult(solution, matrix @ solution + offset, SOLVED, pivots)

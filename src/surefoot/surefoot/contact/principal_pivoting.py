# SPDX-License-Identifier: Apache-2.0
"""Principal pivoting for complementarity problems of many contacts and few degrees of freedom, warm started.

The matrix is H H^T with H of n contacts and k degrees of freedom, and is never formed: a pivot costs O(n k) and the set of loaded
contacts never outgrows the rank of H [Zapolsky and Drumwright 2016, section 4.7, Alg. 2 and appendix F].

The printed method moves the most negative variable into or out of the set at each pivot. It divides by a singular matrix when contacts
depend on each other, as four coplanar feet do, and nothing keeps it from cycling. Here an index enters by the step of the dual method
of Goldfarb and Idnani [1983] on the equivalent least distance problem min 1/2 |x|^2 subject to H x + r >= 0 with x = H^T z: it goes only
as far as no loaded contact starts to pull, and what would is let go first. Every pivot raises the dual objective or shrinks the set, so
that it ends.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.complementarity import INVALID, PIVOT_LIMIT, RAY, SOLVED

Array = NDArray[np.float64]

DEPENDENT = 1e-8
"""Share of a row's length outside of the span of others below which rounding decides about it."""
TOLERANCE = 3e-9
"""How far a slack may be below 0, relative to the size of what is added up."""


@dataclass(frozen=True)
class PivotingResult:
    """Answer of `solve_principal_pivoting`.

    Attributes:
        solution: z, (n,); NaN unless solved.
        motion: x = H^T z, (k,); NaN unless solved.
        status: SOLVED, RAY (no solution), PIVOT_LIMIT or INVALID of `complementarity`.
        pivots: how many were made.
    """

    solution: Array
    motion: Array
    status: int
    pivots: int = 0


def find_independent_rows(rows: Array) -> tuple[NDArray[np.int64], Array]:
    """Rows that do not depend on those before them, as indices, and an orthonormal basis of their span, (rank, k).

    Args:
        rows: (n, k).
    """
    count, size = rows.shape
    chosen, basis, triangle = np.empty(size, np.int64), np.empty((size, size)), np.empty((size, size))
    rank = independent_rows(np.ascontiguousarray(rows), np.arange(count), DEPENDENT, chosen, basis, triangle)
    return chosen[:rank], basis[:rank]


def solve_principal_pivoting(rows: Array, offset: Array, warm: Sequence[int] = (), scale: float = 1.0) -> PivotingResult:
    """Find z >= 0 with w = H H^T z + r >= 0 and z^T w = 0.

    Args:
        rows: H, (n, k).
        offset: r, (n,).
        warm: indices that were positive in the last solution; those that cannot be now are dropped.
        scale: size of the numbers that r is the sum of, which says how well it is known.
    """
    count, size = rows.shape
    solution, motion = np.empty(count), np.empty(size)
    candidates = np.array([index for index in warm if 0 <= index < count], dtype=np.int64)
    status, pivots = pivot(np.ascontiguousarray(rows), np.ascontiguousarray(offset), candidates, scale, TOLERANCE, solution, motion)
    return PivotingResult(solution, motion, status, pivots)


@compiled
def independent_rows(
    rows: Array, order: NDArray[np.int64], dependent: float, chosen: NDArray[np.int64], basis: Array, triangle: Array
) -> int:
    """Write which rows, looked at in an order, do not depend on those before them; returns their number, the rank.

    This is FIND-INDICES [Zapolsky and Drumwright 2016, Alg. 1] on rows that have been multiplied by the inverse of the Cholesky factor of
    the mass matrix: their Gram matrix is the printed X^T M^-1 X, and its growing Cholesky factor is the triangle. Work is O(n k^2).

    Args:
        rows: (n, k).
        order: indices of rows, in which they are looked at.
        dependent: a row whose part outside of the span of those before is shorter than this, relative to its length, depends on them.
        chosen: (k,), written up to the rank.
        basis: (k, k), written: orthonormal rows up to the rank.
        triangle: (k, k), written: row chosen[i] is the sum over j <= i of triangle[i, j] basis[j].
    """
    size, rank, longest = rows.shape[1], 0, 0.0
    for index in order:
        longest = max(longest, math.sqrt(_dot(rows[index], rows[index])))
    rest = np.empty(size)
    for index in order:
        if rank == size:
            break
        length = math.sqrt(_dot(rows[index], rows[index]))
        if length <= 1e-12 * longest:
            continue
        rest[:] = rows[index]
        _project_out(basis, rank, rest, triangle[rank])
        left = math.sqrt(_dot(rest, rest))
        if left > dependent * length:
            basis[rank] = rest / left
            triangle[rank, rank] = left
            chosen[rank] = index
            rank += 1
    return rank


@compiled
def pivot(
    rows: Array, offset: Array, warm: NDArray[np.int64], scale: float, tolerance: float, solution: Array, motion: Array
) -> tuple[int, int]:
    """`solve_principal_pivoting` for warm indices within the rows; writes z and x, and returns the status and the number of pivots.

    Args:
        rows: H, (n, k). offset: r, (n,). warm: (any,). scale: as there.
        tolerance: how far a slack may be below 0, relative to the size of what is added up.
        solution: (n,), written; NaN unless solved.
        motion: (k,), written; NaN unless solved.
    """
    count, size = rows.shape
    solution[:], motion[:] = np.nan, np.nan
    if not math.isfinite(rows.sum() + offset.sum()):
        return INVALID, 0
    lengths, longest = np.empty(count), 0.0
    for i in range(count):
        lengths[i] = math.sqrt(_dot(rows[i], rows[i]))
        longest = max(longest, lengths[i])
    # What is shorter than rounding of the longest can push nothing.
    for i in range(count):
        if lengths[i] <= 1e-9 * longest:
            lengths[i] = 0.0
    active, pressure = np.empty(size + 1, np.int64), np.zeros(size + 1)
    basis, triangle = np.empty((size, size)), np.empty((size, size))
    share, part, passed_over, contradicted = np.empty(size), np.empty(size), np.empty(count, np.bool_), np.zeros(count, np.bool_)
    held = independent_rows(rows, warm, DEPENDENT, active, basis, triangle)
    # The warm set without what depends on the rest of it and without what would pull, most first.
    while held:
        _press(offset, active, held, triangle, pressure, False)
        pulling = int(np.argmin(pressure[:held]))
        if pressure[pulling] >= 0.0:
            break
        held = _let_go(rows, active, pressure, held, pulling, basis, triangle)
    pivots = 0
    while pivots < 20 * (count + size) + 50:
        moved = _motion(rows, active, pressure, held)
        reach_of_motion = math.sqrt(_dot(moved, moved))
        entering, short = -1, 0.0
        passed_over[:] = contradicted
        for i in range(held):
            passed_over[active[i]] = True
        for i in range(count):
            below = offset[i] + _dot(rows[i], moved) + tolerance * (scale + abs(offset[i]) + lengths[i] * reach_of_motion)
            if below < short and not passed_over[i]:
                entering, short = i, below
        if entering < 0:
            solution[:], motion[:] = 0.0, moved
            for i in range(held):
                solution[active[i]] = pressure[i]
            return SOLVED, pivots
        added, before, last_active, last_pressure = 0.0, held, active.copy(), pressure.copy()
        while True:
            pivots += 1
            rest = rows[entering].copy()
            _project_out(basis, held, rest, part)
            for i in range(held - 1, -1, -1):
                share[i] = part[i]
                for k in range(i + 1, held):
                    share[i] -= triangle[k, i] * share[k]
                share[i] /= triangle[i, i]
            curvature = _dot(rest, rest) if lengths[entering] > 0.0 else 0.0
            blocking, reach = -1, np.inf
            for i in range(held):
                if share[i] > 0.0 and pressure[i] / share[i] < reach:
                    blocking, reach = i, pressure[i] / share[i]
            whole = np.inf
            if curvature > (DEPENDENT * lengths[entering]) ** 2:
                whole = -(offset[entering] + _dot(rows[entering], moved)) / curvature
            step = min(whole, reach)
            if step == np.inf:
                # The row and those that it depends on contradict each other: as much as all of them may be short together is rounding.
                missing, allowed = -(offset[entering] + _dot(rows[entering], moved)), 0.0
                for i in range(held + 1):
                    index, times = (active[i], abs(share[i])) if i < held else (entering, 1.0)
                    allowed += times * tolerance * (scale + abs(offset[index]) + lengths[index] * reach_of_motion)
                if missing > allowed:
                    return RAY, pivots
                contradicted[entering], held = True, before
                active[:held], pressure[:held] = last_active[:held], last_pressure[:held]
                independent_rows(rows, last_active[:held], DEPENDENT, active, basis, triangle)
                break
            if pivots > 20 * (count + size) + 50:
                return PIVOT_LIMIT, pivots
            for i in range(held):
                pressure[i] -= step * share[i]
            added += step
            if whole <= reach:
                active[held], pressure[held] = entering, added
                basis[held], triangle[held, :held], triangle[held, held] = rest / math.sqrt(curvature), part[:held], math.sqrt(curvature)
                held += 1
                _press(offset, active, held, triangle, pressure, True)
                break
            held = _let_go(rows, active, pressure, held, blocking, basis, triangle)
            moved = _motion(rows, active, pressure, held) + added * rows[entering]
    return PIVOT_LIMIT, pivots


@compiled
def _dot(first: Array, second: Array) -> float:
    total = 0.0
    for i in range(len(first)):
        total += first[i] * second[i]
    return total


@compiled
def _project_out(basis: Array, rank: int, row: Array, parts: Array) -> None:
    """Take out of a row what lies in the span of the basis, and write its parts along it."""
    parts[:rank] = 0.0
    # Twice: what rounding left of the span would be taken for a direction of its own.
    for _ in range(2):
        for j in range(rank):
            along = _dot(basis[j], row)
            parts[j] += along
            for k in range(len(row)):
                row[k] -= along * basis[j, k]


@compiled
def _motion(rows: Array, active: NDArray[np.int64], pressure: Array, held: int) -> Array:
    motion = np.zeros(rows.shape[1])
    for i in range(held):
        motion += pressure[i] * rows[active[i]]
    return motion


@compiled
def _let_go(rows: Array, active: NDArray[np.int64], pressure: Array, held: int, place: int, basis: Array, triangle: Array) -> int:
    """Take a row out of the set and factorise those after it anew; returns how many are left."""
    for i in range(place, held - 1):
        active[i], pressure[i] = active[i + 1], pressure[i + 1]
    for i in range(place, held - 1):
        rest = rows[active[i]].copy()
        _project_out(basis, i, rest, triangle[i])
        triangle[i, i] = math.sqrt(_dot(rest, rest))
        basis[i] = rest / triangle[i, i]
    return held - 1


@compiled
def _press(offset: Array, active: NDArray[np.int64], held: int, triangle: Array, pressure: Array, summed: bool) -> None:
    """Write what presses in the contacts of a set that all stay closed, afresh.

    What the pivots summed up stays where rounding would make one pull.
    """
    exact, largest, least = np.empty(held), 0.0, 0.0
    for i in range(held):
        exact[i] = -offset[active[i]]
        for k in range(i):
            exact[i] -= triangle[i, k] * exact[k]
        exact[i] /= triangle[i, i]
    for i in range(held - 1, -1, -1):
        for k in range(i + 1, held):
            exact[i] -= triangle[k, i] * exact[k]
        exact[i] /= triangle[i, i]
        largest, least = max(largest, abs(exact[i])), min(least, exact[i])
    if summed and not least > -1e-9 * largest and least < 0.0:
        return
    for i in range(held):
        pressure[i] = max(exact[i], 0.0) if summed else exact[i]

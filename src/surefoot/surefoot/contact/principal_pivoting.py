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

from surefoot.contact.complementarity import INVALID, PIVOT_LIMIT, RAY, SOLVED

Array = NDArray[np.float64]

DEPENDENT = 1e-8
"""A row whose part outside of the span of others is shorter than this, relative to its length, depends on them."""
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

    This is FIND-INDICES [Zapolsky and Drumwright 2016, Alg. 1] on rows that have been multiplied by the inverse of the Cholesky factor of
    the mass matrix: their Gram matrix is the printed X^T M^-1 X, and its growing Cholesky factor is what is projected out here.

    Args:
        rows: (n, k).
    """
    size = rows.shape[1]
    basis = np.empty((size, size))
    chosen: list[int] = []
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    smallest = 1e-12 * float(lengths.max(initial=0.0))
    for index, row in enumerate(rows):
        rank = len(chosen)
        if rank == size:
            break
        if lengths[index] <= smallest:
            continue
        rest = row - basis[:rank].T @ (basis[:rank] @ row)
        # Once more: what rounding left of the span would be taken for a direction of its own.
        rest -= basis[:rank].T @ (basis[:rank] @ rest)
        length = math.sqrt(rest @ rest)
        if length > DEPENDENT * lengths[index]:
            basis[rank] = rest / length
            chosen.append(index)
    return np.array(chosen, dtype=np.int64), basis[: len(chosen)]


def solve_principal_pivoting(rows: Array, offset: Array, warm: Sequence[int] = (), scale: float = 1.0) -> PivotingResult:
    """Find z >= 0 with w = H H^T z + r >= 0 and z^T w = 0.

    Args:
        rows: H, (n, k).
        offset: r, (n,).
        warm: indices that were positive in the last solution; those that cannot be now are dropped.
        scale: size of the numbers that r is the sum of, which says how well it is known.
    """
    count, size = rows.shape
    if not math.isfinite(float(rows.sum()) + float(offset.sum())):
        return _unsolved(count, size, INVALID, 0)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    # What is shorter than rounding of the longest can push nothing.
    lengths[lengths <= 1e-9 * float(lengths.max(initial=0.0))] = 0.0
    active, pressure = _start(rows, offset, warm)
    limit = 20 * (count + size) + 50
    pivots = 0
    while pivots < limit:
        motion = rows[active].T @ pressure
        slack = rows @ motion + offset
        allowed = -TOLERANCE * (scale + np.abs(offset) + lengths * math.sqrt(motion @ motion))
        allowed[active] = -np.inf
        short = slack - allowed
        entering = int(np.argmin(short)) if count else 0
        if not count or short[entering] >= 0.0:
            solution = np.zeros(count)
            solution[active] = pressure
            return PivotingResult(solution, motion, SOLVED, pivots)
        added = 0.0
        while True:
            pivots += 1
            share, rest = _share(rows, active, entering)
            curvature = float(rest @ rest) if lengths[entering] else 0.0
            independent = curvature > (DEPENDENT * lengths[entering]) ** 2
            blocking, reach = -1, math.inf
            for place, part in enumerate(share):
                if part > 0.0 and pressure[place] / part < reach:
                    blocking, reach = place, pressure[place] / part
            missing = -(float(offset[entering]) + float(rows[entering] @ motion))
            whole = missing / curvature if independent else math.inf
            step = min(whole, reach)
            if step == math.inf or pivots > limit:
                return _unsolved(count, size, RAY if step == math.inf else PIVOT_LIMIT, pivots)
            pressure = pressure - step * share
            added += step
            if whole <= reach:
                active.append(entering)
                pressure = _pressure(rows, offset, active, np.append(pressure, added))
                break
            del active[blocking]
            pressure = np.delete(pressure, blocking)
            motion = rows[active].T @ pressure + added * rows[entering]
    return _unsolved(count, size, PIVOT_LIMIT, pivots)


def _start(rows: Array, offset: Array, warm: Sequence[int]) -> tuple[list[int], Array]:
    """The warm set without what depends on the rest of it and without what would pull, most first."""
    candidates = [index for index in warm if 0 <= index < len(offset)]
    active = [candidates[place] for place in find_independent_rows(rows[candidates])[0]] if candidates else []
    while active:
        pressure = _pressure(rows, offset, active, np.zeros(len(active)))
        if pressure.min() >= 0.0:
            return active, pressure
        del active[int(np.argmin(pressure))]
    return [], np.empty(0)


def _pressure(rows: Array, offset: Array, active: list[int], otherwise: Array) -> Array:
    """What presses in the contacts of a set that all stay closed, afresh; what the pivots summed up, where rounding makes one pull."""
    gram = rows[active] @ rows[active].T
    try:
        exact: Array = np.asarray(np.linalg.solve(gram, -offset[active]), dtype=np.float64)
    except np.linalg.LinAlgError:
        return otherwise
    if otherwise.any() and exact.min() < 0.0:
        exact = np.maximum(exact, 0.0) if exact.min() > -1e-9 * np.abs(exact).max() else otherwise
    return exact


def _share(rows: Array, active: list[int], entering: int) -> tuple[Array, Array]:
    """The entering row as a combination of the active ones, and what is left of it."""
    row = rows[entering]
    if not active:
        return np.empty(0), row
    share: Array = np.linalg.lstsq(rows[active].T, row, rcond=None)[0]
    return share, row - rows[active].T @ share


def _unsolved(count: int, size: int, status: int, pivots: int) -> PivotingResult:
    return PivotingResult(np.full(count, np.nan), np.full(size, np.nan), status, pivots)

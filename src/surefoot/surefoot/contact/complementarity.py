# SPDX-License-Identifier: Apache-2.0
"""Linear complementarity problems: w = M z + q, w >= 0, z >= 0, z^T w = 0; what their solvers answer, and the check of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SOLVED = 0
RAY = 1
"""The path of pivots runs along a ray: no solution where the matrix is copositive-plus, and none found elsewhere."""
PIVOT_LIMIT = 2
INVALID = 3
"""The problem holds a number that is not finite."""
UNTRUSTED = 4
"""The solver answered, and the answer does not satisfy the conditions."""

STATUS_TEXT = {
    SOLVED: "solved",
    RAY: "no solution along the path of pivots",
    PIVOT_LIMIT: "too many pivots",
    INVALID: "the problem is not finite",
    UNTRUSTED: "the answer fails the conditions",
}

TOLERANCE = 1e-8
"""Of the check, relative to the size of what is added up."""


@dataclass(frozen=True)
class ComplementarityResult:
    """Answer to a linear complementarity problem.

    Attributes:
        solution: z, (n,); NaN unless solved.
        slack: w, (n,); NaN unless solved.
        status: SOLVED, RAY, PIVOT_LIMIT, INVALID or UNTRUSTED.
        pivots: how many were made.
    """

    solution: Array
    slack: Array
    status: int
    pivots: int = 0

    @property
    def solved(self) -> bool:
        """Whether the solution may be used."""
        return self.status == SOLVED

    @staticmethod
    def unsolved(size: int, status: int, pivots: int = 0) -> "ComplementarityResult":
        """No answer, and why."""
        nothing = np.full(size, np.nan)
        return ComplementarityResult(nothing, nothing, status, pivots)


def is_complementary(matrix: Array, offset: Array, solution: Array, tolerance: float = TOLERANCE) -> bool:
    """Whether z solves the problem of matrix M and offset q up to rounding."""
    if not np.isfinite(solution).all():
        return False
    slack = matrix @ solution + offset
    size = 1.0 + np.abs(offset) + np.abs(matrix) @ np.abs(solution)
    largest = 1.0 + float(np.abs(solution).max(initial=0.0))
    if np.min(solution, initial=0.0) < -tolerance * largest or np.min(slack / size, initial=0.0) < -tolerance:
        return False
    # The smaller of each pair has to vanish; a product would let a large slack hide a force.
    return bool(np.all(np.minimum(np.abs(solution) / largest, np.abs(slack) / size) <= tolerance))

# SPDX-License-Identifier: Apache-2.0
"""The quadratic programs of four feet, solved without memory from the heap; compiled."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import solve_in
from surefoot.stack_arrays import stack_integers, stack_matrix

Array = NDArray[np.float64]


@compiled
def solve_small(hessian: Array, gradient: Array, rows: Array, bounds: Array, size: int, constraints: int, solution: Array) -> int:
    """See `contact.active_set.solve`; at most 12 variables and 48 constraints."""
    basis, triangle, columns = stack_matrix(12, 12), stack_matrix(12, 12), stack_matrix(12, 48)
    vectors, sides, active = stack_matrix(5, 13), stack_matrix(2, 48), stack_integers(13)
    return solve_in(
        hessian, gradient, rows, bounds, size, constraints, solution, basis, triangle, columns, vectors, sides, active
    )

# SPDX-License-Identifier: Apache-2.0
"""The base acceleration that the loaded feet can produce; compiled."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import SOLVED as QP_SOLVED
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.inverse_dynamics.law import FAILED, FORCE_WEIGHT, RELAXED, SOLVED
from surefoot.locomotion.compiled.small_program import solve_small
from surefoot.robot.spatial import solve_general
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def balance(
    effective_mass: Array, effective_bias: Array, wrench_map: Array, wanted: Array, rows: Array, bounds: Array,
    size: int, weight: float, length: float, out: Array,
) -> int:  # fmt: skip
    """The producible base acceleration nearest to the wanted one, for legs that move along with the base.

    Minimises |a - wanted|^2, angular parts times a length, + FORCE_WEIGHT |f|^2 over the contact forces f, where
    effective_mass a + effective_bias = wrench_map f.

    Args:
        effective_mass: (6, 6), overwritten. effective_bias: (6,). wrench_map: (6, size) or larger. wanted: (6,).
        rows, bounds: pyramids over the forces, N.
        size: number of force components, at most 12.
        weight: of the robot, N.
        length: that makes angular accelerations comparable with linear ones, m.
        out: base acceleration, (6,), written.

    Returns:
        SOLVED, RELAXED (loads above their bounds) or FAILED.
    """
    constraints = ROWS_PER_CONTACT * (size // 3)
    right = stack_matrix(6, 13)
    for i in range(6):
        for j in range(size):
            right[i, j] = wrench_map[i, j] * weight
        right[i, size] = effective_bias[i]
    if not solve_general(effective_mass, right, 6, size + 1):
        return FAILED
    hessian, gradient, scaled_bounds, force = stack_matrix(12, 12), stack_vector(12), stack_vector(24), stack_vector(12)
    for r in range(constraints):
        scaled_bounds[r] = bounds[r] / weight
    for i in range(size):
        total = 0.0
        for k in range(6):
            scale = 1.0 if k < 3 else length * length
            total -= scale * right[k, i] * (wanted[k] + right[k, size])
        gradient[i] = total
        for j in range(size):
            total = 0.0
            for k in range(6):
                scale = 1.0 if k < 3 else length * length
                total += scale * right[k, i] * right[k, j]
            hessian[i, j] = total
        hessian[i, i] += FORCE_WEIGHT * 9.81 * 9.81
    status = SOLVED
    if solve_small(hessian, gradient, rows, scaled_bounds, size, constraints, force) != QP_SOLVED:
        status = RELAXED
        for contact in range(size // 3):
            scaled_bounds[ROWS_PER_CONTACT * contact + 1] = -1e6
        if solve_small(hessian, gradient, rows, scaled_bounds, size, constraints, force) != QP_SOLVED:
            return FAILED
    for i in range(6):
        total = -right[i, size]
        for j in range(size):
            total += right[i, j] * force[j]
        out[i] = total
    return status

# SPDX-License-Identifier: Apache-2.0
"""The base acceleration that the loaded feet can produce; compiled."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import SOLVED as QP_SOLVED
from surefoot.contact.active_set import solve
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.inverse_dynamics.law import FAILED, FORCE_WEIGHT, RELAXED, SOLVED
from surefoot.robot.spatial import solve_general

Array = NDArray[np.float64]


@compiled
def balance(
    effective_mass: Array, effective_bias: Array, wrench_map: Array, wanted: Array, rows: Array, bounds: Array,
    weight: float, length: float, out: Array,
) -> int:  # fmt: skip
    """The producible base acceleration nearest to the wanted one, for legs that move along with the base.

    Minimises |a - wanted|^2, angular parts times a length, + FORCE_WEIGHT |f|^2 over the contact forces f, where
    effective_mass a + effective_bias = wrench_map f.

    Args:
        effective_mass: (6, 6). effective_bias: (6,). wrench_map: (6, size). wanted: (6,).
        rows, bounds: pyramids over the forces, N.
        weight: of the robot, N.
        length: that makes angular accelerations comparable with linear ones, m.
        out: base acceleration, (6,), written.

    Returns:
        SOLVED, RELAXED (loads above their bounds) or FAILED.
    """
    size = wrench_map.shape[1]
    matrix, right = effective_mass.copy(), np.empty((6, size + 1))
    for i in range(6):
        for j in range(size):
            right[i, j] = wrench_map[i, j] * weight
        right[i, size] = effective_bias[i]
    if not solve_general(matrix, right, 6, size + 1):
        return FAILED
    hessian, gradient = np.empty((size, size)), np.empty(size)
    scaled_bounds = bounds / weight
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
    force = np.empty(size)
    status = SOLVED
    if solve(hessian, gradient, rows, scaled_bounds, size, bounds.shape[0], force) != QP_SOLVED:
        status = RELAXED
        for contact in range(size // 3):
            scaled_bounds[ROWS_PER_CONTACT * contact + 1] = -1e6
        if solve(hessian, gradient, rows, scaled_bounds, size, bounds.shape[0], force) != QP_SOLVED:
            return FAILED
    for i in range(6):
        total = -right[i, size]
        for j in range(size):
            total += right[i, j] * force[j]
        out[i] = total
    return status

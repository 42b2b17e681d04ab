# SPDX-License-Identifier: Apache-2.0
"""Forces of contacts that do not slip, compiled: tangential ones hold, normal ones are complementary to the gaps."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.complementarity import SOLVED
from surefoot.contact.principal_pivoting import TOLERANCE, independent_rows, pivot

Array = NDArray[np.float64]


@compiled
def press_held_contacts(
    whitened: Array,
    free: Array,
    floor: Array,
    held: NDArray[np.bool_],
    warm: NDArray[np.int64],
    dependent: float,
    scale: float,
    force: Array,
) -> tuple[int, int, float]:
    """Write the forces of contacts of which some are held by their tangents, and the others bear normal forces alone.

    The tangential equations that do not depend on others are met by eliminating the part of the motion that they fix; what is left of the
    normal directions makes the complementarity problem [Zapolsky and Drumwright 2016, Eq. 36-45]. Work is O(c p^2 + pivots c p).

    Args:
        whitened, free, floor, scale: of a `Reduction`.
        held: which contacts may not slip, (c,).
        warm: contacts that bore load in the last solution.
        dependent: see `independent_rows`.
        force: (3 c,), written, in the axes of the contacts.

    Returns:
        Status and pivots of `principal_pivoting`, and the largest slip acceleration of a held contact, m/s^2.
    """
    contacts, size = len(floor), whitened.shape[1]
    tangents, count = np.empty(2 * contacts, np.int64), 0
    for contact in range(contacts):
        if held[contact]:
            tangents[count], tangents[count + 1] = 3 * contact + 1, 3 * contact + 2
            count += 2
    chosen, basis, triangle = np.empty(size, np.int64), np.empty((size, size)), np.empty((size, size))
    rank = independent_rows(whitened, tangents[:count], dependent, chosen, basis, triangle)
    # The shortest motion that stops the chosen tangents.
    along, motion = np.empty(rank), np.zeros(size)
    for i in range(rank):
        along[i] = -free[chosen[i]]
        for k in range(i):
            along[i] -= triangle[i, k] * along[k]
        along[i] /= triangle[i, i]
        motion += along[i] * basis[i]
    rows, offset, pushed = np.empty((contacts, size)), np.empty(contacts), 0.0
    for contact in range(contacts):
        normal, moved = whitened[3 * contact], 0.0
        whole, rest = 0.0, 0.0
        for k in range(size):
            rows[contact, k] = normal[k]
            moved += normal[k] * motion[k]
            whole += normal[k] * normal[k]
        offset[contact], pushed = free[3 * contact] - floor[contact] + moved, max(pushed, abs(moved))
        for j in range(rank):
            part = 0.0
            for k in range(size):
                part += basis[j, k] * normal[k]
            for k in range(size):
                rows[contact, k] -= part * basis[j, k]
        for k in range(size):
            rest += rows[contact, k] * rows[contact, k]
        if rest <= 1e-16 * whole:
            rows[contact] = 0.0
    load, more = np.empty(contacts), np.empty(size)
    status, pivots = pivot(rows, offset, warm, scale + pushed, TOLERANCE, load, more)
    force[:] = 0.0
    if status != SOLVED:
        return status, pivots, np.inf
    motion += more
    unborne = motion.copy()
    for contact in range(contacts):
        force[3 * contact] = load[contact]
        if load[contact] != 0.0:
            unborne -= load[contact] * whitened[3 * contact]
    for i in range(rank - 1, -1, -1):
        total = 0.0
        for k in range(size):
            total += basis[i, k] * unborne[k]
        for k in range(i + 1, rank):
            total -= triangle[k, i] * force[chosen[k]]
        force[chosen[i]] = total / triangle[i, i]
    slip = 0.0
    for tangent in tangents[:count]:
        moved = free[tangent]
        for k in range(size):
            moved += whitened[tangent, k] * motion[k]
        slip = max(slip, abs(moved))
    return status, pivots, slip if math.isfinite(slip) else np.inf

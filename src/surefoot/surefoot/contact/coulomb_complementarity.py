# SPDX-License-Identifier: Apache-2.0
"""Contacts with Coulomb friction as a linear complementarity problem, for inverse dynamics and for time stepping alike."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.inscribed_pyramid import friction_directions
from surefoot.contact.reduction import Reduction, plain

Array = NDArray[np.float64]

LARGEST_FRICTION = 1e2
"""What infinite friction is taken for: the cone is then within ten milliradians of the half space."""


@dataclass(frozen=True)
class CoulombComplementarity:
    """w = matrix z + offset, z = (f_N, f_F, lambda) in units of their own [Zapolsky and Drumwright 2016, Eq. 63]."""

    matrix: Array
    offset: Array
    to_force: Array
    """(3 c, 2 + edges times the contacts that are not apart): forces in the axes of the contacts by z."""


def coulomb_complementarity(
    reduction: Reduction, near: NDArray[np.int64], friction: Array, edges: int, slack: float = 0.0
) -> CoulombComplementarity:
    """The problem of some of the contacts; the others bear nothing.

    Args:
        reduction: of the multi-body.
        near: indices of the contacts, (k,).
        friction: their Coulomb coefficients, (k,), finite.
        edges: of the friction pyramids.
        slack: that contacts may go below their floors, relative to the size of the accelerations that add up.
    """
    # Accelerations in units of the largest and forces in units that make it: pivots then have no unit.
    mass, scale = reduction.contact_mass, reduction.scale
    velocity = reduction.free.copy()
    velocity[::3] += slack * scale - reduction.floor
    size = len(near) * (2 + edges)
    matrix, offset, to_force = np.zeros((size, size)), np.zeros(size), np.zeros((3 * reduction.contacts, size))
    _fill(near, plain(friction), friction_directions(edges), reduction.whitened, velocity, mass, scale, matrix, offset, to_force)
    return CoulombComplementarity(matrix, offset, to_force)


@compiled
def _fill(
    near: NDArray[np.int64],
    friction: Array,
    directions: Array,
    whitened: Array,
    velocity: Array,
    mass: float,
    scale: float,
    matrix: Array,
    offset: Array,
    to_force: Array,
) -> None:
    """Write the last three, which are zero."""
    count, edges = len(near), len(directions)
    first = count * (1 + edges)
    spread = np.zeros((first, whitened.shape[1]))
    for place in range(count):
        normal = 3 * near[place]
        spread[place] = whitened[normal]
        offset[place] = velocity[normal] / scale
        to_force[normal, place] = mass * scale
        # Slip speeds in units of their own too: with much friction Lemke's method would lose itself among numbers of different size.
        unit = 1.0 / (1.0 + friction[place])
        matrix[first + place, place] = unit * friction[place]
        for edge in range(edges):
            row, x, y = count + edges * place + edge, directions[edge, 0], directions[edge, 1]
            spread[row] = x * whitened[normal + 1] + y * whitened[normal + 2]
            offset[row] = (x * velocity[normal + 1] + y * velocity[normal + 2]) / scale
            to_force[normal + 1, row], to_force[normal + 2, row] = mass * scale * x, mass * scale * y
            matrix[row, first + place], matrix[first + place, row] = unit, -unit
    for i in range(first):
        for j in range(i + 1):
            entry = 0.0
            for k in range(spread.shape[1]):
                entry += spread[i, k] * spread[j, k]
            matrix[i, j] = matrix[j, i] = mass * entry

# SPDX-License-Identifier: Apache-2.0
"""Friction pyramids of any even number of edges inside Coulomb's cone, in the axes of the contacts."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

EDGES = 4
"""As many as the pyramid mu f_N >= |f_S| + |f_T| has [Zapolsky and Drumwright 2016, Eq. 71]."""


def check_edges(edges: int) -> None:
    """Refuse what is no pyramid.

    Raises:
        ConfigurationError: fewer than four edges, or an odd number, which has a corner without one opposite.
    """
    if edges < 4 or edges % 2:
        raise ConfigurationError(f"a friction pyramid cannot have {edges} edges; take an even number of at least 4, such as 4 or 8")


def friction_directions(edges: int) -> Array:
    """Unit vectors in the tangent plane to the corners of the pyramid, (edges, 2)."""
    angles = 2.0 * np.pi * np.arange(edges) / edges
    return np.column_stack((np.cos(angles), np.sin(angles)))


def inscribed_pyramids(friction: Array, edges: int = EDGES) -> Array:
    """Rows of rows f >= 0 on the stacked forces (normal, first tangent, second tangent), (r, 3 n).

    Each contact has one row that keeps its normal force from pulling and, unless its friction is infinite, one for each side of the
    pyramid. Without friction the sides leave no tangential force.

    Args:
        friction: Coulomb coefficients, (n,), 0 to infinity.
        edges: of each pyramid, see `check_edges`.
    """
    angles = 2.0 * np.pi * (np.arange(edges) + 0.5) / edges
    blocks = []
    for contact, coefficient in enumerate(friction):
        rows = np.zeros((1 + edges, 3 * len(friction)))
        rows[0, 3 * contact] = 1.0
        if np.isfinite(coefficient):
            # Divided by what the coefficient makes large, so that the rows are comparable.
            scale = 1.0 / (1.0 + coefficient)
            rows[1:, 3 * contact] = coefficient * np.cos(np.pi / edges) * scale
            rows[1:, 3 * contact + 1] = -np.cos(angles) * scale
            rows[1:, 3 * contact + 2] = -np.sin(angles) * scale
        blocks.append(rows if np.isfinite(coefficient) else rows[:1])
    return np.vstack(blocks) if blocks else np.zeros((0, 0))


@compiled
def pulls_or_slides(force: Array, friction: Array, edges: int) -> float:
    """How far stacked forces (3 n,) are outside of their pyramids at most, as `inscribed_pyramids` measures it; NaN is inf.

    Args:
        force: (3 n,). friction: (n,). edges: of each pyramid.
    """
    worst = 0.0
    for contact in range(len(friction)):
        normal, first, second = force[3 * contact], force[3 * contact + 1], force[3 * contact + 2]
        if not math.isfinite(normal + first + second):
            return np.inf
        worst, coefficient = max(worst, -normal), friction[contact]
        if coefficient < np.inf:
            for edge in range(edges):
                angle = 2.0 * np.pi * (edge + 0.5) / edges
                room = coefficient * math.cos(np.pi / edges) * normal - math.cos(angle) * first - math.sin(angle) * second
                worst = max(worst, -room / (1.0 + coefficient))
    return worst


def clipped_into_pyramids(force: Array, friction: Array, edges: int = EDGES) -> Array:
    """Stacked forces (3 n,) without what rounding left outside: no pulling, and tangential parts shortened to the sides of the pyramids."""
    clipped = np.array(force, dtype=np.float64)
    _clip(clipped, np.array(friction, dtype=np.float64), edges)
    return clipped


@compiled
def _clip(force: Array, friction: Array, edges: int) -> None:
    for contact in range(len(friction)):
        normal = max(force[3 * contact], 0.0)
        force[3 * contact] = normal
        if friction[contact] < np.inf:
            across, limit = 0.0, friction[contact] * math.cos(np.pi / edges) * normal
            for edge in range(edges):
                angle = 2.0 * np.pi * (edge + 0.5) / edges
                across = max(across, math.cos(angle) * force[3 * contact + 1] + math.sin(angle) * force[3 * contact + 2])
            if across > limit:
                force[3 * contact + 1] *= limit / across
                force[3 * contact + 2] *= limit / across

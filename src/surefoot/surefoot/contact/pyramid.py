# SPDX-License-Identifier: Apache-2.0
"""Friction pyramids: contact frames and the linear bounds on a contact force, compiled."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

ROWS_PER_CONTACT = 6
"""Two bounds on the normal force and four edges of the pyramid."""


@compiled
def contact_frame(normal: Array, frame: Array) -> None:
    """Write an orthonormal frame (normal, first tangent, second tangent) as the rows of (3, 3).

    The first tangent is the axis of odom that is most nearly tangential, made tangential.

    Args:
        normal: unit vector out of the ground, (3,).
        frame: (3, 3), written.
    """
    smallest = 0
    for i in range(1, 3):
        if abs(normal[i]) < abs(normal[smallest]) - 1e-12:
            smallest = i
    length = 0.0
    for i in range(3):
        frame[0, i] = normal[i]
        frame[1, i] = (1.0 if i == smallest else 0.0) - normal[smallest] * normal[i]
        length += frame[1, i] * frame[1, i]
    length = math.sqrt(length)
    for i in range(3):
        frame[1, i] /= length
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        frame[2, i] = frame[0, j] * frame[1, k] - frame[0, k] * frame[1, j]


@compiled
def pyramid_rows(contact: int, frame: Array, friction: float, smallest: float, largest: float, rows: Array, bounds: Array) -> None:
    """Bounds on the force of one contact, as rows x >= bounds over the forces of all contacts in odom axes.

    The pyramid is mu f_N >= |f_S| + |f_T|, inscribed in Coulomb's cone [Zapolsky 2017, Eq. 106].

    Args:
        contact: index of the contact; its force is the variables 3 contact to 3 contact + 2.
        frame: (3, 3), see `contact_frame`.
        friction: Coulomb coefficient.
        smallest, largest: of the normal force, N.
        rows: (6 contacts, 3 contacts) or larger, written in the six rows of this contact.
        bounds: (6 contacts,) or larger, written likewise.
    """
    first = ROWS_PER_CONTACT * contact
    for r in range(ROWS_PER_CONTACT):
        for i in range(rows.shape[1]):
            rows[first + r, i] = 0.0
        bounds[first + r] = 0.0
    bounds[first], bounds[first + 1] = smallest, -largest
    for i in range(3):
        column = 3 * contact + i
        rows[first, column] = frame[0, i]
        rows[first + 1, column] = -frame[0, i]
        rows[first + 2, column] = friction * frame[0, i] + frame[1, i] + frame[2, i]
        rows[first + 3, column] = friction * frame[0, i] + frame[1, i] - frame[2, i]
        rows[first + 4, column] = friction * frame[0, i] - frame[1, i] + frame[2, i]
        rows[first + 5, column] = friction * frame[0, i] - frame[1, i] - frame[2, i]

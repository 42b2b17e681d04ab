# SPDX-License-Identifier: Apache-2.0
"""Friction pyramids of several contacts at once; the facts are those of the compiled `pyramid`."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.pyramid import ROWS_PER_CONTACT, contact_frame, pyramid_rows

Array = NDArray[np.float64]


def contact_frames(normals: Array) -> Array:
    """Orthonormal frames of contacts, (n, 3, 3): the rows of each are normal, first and second tangent.

    Args:
        normals: unit vectors out of the ground, (n, 3), odom axes.
    """
    frames = np.empty((len(normals), 3, 3))
    for normal, frame in zip(np.ascontiguousarray(normals), frames, strict=True):
        contact_frame(normal, frame)
    return frames


def friction_pyramids(normals: Array, friction: Array, largest: Array) -> tuple[Array, Array]:
    """Bounds on the stacked contact forces, as rows (6 n, 3 n) and bounds (6 n,) of rows x >= bounds.

    The rows of a contact are: normal force not negative, normal force not above its bound, four edges mu f_N >= |f_S| + |f_T|.

    Args:
        normals: (n, 3). friction: Coulomb coefficients, (n,). largest: bounds of the normal forces, (n,), N.
    """
    rows, bounds = np.empty((ROWS_PER_CONTACT * len(normals), 3 * len(normals))), np.empty(ROWS_PER_CONTACT * len(normals))
    write_pyramids(np.ascontiguousarray(normals), np.ascontiguousarray(friction), np.ascontiguousarray(largest), rows, bounds)
    return rows, bounds


@compiled
def write_pyramids(normals: Array, friction: Array, largest: Array, rows: Array, bounds: Array) -> None:
    """The same for other compiled functions."""
    frame = np.empty((3, 3))
    for contact in range(len(normals)):
        contact_frame(normals[contact], frame)
        pyramid_rows(contact, frame, friction[contact], 0.0, largest[contact], rows, bounds)

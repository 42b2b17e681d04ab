# SPDX-License-Identifier: Apache-2.0
"""The loaded feet of a plan as a whole-body controller sees them."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.cone import friction_pyramids
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.inverse_dynamics.desired import wanted_foot_accelerations
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms

Array = NDArray[np.float64]

FRICTIONLESS = 1e-3
"""Coulomb coefficient below which a contact has no tangential force: a pyramid without width would be edges that contradict each other up
to rounding."""


STEEPEST = 1e3
"""Coulomb coefficients above this count as this: who sticks that well does not slide, and a solver has few digits for more."""


class LoadedFeet(NamedTuple):
    """Contacts of the feet that bear load; a foot with several contact points appears once for each.

    Attributes:
        legs: their indices, (n,).
        jacobian: of the contact velocities, (3 n, 18).
        acceleration: wanted of the contact points, without the part at u' = 0, (3 n,), m/s^2.
        directions: force = directions x with as many unknowns x as the contacts have, in N, (3 n, k).
        rows, bounds: rows x >= bounds, (m, k) and (m,), N.
    """

    legs: NDArray[np.int64]
    jacobian: Array
    acceleration: Array
    directions: Array
    rows: Array
    bounds: Array


def loaded_feet(terms: RigidBodyTerms, plan: np.void, gains: ControlDescription) -> LoadedFeet:
    """The feet of a plan with a load above 0: braked to rest, friction of each in its pyramid, normal force up to its load."""
    legs = (plan["load"] > 0.0).nonzero()[0]
    normals, friction = plan["normal"].take(legs, axis=0), np.minimum(plan["friction"].take(legs), STEEPEST)
    rows, bounds = friction_pyramids(normals, friction, plan["load"].take(legs) * gains.foot_force_limit)
    wanted = (wanted_foot_accelerations(gains, plan, terms) - terms.foot_bias_accelerations).take(legs, axis=0).ravel()
    directions = _identity(3 * len(legs))
    smooth = friction < FRICTIONLESS
    if np.count_nonzero(smooth):
        directions, rows, bounds = _without_friction(smooth, normals, rows, bounds)
    return LoadedFeet(legs, terms.foot_jacobians.take(legs, axis=0).reshape(-1, 18), wanted, directions, rows, bounds)


@cache
def _identity(size: int) -> Array:
    identity = np.eye(size)
    identity.flags.writeable = False
    return identity


def _without_friction(smooth: NDArray[np.bool_], normals: Array, rows: Array, bounds: Array) -> tuple[Array, Array, Array]:
    """Contacts without friction have one unknown, their normal force, and no edges."""
    columns, kept = [], []
    for contact, normal in enumerate(normals):
        block = np.zeros((3 * len(normals), 1 if smooth[contact] else 3))
        block[3 * contact : 3 * contact + 3] = normal[:, np.newaxis] if smooth[contact] else np.eye(3)
        columns.append(block)
        kept += [ROWS_PER_CONTACT * contact + row for row in range(2 if smooth[contact] else ROWS_PER_CONTACT)]
    directions = np.hstack(columns)
    return directions, rows[kept] @ directions, bounds[kept]

# SPDX-License-Identifier: Apache-2.0
"""Which feet bear load in a plan, how their forces act on the robot and what bounds them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgeqp3, dorgqr

from surefoot.contact.cone import friction_pyramids
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.robot.model import RigidBodyTerms

Array = NDArray[np.float64]


class ContactProblem(NamedTuple):
    """The n loaded feet of a plan; forces are stacked foot by foot in odom axes, (3 n,), N.

    Attributes:
        loaded: which legs they belong to, (4,).
        legs: their indices, (n,).
        jacobian: of the foot velocities by the generalized velocity, (3 n, 18).
        normals: out of the ground, (n, 3).
        friction: Coulomb coefficients, (n,).
        velocity: of the feet, (3 n,), m/s.
        bias_acceleration: of the feet at constant generalized velocity, (3 n,), m/s^2.
        internal: orthonormal basis of the forces that put no wrench on the base, (3 n, k).
        rows, bounds: friction pyramids and bounds on the loads, (6 n, 3 n) and (6 n,): rows f >= bounds.
    """

    loaded: NDArray[np.bool_]
    legs: NDArray[np.int64]
    jacobian: Array
    normals: Array
    friction: Array
    velocity: Array
    bias_acceleration: Array
    internal: Array
    rows: Array
    bounds: Array

    @property
    def wrench_map(self) -> Array:
        """Wrench on the base, force first, of the contact forces, (6, 3 n)."""
        return self.jacobian[:, :6].T

    @property
    def along_normals(self) -> Array:
        """Normal components of contact vectors, (n, 3 n): the first row of each pyramid."""
        return self.rows[::ROWS_PER_CONTACT]

    @property
    def loaded_joints(self) -> NDArray[np.bool_]:
        """Whether the leg of a joint is in contact, (12,)."""
        return self.loaded.repeat(3)

    def bounds_without_load_limits(self, lowest: float) -> Array:
        """The bounds with the loads free to grow up to -lowest."""
        free = self.bounds.copy()
        free[1::ROWS_PER_CONTACT] = lowest
        return free


def contact_problem(terms: RigidBodyTerms, plan: np.void, foot_force_limit: float) -> ContactProblem:
    """The contact problem of a plan.

    Args:
        terms: of the robot.
        plan: a PLAN record; the feet with a load above 0 are in contact.
        foot_force_limit: normal force of a foot at load 1, N.
    """
    loaded = plan["load"] > 0.0
    legs = loaded.nonzero()[0]
    normals, friction = plan["normal"].take(legs, axis=0), plan["friction"].take(legs)
    rows, bounds = friction_pyramids(normals, friction, plan["load"].take(legs) * foot_force_limit)
    jacobian = terms.foot_jacobians.take(legs, axis=0).reshape(-1, 18)
    return ContactProblem(
        loaded,
        legs,
        jacobian,
        normals,
        friction,
        terms.foot_velocities.take(legs, axis=0).ravel(),
        terms.foot_bias_accelerations.take(legs, axis=0).ravel(),
        _internal_forces(jacobian[:, :6]),
        rows,
        bounds,
    )


def _internal_forces(base_jacobian: Array) -> Array:
    """Null space of the wrench map: what the columns of a QR decomposition with pivoting do not span.

    Columns that are left shorter than a billionth of the longest count as none.
    """
    size = len(base_jacobian)
    if not size:
        return np.empty((0, 0))
    factors, _, reflections, _, _ = dgeqp3(base_jacobian)
    lengths = abs(factors.diagonal()).tolist()
    rank = sum(length > 1e-9 * lengths[0] for length in lengths)
    square = np.zeros((size, size), order="F")
    square[:, : len(lengths)] = factors[:, : len(lengths)]
    orthogonal: Array = dorgqr(square, reflections)[0]
    return orthogonal[:, rank:]

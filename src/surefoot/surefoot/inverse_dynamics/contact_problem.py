# SPDX-License-Identifier: Apache-2.0
"""Which feet bear load in a plan, how their forces act on the robot and what bounds them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.cone import friction_pyramids
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.robot.model import RigidBodyTerms

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ContactProblem:
    """The n loaded feet of a plan; forces are stacked foot by foot in odom axes, (3 n,), N.

    Attributes:
        legs: their indices, (n,).
        jacobian: of the foot velocities by the generalized velocity, (3 n, 18).
        normals: out of the ground, (n, 3).
        friction: Coulomb coefficients, (n,).
        velocity: of the feet, (3 n,), m/s.
        bias_acceleration: of the feet at constant generalized velocity, (3 n,), m/s^2.
        internal: orthonormal basis of the forces that put no wrench on the base, (3 n, k).
        rows, bounds: friction pyramids and bounds on the loads, (6 n, 3 n) and (6 n,): rows f >= bounds.
    """

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
    legs = np.flatnonzero(plan["load"] > 0.0)
    normals = plan["normal"][legs]
    rows, bounds = friction_pyramids(normals, plan["friction"][legs], plan["load"][legs] * foot_force_limit)
    jacobian = terms.foot_jacobians[legs].reshape(-1, 18)
    return ContactProblem(
        legs,
        jacobian,
        normals,
        plan["friction"][legs],
        terms.foot_velocities[legs].ravel(),
        terms.foot_bias_accelerations[legs].ravel(),
        _internal_forces(jacobian[:, :6]),
        rows,
        bounds,
    )


def _internal_forces(base_jacobian: Array) -> Array:
    """Null space of the wrench map; columns that are shorter than a billionth of the longest count as none."""
    if not len(base_jacobian):
        return np.empty((0, 0))
    vectors, lengths, _ = np.linalg.svd(base_jacobian)
    rank = int(np.count_nonzero(lengths > 1e-9 * lengths[0]))
    basis: Array = vectors[:, rank:]
    return basis

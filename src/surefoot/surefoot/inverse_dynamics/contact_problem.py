# SPDX-License-Identifier: Apache-2.0
"""Which feet bear load in a plan, how their forces act on the robot and what bounds them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.cone import write_pyramids
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.contact.span import add_span
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
        acceleration: planned of the feet, (3 n,), m/s^2: 0, but for those that land, see `anticipation`.
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
    acceleration: Array
    internal: Array
    rows: Array
    bounds: Array

    @property
    def wrench_map(self) -> Array:
        """Wrench on the base, force first, of the contact forces, (6, 3 n)."""
        return self.jacobian[:, :6].T

    @property
    def loaded_joints(self) -> NDArray[np.bool_]:
        """Whether the leg of a joint is in contact, (12,)."""
        return self.loaded.repeat(3)


def contact_problem(terms: RigidBodyTerms, plan: np.void, foot_force_limit: float) -> ContactProblem:
    """The contact problem of a plan.

    Args:
        terms: of the robot.
        plan: a PLAN record; the feet with a load above 0 are in contact.
        foot_force_limit: normal force of a foot at load 1, N.
    """
    load = plan["load"]
    loaded = load > 0.0
    legs = loaded.nonzero()[0]
    return ContactProblem(
        loaded, legs,
        *_contacts(
            legs, plan["normal"], plan["friction"], load, foot_force_limit, terms.foot_jacobians, terms.foot_velocities,
            terms.foot_bias_accelerations, plan["foot_acceleration"],
        ),
    )  # fmt: skip


@compiled
def _contacts(
    legs: NDArray[np.int64], foot_normals: Array, foot_friction: Array, foot_load: Array, foot_force_limit: float, foot_jacobians: Array,
    foot_velocities: Array, foot_bias_accelerations: Array, foot_accelerations: Array,
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]:  # fmt: skip
    """What belongs to the loaded feet, in the order of `ContactProblem`."""
    count = len(legs)
    jacobian, normals, friction, largest = np.empty((3 * count, 18)), np.empty((count, 3)), np.empty(count), np.empty(count)
    velocity, bias_acceleration, acceleration = np.empty(3 * count), np.empty(3 * count), np.empty(3 * count)
    for place, leg in enumerate(legs):
        components = slice(3 * place, 3 * place + 3)
        jacobian[components] = foot_jacobians[leg]
        normals[place], friction[place], largest[place] = foot_normals[leg], foot_friction[leg], foot_load[leg] * foot_force_limit
        velocity[components] = foot_velocities[leg]
        bias_acceleration[components] = foot_bias_accelerations[leg]
        acceleration[components] = foot_accelerations[leg]
    rows, bounds = np.empty((ROWS_PER_CONTACT * count, 3 * count)), np.empty(ROWS_PER_CONTACT * count)
    write_pyramids(normals, friction, largest, rows, bounds)
    # What the wrench map spans, and then the rest: columns that are left shorter than a billionth of the longest count as none.
    basis = np.empty((3 * count, 3 * count))
    rank = add_span(np.ascontiguousarray(jacobian[:, :6].T), 1e-9, basis, 0)
    if rank < len(basis):
        add_span(np.eye(len(basis)), 1e-6, basis, rank)
    internal = np.ascontiguousarray(basis[rank:].T)
    return jacobian, normals, friction, velocity, bias_acceleration, acceleration, internal, rows, bounds

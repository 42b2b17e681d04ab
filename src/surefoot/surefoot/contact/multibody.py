# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with contact of any multi-body: the robot alone, or with a body that it grasps, stands on or pushes."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MultibodyContactProblem:
    """Which torques and contact forces give the actuated coordinates their accelerations [Zapolsky and Drumwright 2016, Eq. 1-3].

    The system is mass_matrix u' + bias = S^T torque + J^T force with n coordinates, m of them actuated, and c contact points. A contact
    between two bodies of the system has its relative velocity J u, first body minus second.

    Attributes:
        mass_matrix: (n, n), symmetric positive definite.
        bias: Coriolis, centrifugal, gravity and other known forces, on the left side, (n,).
        velocity: generalized, u, (n,).
        actuated: indices of the actuated coordinates, (m,).
        acceleration: wanted of the actuated coordinates, (m,).
        effort_limit: of the actuators, (m,); infinite where there is none.
        jacobian: of the contact velocities, axes of odom, (3 c, n).
        jacobian_rate: J' u, acceleration of the contact points at u' = 0, (3 c,), m/s^2.
        normals: from the second body to the first, (c, 3).
        friction: Coulomb coefficients, (c,), 0 to infinity.
        gaps: signed distances phi at the contact points, (c,), m; a positive one is a contact that is anticipated.
        step: time over which contact velocities are looked at, s.
    """

    mass_matrix: Array
    bias: Array
    velocity: Array
    actuated: NDArray[np.int64]
    acceleration: Array
    effort_limit: Array
    jacobian: Array
    jacobian_rate: Array
    normals: Array
    friction: Array
    gaps: Array
    step: float = field(default=0.001)

    @property
    def contacts(self) -> int:
        """How many contact points there are."""
        return len(self.normals)

    @property
    def passive(self) -> NDArray[np.int64]:
        """Indices of the coordinates without an actuator, (n - m,)."""
        return np.setdiff1d(np.arange(len(self.bias)), self.actuated)


@dataclass(frozen=True)
class MultibodyContactSolution:
    """Answer to a `MultibodyContactProblem`.

    Attributes:
        force: of the contacts in axes of odom, on the first body, (3 c,), N.
        torque: of the actuators, (m,), N m.
        acceleration: of all coordinates, (n,).
        status: SOLVED, RELAXED or FAILED of `inverse_dynamics.law`; a FAILED answer holds NaN.
        iterations: pivots or iterations that the solver took.
        repaired: the contact velocities wanted were not consistent with rigid contact, and the nearest consistent ones were taken.
    """

    force: Array
    torque: Array
    acceleration: Array
    status: int
    iterations: int = 0
    repaired: bool = False

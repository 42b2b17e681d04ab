# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics by the convex contact model that has a closed inverse [Todorov 2014].

Contacts are a little soft: with contact accelerations a and the reference a* = J'u - phi/dt^2 - J u/dt, forces minimise
1/2 f^T R f + f^T (a - a*) in Coulomb's round cones. For known accelerations of all coordinates each contact is solved for itself and in
closed form. With only the actuated ones prescribed, the passive ones are those whose own equations of motion hold, and they minimise a
strictly convex function with a continuous gradient.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.convex_inverse import SoftContacts
from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.contact.reduction import Reduction, reduced
from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.multibody_law import answer, failed

Array = NDArray[np.float64]

LARGEST_FRICTION = 1e3
"""What infinite friction is taken for."""
ITERATIONS = 100
ROUNDING = 1e-6
"""What stiff contacts make of the rounding of their accelerations, relative to the forces, where no step gets any further."""


@dataclass(frozen=True)
class InverseContact:
    """A `MultibodyLaw`.

    Attributes:
        softness: contact acceleration that a force leaves, in parts of the one that it would make on its own.
        tangential_softness: that along the ground; the same if none is given.

    Raises:
        ConfigurationError: a softness that is not positive: rigid contact has no such inverse.
    """

    softness: float = 1e-4
    tangential_softness: float | None = None

    def __post_init__(self) -> None:
        for value in (self.softness, self.tangential):
            if not 0.0 < value < np.inf:
                raise ConfigurationError(f"contacts cannot have a softness of {value}; it has to be positive, such as 0.0001")

    @property
    def tangential(self) -> float:
        """Softness along the ground."""
        return self.softness if self.tangential_softness is None else self.tangential_softness

    def contacts(self, reduction: Reduction) -> SoftContacts:
        """The softness and friction of each contact of a problem."""
        weighted = np.linalg.solve(reduction.problem.mass_matrix, reduction.jacobian.T).T
        whole = np.einsum("ij,ij->i", weighted, reduction.jacobian).reshape(-1, 3).sum(axis=1) / 3.0
        passive = np.einsum("ij,ij->i", reduction.whitened, reduction.whitened).reshape(-1, 3).sum(axis=1) / 3.0
        # A contact that moves actuated coordinates alone has to be soft as well.
        own = np.maximum(passive + 1e-3 * whole, 1e-9)
        friction = np.minimum(reduction.problem.friction, LARGEST_FRICTION)
        return SoftContacts(self.softness * own, self.tangential * own, friction)

    def closed_form(self, problem: MultibodyContactProblem, acceleration: Array) -> tuple[Array, Array]:
        """Forces of known accelerations, and what of the equations of motion of the passive coordinates they leave.

        Args:
            acceleration: of all coordinates, (n,).

        Returns:
            Forces in axes of odom, (3 c,), and the residual, (n - m,): 0 if the accelerations come from the contact model. NaN if the
            problem is not finite.
        """
        reduction = reduced(problem)
        passive = problem.passive
        if reduction is None:
            return np.full(3 * problem.contacts, np.nan), np.full(len(passive), np.nan)
        rows = problem.actuated, passive
        change = np.zeros(len(problem.bias))
        change[passive] = acceleration[passive] - reduction.acceleration(np.zeros(len(reduction.free)))[passive]
        change[problem.actuated] = acceleration[problem.actuated] - problem.acceleration
        motion = reduction.free + reduction.jacobian[:, rows[0]] @ change[rows[0]] + reduction.jacobian[:, rows[1]] @ change[rows[1]]
        force = self.contacts(reduction).force(_above(reduction, motion))
        odom = reduction.in_odom(force)
        residual = problem.mass_matrix[passive] @ acceleration + problem.bias[passive] - problem.jacobian[:, passive].T @ odom
        return odom, residual

    def __call__(self, problem: MultibodyContactProblem, previous: MultibodyContactSolution | None = None) -> MultibodyContactSolution:
        """See `MultibodyLaw`; the previous answer is not read, since this one is unique."""
        reduction = reduced(problem)
        if reduction is None:
            return failed(problem)
        contacts = self.contacts(reduction)
        found = _passive_motion(reduction, contacts)
        if found is None:
            return failed(problem)
        motion, iterations = found
        # The rest of the iteration is put into the forces' motion, so that the equations of motion hold to rounding.
        return answer(reduction, contacts.force(_above(reduction, reduction.free + reduction.whitened @ motion)), iterations)


def _above(reduction: Reduction, motion: Array) -> Array:
    above = motion.copy()
    above[::3] -= reduction.floor
    return above


def _passive_motion(reduction: Reduction, contacts: SoftContacts) -> tuple[Array, int] | None:
    """Motion x of the passive coordinates, scaled by the Cholesky factor of their mass and counted from the one without contact forces.

    It minimises 1/2 |x|^2 + the conjugate of the forces' cost at the contact accelerations, by Newton's method with a line search.
    """
    whitened, size = reduction.whitened, reduction.whitened.shape[1]
    motion = np.zeros(size)

    def look(at: Array) -> tuple[float, Array, float]:
        force, cost = contacts.force_and_cost(_above(reduction, reduction.free + whitened @ at))
        whole = 1.0 + float(np.linalg.norm(at)) + float(np.linalg.norm(np.abs(whitened).T @ np.abs(force)))
        return 0.5 * float(at @ at) + cost, at - whitened.T @ force, whole

    value, gradient, whole = look(motion)
    for iteration in range(ITERATIONS):
        steepness = float(np.linalg.norm(gradient))
        if steepness <= 1e-11 * whole:
            return motion, iteration
        slope = contacts.slope(_above(reduction, reduction.free + whitened @ motion))
        hessian = np.eye(size)
        for contact, block in enumerate(slope):
            part = whitened[3 * contact : 3 * contact + 3]
            hessian += part.T @ block @ part
        step = -np.linalg.solve(hessian, gradient)
        length, descent = 1.0, float(gradient @ step)
        while length > 1e-9:
            ahead = look(motion + length * step)
            lower = ahead[0] <= value + 1e-4 * length * descent
            # Near the minimum the values differ by rounding alone, and the gradient knows better.
            level = abs(ahead[0] - value) <= 1e-12 * abs(value) and np.linalg.norm(ahead[1]) < steepness
            if lower or level:
                break
            length *= 0.5
        else:
            return (motion, iteration) if steepness <= ROUNDING * whole else None
        if steepness <= ROUNDING * whole and np.linalg.norm(ahead[1]) >= 0.5 * steepness:
            return motion, iteration
        motion, (value, gradient, whole) = motion + length * step, ahead
    return None


inverse_contact = InverseContact()

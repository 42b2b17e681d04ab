# SPDX-License-Identifier: Apache-2.0
"""The base acceleration that the loaded feet can produce."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgesv

from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.law import FAILED, FORCE_WEIGHT, RELAXED, SOLVED
from surefoot.robot.model import GRAVITY, RigidBodyTerms

Array = NDArray[np.float64]


def balanced_base_acceleration(
    terms: RigidBodyTerms, contacts: ContactProblem, wanted: Array, constant: Array, by_base: Array
) -> tuple[Array, int]:
    """The producible base acceleration nearest to the wanted one, for legs that move along with the base.

    Minimises |a - wanted|^2 / g^2, angular parts times a length, + FORCE_WEIGHT |f / weight|^2 over the contact forces f. With
    joint accelerations constant + by_base a, the base equation is (A + B by_base) a + h + B constant = wrench map f. Without a
    loaded foot the base goes where gravity and the legs take it.

    Args:
        wanted: (6,), linear then angular, odom axes.
        constant, by_base: see `desired.leg_accelerations`.

    Returns:
        Base acceleration, (6,), and SOLVED, RELAXED (loads above their bounds) or FAILED.
    """
    base_mass, coupling = terms.mass_matrix[:6, :6], terms.mass_matrix[:6, 6:]
    weight, size = base_mass[0, 0] * GRAVITY, len(contacts.jacobian)
    right = np.empty((size + 1, 6))
    np.multiply(contacts.jacobian[:, :6], weight, out=right[:-1])
    np.subtract(-coupling.dot(constant), terms.bias[:6], out=right[-1])
    _, _, solved, refusal = dgesv(base_mass + coupling.dot(by_base), right.T)
    if refusal:
        return np.full(6, np.nan), FAILED
    by_force, fall = solved[:, :-1], solved[:, -1]
    if not size:
        return fall, SOLVED
    # The radius of gyration about the pitch axis makes angular accelerations comparable with linear ones.
    gyration = base_mass[4, 4] / base_mass[0, 0]
    weighted = by_force.T * np.array((1.0, 1.0, 1.0, gyration, gyration, gyration))
    hessian, gradient = weighted.dot(by_force), weighted.dot(fall - wanted)
    diagonal = hessian.ravel()[:: size + 1]
    diagonal += FORCE_WEIGHT * GRAVITY**2
    result, status = solve_quadratic_program(hessian, gradient, contacts.rows, contacts.bounds / weight), SOLVED
    if not result.solved:
        status = RELAXED
        result = solve_quadratic_program(hessian, gradient, contacts.rows, contacts.bounds_without_load_limits(-1e6))
    return by_force.dot(result.solution) + fall, status if result.solved else FAILED

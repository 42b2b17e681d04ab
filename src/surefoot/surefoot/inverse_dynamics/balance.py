# SPDX-License-Identifier: Apache-2.0
"""The base acceleration that the loaded feet can produce."""

import numpy as np
from numpy.typing import NDArray

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
    mass, bias = base_mass + coupling @ by_base, terms.bias[:6] + coupling @ constant
    weight = base_mass[0, 0] * GRAVITY
    try:
        solved = np.linalg.solve(mass, np.column_stack((contacts.wrench_map * weight, -bias)))
    except np.linalg.LinAlgError:
        return np.full(6, np.nan), FAILED
    by_force, fall = solved[:, :-1], solved[:, -1]
    if not len(contacts.legs):
        return fall, SOLVED
    # The radius of gyration about the pitch axis makes angular accelerations comparable with linear ones.
    importance = np.repeat((1.0, base_mass[4, 4] / base_mass[0, 0]), 3)
    hessian = by_force.T @ (importance[:, np.newaxis] * by_force) + FORCE_WEIGHT * GRAVITY**2 * np.eye(by_force.shape[1])
    gradient = -by_force.T @ (importance * (wanted - fall))
    result, status = solve_quadratic_program(hessian, gradient, contacts.rows, contacts.bounds / weight), SOLVED
    if not result.solved:
        status = RELAXED
        result = solve_quadratic_program(hessian, gradient, contacts.rows, contacts.bounds_without_load_limits(-1e6))
    return by_force @ result.solution + fall, status if result.solved else FAILED

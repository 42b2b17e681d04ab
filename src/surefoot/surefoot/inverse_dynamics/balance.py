# SPDX-License-Identifier: Apache-2.0
"""The base acceleration that the loaded feet can produce."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import SOLVED as PROGRAM_SOLVED
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.contact.quadratic_program import solve_program
from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.law import FAILED, FORCE_WEIGHT, RELAXED, SOLVED
from surefoot.robot.model import GRAVITY, RigidBodyTerms
from surefoot.robot.spatial import solve_general

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
    acceleration = np.empty(6)
    status = _balance(
        terms.mass_matrix, terms.bias, contacts.jacobian, contacts.rows, contacts.bounds, wanted, np.ascontiguousarray(constant),
        np.ascontiguousarray(by_base), acceleration,
    )  # fmt: skip
    return acceleration, status


@compiled
def _balance(
    mass: Array, bias: Array, jacobian: Array, rows: Array, bounds: Array, wanted: Array, constant: Array, by_base: Array,
    acceleration: Array,
) -> int:  # fmt: skip
    size, weight = len(jacobian), mass[0, 0] * GRAVITY
    base_mass, coupling = np.ascontiguousarray(mass[:6, :6]), np.ascontiguousarray(mass[:6, 6:])
    solved = np.empty((6, size + 1))
    solved[:, :size] = weight * jacobian[:, :6].T
    solved[:, size] = -(coupling @ constant) - bias[:6]
    if not solve_general(base_mass + coupling @ by_base, solved, 6, size + 1):
        acceleration[:] = np.nan
        return FAILED
    acceleration[:] = solved[:, size]
    if size == 0:
        return SOLVED
    by_force = np.ascontiguousarray(solved[:, :size])
    # The radius of gyration about the pitch axis makes angular accelerations comparable with linear ones.
    weighted = by_force.copy()
    weighted[3:] *= mass[4, 4] / mass[0, 0]
    hessian = by_force.T @ weighted + FORCE_WEIGHT * GRAVITY**2 * np.eye(size)
    gradient = (acceleration - wanted) @ weighted
    force, multiplier, limits, status = np.empty(size), np.empty(len(bounds)), bounds / weight, SOLVED
    if solve_program(hessian, gradient, rows, limits, force, multiplier) != PROGRAM_SOLVED:
        # Loads may grow, as far as the numbers stay good.
        limits[1::ROWS_PER_CONTACT] = -1e6
        status = RELAXED if solve_program(hessian, gradient, rows, limits, force, multiplier) == PROGRAM_SOLVED else FAILED
    acceleration += by_force @ force
    return status

# SPDX-License-Identifier: Apache-2.0
"""The nearest accelerations of the actuated coordinates that rigid contact allows [Zapolsky and Drumwright 2016, Eq. 46-50].

A leg cannot be splayed on ground on which it does not slip, nor a finger be moved into a wall: there is no contact force that goes with
such a motion, and the complementarity problem of it has no solution. The paper keeps the contact forces of that problem and calls tau = 0
feasible, which holds for neither. Here forces are found along with the accelerations, so that the problem with the accelerations of the
answer has a solution; the law then solves it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.contact.reduction import Reduction
from surefoot.inverse_dynamics.multibody_law import SLACK, TOLERANCE

Array = NDArray[np.float64]

FORCE_WEIGHT = 1e-6
"""Of the contact forces, as accelerations, against the changes of the actuated accelerations."""
ROUNDS = 5
"""After which the accelerations are taken as they are: consistent, and very nearly the nearest."""


def nearest_consistent(
    reduction: Reduction, motion_rows: Array, force_rows: Array, held: NDArray[np.int64]
) -> MultibodyContactProblem | None:
    """The problem with the accelerations changed as little as possible, in Euclid's norm, or None if nothing helps.

    Args:
        motion_rows: bounds rows (a - floor) >= 0 on the contact accelerations a, (r, 3 c), where floor has tangential parts of 0.
        force_rows: bounds rows f >= 0 on the contact forces, (s, 3 c). Both are in the axes of the contacts.
        held: indices of the contact accelerations that have to be 0.
    """
    problem, size = reduction.problem, len(reduction.free)
    actuated, passive = problem.actuated, reduction.passive
    coupling = np.linalg.solve(reduction.lower, problem.mass_matrix[np.ix_(passive, actuated)])
    by_change = reduction.jacobian[:, actuated] - reduction.whitened @ coupling
    by_force = reduction.whitened @ reduction.whitened.T
    # Forces are counted in the accelerations that they make, so that one weight fits all bodies.
    motion = np.hstack((by_change, reduction.contact_mass * by_force))
    start, basis = _affine(motion[held], -reduction.free[held])
    weight = np.concatenate((np.ones(len(actuated)), np.full(size, FORCE_WEIGHT)))
    floor = np.zeros(size)
    floor[::3] = reduction.floor
    rows = np.vstack((motion_rows @ motion, np.hstack((np.zeros((len(force_rows), len(actuated))), force_rows))))
    bounds = np.concatenate((motion_rows @ (floor - reduction.free), np.zeros(len(force_rows)))) - rows @ start
    # Equal rows, as of points that coincide, must not become active together.
    bounds -= 0.03 * SLACK * reduction.scale * np.linspace(0.9, 1.0, len(bounds))
    # What the held contacts decide already is no bound any more; rounding must not make it one.
    left = rows @ basis
    decided = np.linalg.norm(left, axis=1) <= 1e-9 * np.linalg.norm(rows, axis=1)
    if (bounds[decided] > TOLERANCE * reduction.scale).any():
        return None
    hessian, found = basis.T @ (weight[:, np.newaxis] * basis), start
    for _ in range(ROUNDS):
        # Forces are weighed by what they differ from those of the round before, so that in the end they weigh nothing.
        pull = np.where(weight < 1.0, start - found, start)
        result = solve_quadratic_program(hessian, basis.T @ (weight * pull), left[~decided], bounds[~decided])
        if not result.solved:
            return None
        moved, found = found, start + basis @ result.solution
        if np.abs(found - moved)[: len(actuated)].max(initial=0.0) <= TOLERANCE * reduction.scale:
            break
    change = found[: len(actuated)]
    return replace(problem, acceleration=problem.acceleration + change)


def _affine(rows: Array, sides: Array) -> tuple[Array, Array]:
    """Shortest solution of rows x = sides and an orthonormal basis of what leaves it one."""
    size = rows.shape[1]
    if not len(rows):
        return np.zeros(size), np.eye(size)
    left, lengths, right = np.linalg.svd(rows)
    rank = int(np.count_nonzero(lengths > 1e-10 * lengths[0])) if lengths.size and lengths[0] > 0.0 else 0
    start = right[:rank].T @ ((left[:, :rank].T @ sides) / lengths[:rank])
    return start, right[rank:].T

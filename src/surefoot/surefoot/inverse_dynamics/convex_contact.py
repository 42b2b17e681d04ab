# SPDX-License-Identifier: Apache-2.0
"""The convex, complementarity-free contact model in two stages on general multi-bodies [Zapolsky and Drumwright 2016, section 6].

`two_stage_qp` holds the same law for a robot on its feet with bounds on their loads.

Stage I minimises 1/2 f^T W f + f^T d, where W f + free are the contact velocities at the end of the step. The printed objective, the
kinetic energy with the actuated velocities prescribed [Eq. 68, 97], brakes whatever the actuated coordinates carry along: a box in a
closed hand that moves. Energy is measured against the motion that is prescribed instead, as in Eq. 74. Two things are taken out of d: the
gap that a contact may still close, so that contacts that are apart bear no load, and the part of the contact velocities that no motion can
mend, which would drive forces that move nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from surefoot.contact.bounded_program import solve_bounded_program
from surefoot.contact.inscribed_pyramid import clipped_into_pyramids, inscribed_pyramids
from surefoot.contact.reduction import Reduction
from surefoot.inverse_dynamics.multibody_law import SLACK, TOLERANCE, acceleration_scale

Array = NDArray[np.float64]

LARGEST_FORCE = 1e7
"""In units of the force that gives a contact the largest acceleration of the problem."""

PROXIMAL = 1e-7
"""Weight, relative to the Hessian, on what the forces of Stage I differ from those of the round before."""
ROUNDS = 30
"""After which the forces of Stage I are taken as they are."""

TORQUE_WEIGHT = 1e-10
"""Of the forces against the torques that they cost; forces that cost none would otherwise be what rounding makes of them."""
STIFF = 1e-6
"""Forces that move less than this part of what the others move, move nothing."""


@dataclass(frozen=True)
class ConvexContact:
    """The variables and bounds of both stages.

    Attributes:
        reduction: of the problem.
        friction: coefficients, (c,).
        edges: of the pyramids.
        rows: friction pyramids, rows f >= 0, (r, 3 c).
        used: indices of the force components that may differ from 0.
    """

    reduction: Reduction
    friction: Array
    edges: int
    rows: Array
    used: NDArray[np.int64]

    @staticmethod
    def of(reduction: Reduction, friction: Array, edges: int, apart: NDArray[np.bool_]) -> "ConvexContact":
        """Bounds for friction coefficients, (c,); contacts that are apart get no force, those without friction no tangential one."""
        used = np.repeat(~apart, 3)
        used[1::3] &= friction > 0.0
        used[2::3] &= friction > 0.0
        return ConvexContact(reduction, friction, edges, inscribed_pyramids(friction, edges), np.flatnonzero(used))


def stage_one(contact: ConvexContact) -> Array | None:
    """Forces in the axes of the contacts, (3 c,), that dissipate most [Eq. 74-77]; None if none keeps the contacts above their floors."""
    reduction, used = contact.reduction, contact.used
    force = np.zeros(len(reduction.free))
    if not used.size:
        return force
    whitened, normal = reduction.whitened[used], reduction.whitened[::3]
    hessian = whitened @ whitened.T
    scale = reduction.scale
    hessian = hessian * reduction.contact_mass + PROXIMAL * len(used) * np.eye(len(used))
    rows = np.vstack((contact.rows[:, used], normal @ whitened.T))
    floor = reduction.floor - reduction.free[::3]
    # Forces of the size of 1 keep the tolerances of the solver meaningful.
    size = scale * reduction.contact_mass
    bounds = np.concatenate((np.zeros(len(contact.rows)), floor - SLACK * scale)) / size
    gradient, found = drive(contact) / scale, np.zeros(len(used))
    for _ in range(ROUNDS):
        # The Hessian is made definite around the last answer, so that what this adds vanishes.
        pull = PROXIMAL * len(used) * found
        result = solve_bounded_program(hessian, gradient - pull, rows, bounds)
        # Bounds that contradict each other can be met, up to rounding, by forces without end that move nothing.
        if not result.solved or np.abs(result.solution).max() > LARGEST_FORCE:
            return None
        moved, found = np.abs(result.solution - found).max(), result.solution
        if PROXIMAL * len(used) * moved <= 0.01 * TOLERANCE:
            break
    force[used] = size * found
    return clipped_into_pyramids(force, contact.friction, contact.edges)


def drive(contact: ConvexContact) -> Array:
    """The linear term d of the objective for the components used: what is left of the contact velocities without what cannot be mended."""
    reduction, used = contact.reduction, contact.used
    velocity = reduction.free.copy()
    velocity[::3] -= reduction.floor
    velocity, normal = velocity[used], used % 3 == 0
    internal = null_space(reduction.whitened[used].T, STIFF)
    stuck = internal.T @ velocity
    if not stuck.size or np.abs(stuck).max() <= 1e-12 * reduction.scale:
        return velocity
    # A contact that opens is no contradiction, however the others move.
    try:
        opening = nnls(internal[normal].T, stuck)[0]
    except RuntimeError:
        opening = np.zeros(int(np.count_nonzero(normal)))
    mended: Array = velocity - internal @ (stuck - internal[normal].T @ opening)
    return mended


def stage_two(contact: ConvexContact, force: Array) -> Array:
    """Forces with the motion of given ones and the smallest torques [Eq. 106-110]; the given ones if there are none.

    Contacts that open without load stay without. The torque limits are kept if they can be.
    """
    reduction, problem = contact.reduction, contact.reduction.problem
    above = reduction.contact_acceleration(force)[::3] - reduction.floor
    opening = (above > TOLERANCE * acceleration_scale(reduction, force)) & (force[::3] <= TOLERANCE * np.abs(force).max(initial=0.0))
    movable = contact.used[~opening[contact.used // 3]]
    basis = null_space(reduction.whitened[movable].T, 1e-12)
    if not basis.shape[1] or not len(problem.actuated):
        return force
    start = reduction.torque(force, reduction.acceleration(force))
    by_force = -reduction.jacobian[np.ix_(movable, problem.actuated)].T
    by_step = by_force @ basis
    hessian, gradient = by_step.T @ by_step, by_step.T @ start
    # Forces that cost no torque are spread evenly.
    weight = TORQUE_WEIGHT * max(float(np.einsum("ij,ij->", by_force, by_force)), 1e-6)
    hessian, gradient = hessian + weight * np.eye(len(hessian)), gradient + weight * (basis.T @ force[movable])
    largest = 1.0 + float(np.abs(force).max())
    rows = contact.rows[:, movable] @ basis
    bounds = np.minimum(-contact.rows @ force, 0.0) / largest - 1e-12
    limit = np.isfinite(problem.effort_limit)
    limited = np.vstack((rows, by_step[limit], -by_step[limit]))
    room = np.concatenate((-problem.effort_limit - start, start - problem.effort_limit))[np.tile(limit, 2)] / largest
    result = solve_bounded_program(hessian, gradient / largest, limited, np.concatenate((bounds, room)))
    if not result.solved:
        result = solve_bounded_program(hessian, gradient / largest, rows, bounds)
    if not result.solved:
        return force
    moved = force.copy()
    moved[movable] += largest * (basis @ result.solution)
    return clipped_into_pyramids(moved, contact.friction, contact.edges)


def null_space(matrix: Array, smallest: float) -> Array:
    """Orthonormal basis of the vectors that a matrix (p, k) makes 0, (k, r); singular values below that part of the largest count as 0."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, lengths, right = np.linalg.svd(matrix)
    rank = int(np.count_nonzero(lengths > smallest * lengths[0]))
    basis: Array = right[rank:].T
    return basis

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
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from surefoot.contact.complementarity import SOLVED
from surefoot.contact.inscribed_pyramid import clipped_into_pyramids, inscribed_pyramids
from surefoot.contact.pyramid_rays import least_torque, push_rays
from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.contact.reduction import Reduction, plain
from surefoot.contact.span import add_span
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
STUCK = 1e-12
"""Part of the accelerations that add up, below which what no motion can mend of the contact velocities is rounding."""
KEPT = 1e-12
"""Likewise, of what Stage II may change."""


@dataclass(frozen=True)
class ConvexContact:
    """The variables and bounds of both stages.

    Attributes:
        reduction: of the problem.
        friction: coefficients, (c,).
        edges: of the pyramids.
        apart: contacts that get no force, (c,); those without friction get no tangential one.
    """

    reduction: Reduction
    friction: Array
    edges: int
    apart: NDArray[np.bool_]

    @cached_property
    def is_used(self) -> NDArray[np.bool_]:
        """Which force components may differ from 0, (3 c,)."""
        used = np.repeat(~self.apart, 3)
        slippery = self.friction == 0.0
        used[1::3] &= ~slippery
        used[2::3] &= ~slippery
        return used

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """Their indices."""
        return np.flatnonzero(self.is_used)

    @cached_property
    def rows(self) -> Array:
        """Friction pyramids, rows f >= 0, (r, 3 c)."""
        return inscribed_pyramids(self.friction, self.edges)


def stage_one(contact: ConvexContact) -> Array | None:
    """Forces in the axes of the contacts, (3 c,), that dissipate most [Eq. 74-77]; None if none keeps the contacts above their floors.

    The bounds on the contact velocities hold by themselves unless something was taken out of the objective or a contact is apart; then,
    and where pivoting finds nothing, the program with all bounds is solved, whose work grows with the third power of the contacts.
    """
    reduction, used = contact.reduction, contact.used
    force = np.zeros(len(reduction.free))
    if not used.size:
        return force
    linear = np.zeros(len(reduction.free))
    linear[used] = drive(contact)
    status, _ = push_rays(reduction.whitened, linear, plain(contact.friction), contact.edges, ~contact.apart, reduction.scale, force)
    if status == SOLVED:
        above = reduction.contact_acceleration(force)[::3] - reduction.floor
        if above.min() >= -SLACK * acceleration_scale(reduction, force):
            return clipped_into_pyramids(force, contact.friction, contact.edges)
    return _bounded_stage_one(contact, linear[used])


def _bounded_stage_one(contact: ConvexContact, linear: Array) -> Array | None:
    reduction, used = contact.reduction, contact.used
    force = np.zeros(len(reduction.free))
    whitened, normal = reduction.whitened[used], reduction.whitened[::3]
    hessian = whitened @ whitened.T
    scale = reduction.scale
    hessian = hessian * reduction.contact_mass + PROXIMAL * len(used) * np.eye(len(used))
    rows = np.vstack((contact.rows[:, used], normal @ whitened.T))
    floor = reduction.floor - reduction.free[::3]
    # Forces of the size of 1 keep the tolerances of the solver meaningful.
    size = scale * reduction.contact_mass
    bounds = np.concatenate((np.zeros(len(contact.rows)), floor - SLACK * scale)) / size
    gradient, found = linear / scale, np.zeros(len(used))
    for _ in range(ROUNDS):
        # The Hessian is made definite around the last answer, so that what this adds vanishes.
        pull = PROXIMAL * len(used) * found
        result = solve_quadratic_program(hessian, gradient - pull, rows, bounds)
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
    velocity, movable = velocity[used], np.ascontiguousarray(reduction.whitened[used].T)
    basis = np.empty(movable.shape)
    basis = basis[: add_span(movable, STIFF, basis, 0)]
    stuck = velocity - basis.T @ (basis @ velocity)
    if not stuck.size or np.abs(stuck).max() <= STUCK * reduction.scale:
        return velocity
    # A contact that opens is no contradiction, however the others move.
    normal = np.flatnonzero(used % 3 == 0)
    by_opening = -basis.T @ basis[:, normal]
    by_opening[normal, np.arange(len(normal))] += 1.0
    try:
        opening = nnls(by_opening, stuck)[0]
    except RuntimeError:
        opening = np.zeros(len(normal))
    mended: Array = velocity - (stuck - by_opening @ opening)
    return mended


def stage_two(contact: ConvexContact, force: Array, torque: Array, previous: Array | None = None) -> Array:
    """Forces with the motion of given ones and the smallest torques [Eq. 106-110]; the given ones if there are none.

    Contacts that open without load stay without. The torque limits are kept if they can be.

    Args:
        contact: bounds.
        force: of Stage I, (3 c,), in the axes of the contacts.
        torque: of the actuators under these forces, (m,), N m.
        previous: the answer of the tick before, like the forces; the search starts from the corners of the pyramids that it leans on.
    """
    reduction, problem = contact.reduction, contact.reduction.problem
    largest = float(np.abs(force).max(initial=0.0))
    above = reduction.contact_acceleration(force)[::3] - reduction.floor
    opening = (above > TOLERANCE * acceleration_scale(reduction, force)) & (force[::3] <= TOLERANCE * largest)
    movable = contact.is_used & ~np.repeat(opening, 3)
    if not movable.any() or not len(problem.actuated):
        return force
    by_force = np.ascontiguousarray(-reduction.jacobian.T[problem.actuated])
    basis = np.empty((reduction.whitened.shape[1], len(force)))
    kept = basis[: add_span(np.ascontiguousarray(np.where(movable, reduction.whitened.T, 0.0)), KEPT, basis, 0)]
    unit, moved = 1.0 + largest, force / (1.0 + largest)
    before = np.zeros(len(force)) if previous is None or len(previous) != len(force) else plain(previous)
    usable, friction = movable[::3].copy(), plain(contact.friction)
    status, _ = least_torque(kept, by_force, torque / unit, friction, contact.edges, usable, before, moved)
    if status == SOLVED:
        moved = clipped_into_pyramids(unit * moved, contact.friction, contact.edges)
        if (np.abs(torque + by_force @ (moved - force)) <= problem.effort_limit * (1.0 + 1e-9)).all():
            return moved
    return _bounded_stage_two(contact, force, torque, by_force[:, movable], np.flatnonzero(movable))


def _bounded_stage_two(contact: ConvexContact, force: Array, start: Array, by_force: Array, movable: NDArray[np.int64]) -> Array:
    """Stage II with the torque limits in it, or without them if they cannot be kept; work grows with the third power of the contacts."""
    problem = contact.reduction.problem
    basis = null_space(contact.reduction.whitened[movable].T, KEPT)
    if not basis.shape[1]:
        return force
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
    result = solve_quadratic_program(hessian, gradient / largest, limited, np.concatenate((bounds, room)))
    if not result.solved:
        result = solve_quadratic_program(hessian, gradient / largest, rows, bounds)
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

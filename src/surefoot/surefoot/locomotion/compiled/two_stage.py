# SPDX-License-Identifier: Apache-2.0
"""The two-stage Coulomb inverse dynamics, compiled [Zapolsky and Drumwright 2016, section 6].

Stage I finds contact forces by the convex, complementarity-free contact model for prescribed joint accelerations; Stage II
keeps the motion that they produce and picks, among the forces that produce it, those with the smallest joint torques.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import SOLVED as QP_SOLVED
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.inverse_dynamics.law import FAILED, REGULARISATION, RELAXED, SOLVED, TORQUE_REGULARISATION
from surefoot.locomotion.compiled.small_program import solve_small
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def internal_forces(wrench_map: Array, size: int, basis: Array) -> int:
    """Orthonormal basis of the contact forces that put no wrench on the base.

    Args:
        wrench_map: (6, size) or larger.
        size: number of force components, at most 12.
        basis: (size, size) or larger; its leading columns are written.

    Returns:
        How many columns the basis has.
    """
    # Pivoted Gram-Schmidt, twice per vector: first over the rows of the wrench map, then over unit vectors to complete it.
    work, found, lengths, inner = stack_matrix(12, 20), stack_matrix(12, 12), stack_vector(20), stack_vector(20)
    # Columns that are not in use are worked on like the others: a loop of known length is faster than a shorter one.
    work[:] = 0.0
    scale = 0.0
    for i in range(size):
        for j in range(6):
            work[i, j] = wrench_map[j, i]
            scale = max(scale, abs(work[i, j]))
        work[i, 6 + i] = 1.0
    rank, kept = 0, 0
    for part in range(2):
        begin, end = (0, 6) if part == 0 else (6, 6 + size)
        tolerance = 1e-9 * scale if part == 0 else 1e-6
        if part == 1:
            kept = rank
        while rank < size:
            for j in range(20):
                lengths[j] = 0.0
            for i in range(size):
                for j in range(20):
                    lengths[j] += work[i, j] * work[i, j]
            best, longest, square = -1, tolerance, 0.0
            for j in range(begin, end):
                # Roots are dear, and only those of longer squares can be longer.
                if lengths[j] > square:
                    length = math.sqrt(lengths[j])
                    if length > longest:
                        best, longest, square = j, length, lengths[j]
            if best < 0:
                break
            for i in range(size):
                found[rank, i] = work[i, best] / longest
            for _ in range(2):
                for k in range(rank):
                    product = 0.0
                    for i in range(size):
                        product += found[k, i] * found[rank, i]
                    for i in range(size):
                        found[rank, i] -= product * found[k, i]
            length = 0.0
            for i in range(size):
                length += found[rank, i] * found[rank, i]
            length = math.sqrt(length)
            for i in range(size):
                found[rank, i] /= length
            for j in range(20):
                inner[j] = 0.0
            for i in range(size):
                value = found[rank, i]
                for j in range(20):
                    inner[j] += value * work[i, j]
            for i in range(size):
                value = found[rank, i]
                for j in range(20):
                    work[i, j] -= inner[j] * value
            rank += 1
    for k in range(kept, rank):
        for i in range(size):
            basis[i, k - kept] = found[k, i]
    return rank - kept


@compiled
def drop_internal(basis: Array, size: int, free: int, gap: Array) -> None:
    """Take out of contact velocities, (size,), what no motion of the base can mend.

    Such a part is left where a stretched leg cannot follow the base. It would drive internal forces to their bounds, so that the
    objective of Stage I would not be one of the motion alone and Stage II could not keep it [Eq. 107 is redundant only without it].
    """
    for k in range(free):
        inner = 0.0
        for i in range(size):
            inner += basis[i, k] * gap[i]
        for i in range(size):
            gap[i] -= inner * basis[i, k]


@compiled
def stage_one(wrench_map: Array, spread: Array, gap: Array, rows: Array, bounds: Array, size: int, dt: float, force: Array) -> int:
    """Contact forces of the convex contact model.

    Minimises 1/2 f^T W f + f^T c / dt, with W = J A^-1 J^T and c the contact velocity without contact forces minus the one
    that is wanted, J being the base block of the contact Jacobian. This is the printed Eq. 74; the printed reduced form, Eq. 97,
    has J (v_b + A^-1 B v_q) in the place of the contact velocity J v_b + J_q v_q, which brakes a robot that walks without slip.

    Args:
        wrench_map: J^T, (6, size): base wrench of the contact forces.
        spread: A^-1 J^T, (6, size) or wider: base acceleration of the contact forces.
        gap: c, (size,), m/s, see `drop_internal`.
        rows, bounds: pyramids over the forces, then non-interpenetration; the bounds on the loads are lifted if they cannot hold.
        size: number of force components.
        dt: control period, s.
        force: (size,), written, N.

    Returns:
        SOLVED, RELAXED (loads above their bounds) or FAILED.
    """
    hessian, gradient, trace = stack_matrix(12, 12), stack_vector(12), 0.0
    for i in range(size):
        gradient[i] = gap[i] / dt
        for j in range(size):
            total = 0.0
            for k in range(6):
                total += wrench_map[k, i] * spread[k, j]
            hessian[i, j] = total
        trace += hessian[i, i]
    for i in range(size):
        hessian[i, i] += REGULARISATION * trace
    contacts = size // 3
    constraints = (ROWS_PER_CONTACT + 1) * contacts
    status = solve_small(hessian, gradient, rows, bounds, size, constraints, force)
    if status == QP_SOLVED:
        return SOLVED
    lifted = stack_vector(28)
    for r in range(constraints):
        lifted[r] = bounds[r]
    for contact in range(contacts):
        lifted[ROWS_PER_CONTACT * contact + 1] = -1e12
    return RELAXED if solve_small(hessian, gradient, rows, lifted, size, constraints, force) == QP_SOLVED else FAILED


@compiled
def stage_two(
    basis: Array, free: int, rows: Array, bounds: Array, size: int, contact_leg: Any, jacobian: Array, torque: Array, limit: Array,
    force: Array,
) -> int:  # fmt: skip
    """Move contact forces inside the null space of their base wrench to where the joint torques are smallest.

    Minimises 1/2 |torque|^2 [Eq. 106-110]; the wrench on the base, and with it the motion and the energy, stays.

    Args:
        basis, free: of the internal forces, see `internal_forces`.
        rows, bounds: pyramids over the forces; rows on the normal velocity, which may follow, are redundant here and not read.
        size: number of force components.
        contact_leg: leg of each contact, (size / 3,).
        jacobian: of each foot by its joints, (4, 3, 3).
        torque: joint torques without contact forces, (4, 3), N m.
        limit: of the joint torques, (4, 3), N m.
        force: (size,), N; replaced.

    Returns:
        SOLVED, or RELAXED where the torque limits cannot all hold.
    """
    if free == 0:
        return SOLVED
    contacts = size // 3
    pyramid, joints = ROWS_PER_CONTACT * contacts, 3 * contacts
    # Torque of the joints of the loaded legs: at + by w.
    at, by = stack_vector(12), stack_matrix(12, 12)
    by[:] = 0.0
    for contact in range(contacts):
        leg = contact_leg[contact]
        for k in range(3):
            row = 3 * contact + k
            at[row] = torque[leg, k]
            for i in range(3):
                at[row] -= jacobian[leg, i, k] * force[3 * contact + i]
                for j in range(free):
                    by[row, j] -= jacobian[leg, i, k] * basis[3 * contact + i, j]
    hessian, gradient, trace = stack_matrix(12, 12), stack_vector(12), 0.0
    hessian[:], gradient[:] = 0.0, 0.0
    for a in range(free):
        for r in range(joints):
            gradient[a] += by[r, a] * at[r]
            for b in range(free):
                hessian[a, b] += by[r, a] * by[r, b]
        trace += hessian[a, a]
    for a in range(free):
        hessian[a, a] += TORQUE_REGULARISATION * trace
    constraint, bound = stack_matrix(48, 12), stack_vector(48)
    largest = 0.0
    for i in range(size):
        largest = max(largest, abs(force[i]))
    for r in range(pyramid):
        at_row = 0.0
        for j in range(free):
            constraint[r, j] = 0.0
        # A pyramid is about the force of its own contact.
        first = 3 * (r // ROWS_PER_CONTACT)
        for i in range(first, first + 3):
            at_row += rows[r, i] * force[i]
            for j in range(free):
                constraint[r, j] += rows[r, i] * basis[i, j]
        # Stage I holds its bounds up to rounding; no step must stay feasible.
        bound[r] = min(bounds[r] - at_row, 0.0) - 1e-10 * (1.0 + largest)
    for r in range(joints):
        leg, k = contact_leg[r // 3], r % 3
        bound[pyramid + 2 * r] = -limit[leg, k] - at[r]
        bound[pyramid + 2 * r + 1] = -limit[leg, k] + at[r]
        for j in range(free):
            constraint[pyramid + 2 * r, j] = by[r, j]
            constraint[pyramid + 2 * r + 1, j] = -by[r, j]
    step = stack_vector(12)
    result = SOLVED
    if solve_small(hessian, gradient, constraint, bound, free, pyramid + 2 * joints, step) != QP_SOLVED:
        result = RELAXED
        if solve_small(hessian, gradient, constraint, bound, free, pyramid, step) != QP_SOLVED:
            return RELAXED
    for i in range(size):
        for j in range(free):
            force[i] += basis[i, j] * step[j]
    return result

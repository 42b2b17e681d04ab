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
from surefoot.contact.active_set import solve
from surefoot.contact.pyramid import ROWS_PER_CONTACT
from surefoot.inverse_dynamics.law import FAILED, REGULARISATION, RELAXED, SOLVED, TORQUE_REGULARISATION

Array = NDArray[np.float64]


@compiled
def null_space(matrix: Array, rows: int, columns: int, basis: Array) -> int:
    """Orthonormal basis of the vectors x with matrix^T x = 0.

    Args:
        matrix: (rows, columns) or larger.
        basis: (rows, rows) or larger; its leading columns are written.

    Returns:
        How many columns the basis has.
    """
    work = np.empty((rows, columns + rows))
    scale = 0.0
    for i in range(rows):
        for j in range(columns):
            work[i, j] = matrix[i, j]
            scale = max(scale, abs(matrix[i, j]))
        for j in range(rows):
            work[i, columns + j] = 1.0 if i == j else 0.0
    found = np.empty((rows, rows))
    rank = 0
    # Pivoted Gram-Schmidt, twice per vector: first over the columns of the matrix, then over unit vectors to complete it.
    for part in range(2):
        begin, end = (0, columns) if part == 0 else (columns, columns + rows)
        tolerance = 1e-9 * scale if part == 0 else 1e-6
        if part == 1:
            kept = rank
        while rank < rows:
            best, longest = -1, tolerance
            for j in range(begin, end):
                length = 0.0
                for i in range(rows):
                    length += work[i, j] * work[i, j]
                length = math.sqrt(length)
                if length > longest:
                    best, longest = j, length
            if best < 0:
                break
            for i in range(rows):
                found[i, rank] = work[i, best] / longest
            for _ in range(2):
                for k in range(rank):
                    inner = 0.0
                    for i in range(rows):
                        inner += found[i, k] * found[i, rank]
                    for i in range(rows):
                        found[i, rank] -= inner * found[i, k]
            length = 0.0
            for i in range(rows):
                length += found[i, rank] * found[i, rank]
            length = math.sqrt(length)
            for i in range(rows):
                found[i, rank] /= length
            for j in range(begin, columns + rows):
                inner = 0.0
                for i in range(rows):
                    inner += found[i, rank] * work[i, j]
                for i in range(rows):
                    work[i, j] -= inner * found[i, rank]
            rank += 1
    for k in range(kept, rank):
        for i in range(rows):
            basis[i, k - kept] = found[i, k]
    return rank - kept


@compiled
def internal_forces(wrench_map: Array, size: int, basis: Array) -> int:
    """Orthonormal basis of the contact forces that put no wrench on the base, in the leading columns of (size, size).

    Returns:
        How many columns the basis has.
    """
    transposed = np.empty((size, 6))
    for i in range(6):
        for j in range(size):
            transposed[j, i] = wrench_map[i, j]
    return null_space(transposed, size, 6, basis)


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
    hessian, gradient, trace = np.empty((size, size)), np.empty(size), 0.0
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
    constraints = bounds.shape[0]
    status = solve(hessian, gradient, rows, bounds, size, constraints, force)
    if status == QP_SOLVED:
        return SOLVED
    lifted = bounds.copy()
    for contact in range(size // 3):
        lifted[ROWS_PER_CONTACT * contact + 1] = -1e12
    return RELAXED if solve(hessian, gradient, rows, lifted, size, constraints, force) == QP_SOLVED else FAILED


@compiled
def stage_two(
    basis: Array, free: int, rows: Array, bounds: Array, size: int, contact_leg: Any, jacobian: Array, torque: Array, limit: Array,
    force: Array,
) -> int:  # fmt: skip
    """Move contact forces inside the null space of their base wrench to where the joint torques are smallest.

    Minimises 1/2 |torque|^2 [Eq. 106-110]; the wrench on the base, and with it the motion and the energy, stays.

    Args:
        basis, free: of the internal forces, see `internal_forces`.
        rows, bounds: pyramids over the forces; rows on the normal velocity are redundant here and are left out by the caller.
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
    at, by = np.empty(joints), np.zeros((joints, free))
    for contact in range(contacts):
        leg = contact_leg[contact]
        for k in range(3):
            row = 3 * contact + k
            at[row] = torque[leg, k]
            for i in range(3):
                at[row] -= jacobian[leg, i, k] * force[3 * contact + i]
                for j in range(free):
                    by[row, j] -= jacobian[leg, i, k] * basis[3 * contact + i, j]
    hessian, gradient, trace = np.zeros((free, free)), np.zeros(free), 0.0
    for a in range(free):
        for r in range(joints):
            gradient[a] += by[r, a] * at[r]
            for b in range(free):
                hessian[a, b] += by[r, a] * by[r, b]
        trace += hessian[a, a]
    for a in range(free):
        hessian[a, a] += TORQUE_REGULARISATION * trace
    constraint, bound = np.zeros((pyramid + 2 * joints, free)), np.empty(pyramid + 2 * joints)
    largest = 0.0
    for i in range(size):
        largest = max(largest, abs(force[i]))
    for r in range(pyramid):
        at_row = 0.0
        for i in range(size):
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
    step = np.empty(free)
    result = SOLVED
    if solve(hessian, gradient, constraint, bound, free, pyramid + 2 * joints, step) != QP_SOLVED:
        result = RELAXED
        if solve(hessian, gradient, constraint, bound, free, pyramid, step) != QP_SOLVED:
            return RELAXED
    for i in range(size):
        for j in range(free):
            force[i] += basis[i, j] * step[j]
    return result

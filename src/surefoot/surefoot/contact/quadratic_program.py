# SPDX-License-Identifier: Apache-2.0
"""The one door to quadratic programs; it answers with a status, in a bounded number of iterations, and never raises.

Behind it is the active set of this package, which counts its iterations. The library quadprog, which the tests hold it against, has no
bound on them: where two constraints agree but for rounding and their bounds do not, it has been seen to run without end.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.contact.active_set import INFEASIBLE, ITERATION_LIMIT, NOT_CONVEX, SOLVED, solve_in

Array = NDArray[np.float64]

INVALID = 4
"""The problem holds a number that is not finite."""
UNTRUSTED = 5
"""The solver answered, and the answer does not satisfy the optimality conditions."""

STATUS_TEXT = {
    SOLVED: "solved",
    NOT_CONVEX: "the Hessian is not positive definite",
    INFEASIBLE: "no point satisfies the constraints",
    ITERATION_LIMIT: "no end was found within the iterations that are allowed",
    INVALID: "the problem is not finite",
    UNTRUSTED: "the answer fails the optimality conditions",
}

PROXIMAL, ROUNDS = 1e-9, 10
"""Part of the mean curvature that is added where a program was not solved without, and how often it is then solved."""

_TOLERANCE = 1e-6


class QuadraticProgramResult(NamedTuple):
    """Answer to a quadratic program.

    Attributes:
        solution: (n,); NaN unless solved.
        multiplier: of the constraints, (m,); NaN unless solved.
        status: one of STATUS_TEXT.
    """

    solution: Array
    multiplier: Array
    status: int

    @property
    def solved(self) -> bool:
        """Whether the solution may be used."""
        return self.status == SOLVED


def solve_quadratic_program(hessian: Array, gradient: Array, rows: Array, bounds: Array) -> QuadraticProgramResult:
    """Minimise 1/2 x^T H x + g^T x subject to rows x >= bounds.

    Args:
        hessian: (n, n), symmetric positive definite.
        gradient: (n,).
        rows: (m, n), one constraint a row; m may be 0.
        bounds: (m,).
    """
    solution, multiplier = np.empty(len(gradient)), np.empty(len(bounds))
    # For arrays that do not lie in memory as they are read the solver would be compiled once more.
    status = solve_program(
        np.ascontiguousarray(hessian), np.ascontiguousarray(gradient), np.ascontiguousarray(rows), np.ascontiguousarray(bounds),
        solution, multiplier,
    )  # fmt: skip
    return QuadraticProgramResult(solution, multiplier, status)


@compiled
def solve_program(hessian: Array, gradient: Array, rows: Array, bounds: Array, solution: Array, multiplier: Array) -> int:
    """The same for other compiled functions: write solution and multipliers, NaN unless the status that is returned is SOLVED."""
    status = INVALID
    if finite_program(hessian, gradient, rows, bounds):
        status = _attempt(hessian, hessian, gradient, gradient, rows, bounds, solution, multiplier)
        if status != SOLVED and status != NOT_CONVEX:
            status = _nearer_and_nearer(status, hessian, gradient, rows, bounds, solution, multiplier)
    if status != SOLVED:
        solution[:] = np.nan
        multiplier[:] = np.nan
    return status


@compiled
def _nearer_and_nearer(status: int, hessian: Array, gradient: Array, rows: Array, bounds: Array, solution: Array, multiplier: Array) -> int:
    """What an active set does not find where the Hessian is nearly singular: the same with a definite one around each answer before."""
    size = len(gradient)
    weight = PROXIMAL * np.trace(hessian) / max(size, 1)
    definite, centre = hessian + weight * np.eye(size), np.zeros(size)
    for _ in range(ROUNDS):
        found = _attempt(hessian, definite, gradient, gradient - weight * centre, rows, bounds, solution, multiplier)
        if found == SOLVED:
            return SOLVED
        if found != UNTRUSTED:
            return status
        centre[:] = solution
    return UNTRUSTED


@compiled
def _attempt(
    hessian: Array, changed_hessian: Array, gradient: Array, changed_gradient: Array, rows: Array, bounds: Array, solution: Array,
    multiplier: Array,
) -> int:  # fmt: skip
    """Solve with a changed objective, and look whether the answer is one to the given objective: UNTRUSTED if it is not."""
    size, constraints = len(gradient), len(bounds)
    vectors, sides, active = np.empty((5, size + 1)), np.empty((2, constraints)), np.empty(size + 1, np.int64)
    status = solve_in(
        changed_hessian, changed_gradient, rows, bounds, size, constraints, solution, np.empty((size, size)), np.empty((size, size)),
        np.empty((size, constraints)), vectors, sides, active,
    )  # fmt: skip
    if status != SOLVED:
        return int(status)
    count = 0
    for c in range(constraints):
        multiplier[c] = 0.0
        # The active set turns the sign of the norm of what is active.
        count += sides[0, c] < 0.0
    for place in range(count):
        multiplier[active[place]] = vectors[0, place]
    return SOLVED if is_optimal(hessian, gradient, rows, bounds, solution, multiplier) else UNTRUSTED


@compiled
def finite_program(hessian: Array, gradient: Array, rows: Array, bounds: Array) -> bool:
    """Whether every number of a program is finite."""
    total = 0.0
    for i in range(hessian.shape[0]):
        total += abs(gradient[i])
        for j in range(hessian.shape[1]):
            total += abs(hessian[i, j])
    for c in range(rows.shape[0]):
        total += abs(bounds[c])
        for j in range(rows.shape[1]):
            total += abs(rows[c, j])
    return math.isfinite(total)


@compiled
def is_optimal(hessian: Array, gradient: Array, rows: Array, bounds: Array, solution: Array, multiplier: Array) -> bool:
    """Whether a point satisfies the conditions of Karush, Kuhn and Tucker, up to rounding.

    Feasibility, stationarity, signs and complementarity are each measured against the size of what they add up.
    """
    size, constraints = solution.shape[0], bounds.shape[0]
    reach, largest = 0.0, 1.0
    for i in range(size):
        reach += abs(solution[i])
    for c in range(constraints):
        largest = max(largest, multiplier[c])
    # Every comparison is stated as what is right, so that a NaN is wrong.
    if not (math.isfinite(reach) and math.isfinite(largest)):
        return False
    push, push_size = np.zeros(size), 0.0
    for c in range(constraints):
        slack, steepest = -bounds[c], 0.0
        for i in range(size):
            slack += rows[c, i] * solution[i]
            steepest = max(steepest, abs(rows[c, i]))
            push[i] += rows[c, i] * multiplier[c]
        scale = 1.0 + abs(bounds[c]) + steepest * reach
        if not (
            slack >= -_TOLERANCE * scale
            and multiplier[c] >= -_TOLERANCE * largest
            and abs(slack * multiplier[c]) <= _TOLERANCE * largest * scale
        ):
            return False
    worst, most, steep = 0.0, 0.0, 0.0
    for i in range(size):
        pull = gradient[i]
        most, push_size = max(most, abs(gradient[i])), max(push_size, abs(push[i]))
        for j in range(size):
            pull += hessian[i, j] * solution[j]
            steep = max(steep, abs(hessian[i, j]))
        residual = abs(pull - push[i])
        if not residual < np.inf:
            return False
        worst = max(worst, residual)
    return worst <= _TOLERANCE * (1.0 + most + steep * reach + push_size)

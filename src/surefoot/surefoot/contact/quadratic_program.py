# SPDX-License-Identifier: Apache-2.0
"""The one door to the quadratic program solver; it answers with a status and never raises."""

import math
from typing import NamedTuple

import numpy as np
import quadprog
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from surefoot.compilation import compiled
from surefoot.contact.active_set import INFEASIBLE, NOT_CONVEX, SOLVED

Array = NDArray[np.float64]

INVALID = 4
"""The problem holds a number that is not finite."""
UNTRUSTED = 5
"""The solver answered, and the answer does not satisfy the optimality conditions."""

STATUS_TEXT = {
    SOLVED: "solved",
    NOT_CONVEX: "the Hessian is not positive definite",
    INFEASIBLE: "no point satisfies the constraints",
    INVALID: "the problem is not finite",
    UNTRUSTED: "the answer fails the optimality conditions",
}

_TOLERANCE = 1e-6


class QuadraticProgramResult(NamedTuple):
    """Answer to a quadratic program.

    Attributes:
        solution: (n,); NaN unless solved.
        multiplier: of the constraints, (m,); NaN unless solved.
        status: SOLVED, NOT_CONVEX, INFEASIBLE, INVALID or UNTRUSTED.
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
    # The dual method begins at the unconstrained minimum [Goldfarb and Idnani 1983]. Where that satisfies every constraint it is the
    # answer, and the solver, which takes longer to be called than to solve, is not needed.
    _, minimum, refusal = dposv(hessian, -gradient)
    if refusal == 0:
        multiplier = np.zeros(len(bounds))
        if _optimal(hessian, gradient, rows, bounds, minimum, multiplier, 0.0):
            return QuadraticProgramResult(minimum, multiplier, SOLVED)
    if not finite_program(hessian, gradient, rows, bounds):
        return refused(gradient, bounds, INVALID)
    try:
        if bounds.size:
            answer = quadprog.solve_qp(hessian, -gradient, rows.T, bounds)
            solution, multiplier = answer[0], answer[4]
        else:
            solution, multiplier = quadprog.solve_qp(hessian, -gradient)[0], np.empty(0)
    except ValueError as error:
        return refused(gradient, bounds, NOT_CONVEX if "positive definite" in str(error) else INFEASIBLE)
    if not is_optimal(hessian, gradient, rows, bounds, solution, multiplier):
        return refused(gradient, bounds, UNTRUSTED)
    return QuadraticProgramResult(solution, multiplier, SOLVED)


def is_optimal(hessian: Array, gradient: Array, rows: Array, bounds: Array, solution: Array, multiplier: Array) -> bool:
    """Whether a point satisfies the conditions of Karush, Kuhn and Tucker, up to rounding.

    Feasibility, stationarity, signs and complementarity are each measured against the size of what they add up.
    """
    return bool(_optimal(hessian, gradient, rows, bounds, solution, multiplier, _TOLERANCE))


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
def _optimal(
    hessian: Array, gradient: Array, rows: Array, bounds: Array, solution: Array, multiplier: Array, infeasibility: float
) -> bool:  # fmt: skip
    """See `is_optimal`; constraints may be violated by a part infeasibility of what they add up."""
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
            slack >= -infeasibility * scale
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


def refused(gradient: Array, bounds: Array, status: int) -> QuadraticProgramResult:
    """No answer, and why."""
    return QuadraticProgramResult(np.full(gradient.shape, np.nan), np.full(bounds.shape, np.nan), status)

# SPDX-License-Identifier: Apache-2.0
"""The one door to the quadratic program solver; it answers with a status and never raises."""

import math
from dataclasses import dataclass

import numpy as np
import quadprog
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class QuadraticProgramResult:
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
    if not math.isfinite(hessian.sum() + gradient.sum() + rows.sum() + bounds.sum()):
        return _refused(gradient, bounds, INVALID)
    try:
        if bounds.size:
            answer = quadprog.solve_qp(hessian, -gradient, rows.T, bounds)
            solution, multiplier = answer[0], answer[4]
        else:
            solution, multiplier = quadprog.solve_qp(hessian, -gradient)[0], np.empty(0)
    except ValueError as error:
        return _refused(gradient, bounds, NOT_CONVEX if "positive definite" in str(error) else INFEASIBLE)
    if not is_optimal(hessian, gradient, rows, bounds, solution, multiplier):
        return _refused(gradient, bounds, UNTRUSTED)
    return QuadraticProgramResult(solution, multiplier, SOLVED)


def is_optimal(hessian: Array, gradient: Array, rows: Array, bounds: Array, solution: Array, multiplier: Array) -> bool:
    """Whether a point satisfies the conditions of Karush, Kuhn and Tucker, up to rounding.

    Feasibility, stationarity, signs and complementarity are each measured against the size of what they add up.
    """
    if not (np.isfinite(solution).all() and np.isfinite(multiplier).all()):
        return False
    reach = float(np.abs(solution).sum())
    slack = rows @ solution - bounds
    size = 1.0 + np.abs(bounds) + np.abs(rows).max(axis=1, initial=0.0) * reach
    if np.min(slack / size, initial=0.0) < -_TOLERANCE:
        return False
    largest = max(1.0, float(np.max(multiplier, initial=0.0)))
    work = np.max(np.abs(slack * multiplier) / size, initial=0.0)
    if np.min(multiplier, initial=0.0) < -_TOLERANCE * largest or work > _TOLERANCE * largest:
        return False
    pull, push = hessian @ solution + gradient, rows.T @ multiplier
    scale = 1.0 + float(np.abs(gradient).max()) + float(np.abs(hessian).max()) * reach + float(np.abs(push).max(initial=0.0))
    return bool(np.abs(pull - push).max() <= _TOLERANCE * scale)


def _refused(gradient: Array, bounds: Array, status: int) -> QuadraticProgramResult:
    return QuadraticProgramResult(np.full(gradient.shape, np.nan), np.full(bounds.shape, np.nan), status)

# SPDX-License-Identifier: Apache-2.0
"""Quadratic programs whose bounds may contradict each other up to rounding, by the compiled active set, which counts its iterations.

On such problems with a nearly singular Hessian the other door, quadprog, has been seen to run without end. Bodies clamped between contacts
make them.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from surefoot.contact.active_set import SOLVED, solve
from surefoot.contact.quadratic_program import INVALID, UNTRUSTED, QuadraticProgramResult, finite_program, is_optimal, refused

Array = NDArray[np.float64]

_CLOSE = 1e-8
"""A bound is taken for active if its slack is smaller, relative to the size of what is added up."""


def solve_bounded_program(hessian: Array, gradient: Array, rows: Array, bounds: Array) -> QuadraticProgramResult:
    """Minimise 1/2 x^T H x + g^T x subject to rows x >= bounds in a bounded number of iterations.

    Args:
        hessian: (n, n), symmetric positive definite.
        gradient: (n,).
        rows: (m, n), one constraint a row; m may be 0.
        bounds: (m,).
    """
    size, constraints = len(gradient), len(bounds)
    whole, linear, sides, limits = (np.ascontiguousarray(part, dtype=np.float64) for part in (hessian, gradient, rows, bounds))
    if not finite_program(whole, linear, sides, limits):
        return refused(gradient, bounds, INVALID)
    solution, multiplier = np.zeros(size), np.zeros(constraints)
    status = solve(whole, linear, sides, limits, size, constraints, solution)
    if status != SOLVED:
        return refused(gradient, bounds, status)
    slack = rows @ solution - bounds
    active = np.flatnonzero(slack <= _CLOSE * (1.0 + np.abs(bounds) + np.abs(rows) @ np.abs(solution)))
    if active.size and size:
        # The active set keeps no multipliers of its own: those that prove the answer are looked for.
        try:
            multiplier[active] = nnls(rows[active].T, hessian @ solution + gradient)[0]
        except RuntimeError:
            return refused(gradient, bounds, UNTRUSTED)
    if size and not is_optimal(hessian, gradient, rows, bounds, solution, multiplier):
        return refused(gradient, bounds, UNTRUSTED)
    return QuadraticProgramResult(solution, multiplier, SOLVED)

# SPDX-License-Identifier: Apache-2.0
"""A dual active-set method for small strictly convex quadratic programs, compiled [Goldfarb and Idnani 1983].

It starts from the unconstrained minimum and adds violated constraints one at a time, so that a problem whose
constraints are slack costs one Cholesky factorisation.
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

SOLVED = 0
NOT_CONVEX = 1
INFEASIBLE = 2
ITERATION_LIMIT = 3


@compiled
def inverse_transposed_cholesky(hessian: Array, size: int, inverse: Array, upper: Array) -> bool:
    """Upper triangular J with J J^T = hessian^-1, or False if the hessian is not positive definite.

    Args:
        hessian: (size, size) or larger, symmetric; only its lower triangle is read.
        size: number of variables.
        inverse: (size, size) or larger, written.
        upper: (size, size) or larger; its upper triangle becomes the transposed Cholesky factor.
    """
    for i in range(size):
        for j in range(i + 1):
            upper[j, i] = hessian[i, j]
    for k in range(size):
        if not upper[k, k] > 0.0:
            return False
        pivot = math.sqrt(upper[k, k])
        upper[k, k] = pivot
        for i in range(k + 1, size):
            upper[k, i] /= pivot
        for j in range(k + 1, size):
            factor = upper[k, j]
            for i in range(j, size):
                upper[j, i] -= factor * upper[k, i]
    for row in range(size):
        for i in range(size):
            inverse[row, i] = 0.0
        inverse[row, row] = 1.0
        for k in range(row, size):
            value = inverse[row, k] / upper[k, k]
            inverse[row, k] = value
            for i in range(k + 1, size):
                inverse[row, i] -= value * upper[k, i]
    return True


@compiled
def _rotate(basis: Array, size: int, first: int, second: int, cosine: float, sine: float) -> None:
    for k in range(size):
        a, b = basis[k, first], basis[k, second]
        basis[k, first] = cosine * a + sine * b
        basis[k, second] = cosine * b - sine * a


@compiled
def _drop(basis: Array, triangle: Array, active: NDArray[np.int64], multiplier: Array, count: int, position: int, size: int) -> None:
    """Take the active constraint at a position out of the factorisation."""
    for j in range(position, count - 1):
        active[j] = active[j + 1]
        multiplier[j] = multiplier[j + 1]
        for i in range(count):
            triangle[i, j] = triangle[i, j + 1]
    multiplier[count - 1] = multiplier[count]
    for j in range(position, count - 1):
        a, b = triangle[j, j], triangle[j + 1, j]
        length = math.hypot(a, b)
        if length == 0.0:
            continue
        cosine, sine = a / length, b / length
        for k in range(j, count - 1):
            upper, lower = triangle[j, k], triangle[j + 1, k]
            triangle[j, k] = cosine * upper + sine * lower
            triangle[j + 1, k] = cosine * lower - sine * upper
        _rotate(basis, size, j, j + 1, cosine, sine)


@compiled
def solve(hessian: Array, gradient: Array, rows: Array, bounds: Array, size: int, constraints: int, solution: Array) -> int:
    """Minimise 1/2 x^T H x + g^T x subject to rows x >= bounds.

    Args:
        hessian: (size, size) or larger, symmetric positive definite.
        gradient: (size,) or larger.
        rows: (constraints, size) or larger, one constraint a row.
        bounds: (constraints,) or larger.
        size: number of variables.
        constraints: number of constraints.
        solution: (size,) or larger, written; the best point so far where the method gives up.

    Returns:
        SOLVED, NOT_CONVEX, INFEASIBLE or ITERATION_LIMIT.
    """
    return solve_in(
        hessian, gradient, rows, bounds, size, constraints, solution, np.empty((size, size)), np.empty((size, size)),
        np.empty((size, constraints)), np.empty((5, size + 1)), np.empty((2, constraints)), np.empty(size + 1, np.int64),
    )  # fmt: skip


@compiled
def solve_in(
    hessian: Array, gradient: Array, rows: Array, bounds: Array, size: int, constraints: int, solution: Array, basis: Array,
    triangle: Array, columns: Array, vectors: Array, sides: Array, active: NDArray[np.int64],
) -> int:  # fmt: skip
    """The same as `solve`, with memory of the caller's.

    Args:
        hessian, gradient, rows, bounds, size, constraints, solution: see `solve`.
        basis, triangle: (size, size) or larger.
        columns: (size, constraints) or larger.
        vectors: (5, size + 1) or larger.
        sides: (2, constraints) or larger.
        active: (size + 1,) or larger.
    """
    multiplier, direction, step, dual, projected = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    norm, slack = sides[0], sides[1]
    if not inverse_transposed_cholesky(hessian, size, basis, triangle):
        return NOT_CONVEX
    for j in range(size):
        projected[j] = 0.0
    for k in range(size):
        for j in range(k, size):
            projected[j] -= basis[k, j] * gradient[k]
    for i in range(size):
        total = 0.0
        for j in range(i, size):
            total += basis[i, j] * projected[j]
        solution[i] = total
    for c in range(constraints):
        norm[c] = 0.0
    # Constraint by constraint in the inner loops: sums of many constraints grow side by side.
    for k in range(size):
        for c in range(constraints):
            columns[k, c] = rows[c, k]
            norm[c] += rows[c, k] * rows[c, k]
    for c in range(constraints):
        norm[c] = math.sqrt(norm[c])
        if norm[c] == 0.0 and bounds[c] > 0.0:
            return INFEASIBLE
    multiplier[0] = 0.0
    count = 0
    for _ in range(20 * (size + constraints)):
        for c in range(constraints):
            slack[c] = -bounds[c]
        for k in range(size):
            value = solution[k]
            for c in range(constraints):
                slack[c] += columns[k, c] * value
        chosen, worst = -1, 0.0
        for c in range(constraints):
            # The norm of an active constraint is kept with its sign turned.
            if slack[c] < 0.0 and norm[c] > 0.0:
                scale = 1.0 + abs(bounds[c])
                if slack[c] < -1e-12 * scale * (1.0 + norm[c]) and slack[c] / norm[c] < worst:
                    worst, chosen = slack[c] / norm[c], c
        if chosen < 0:
            return SOLVED
        multiplier[count] = 0.0
        while True:
            violation = -bounds[chosen]
            for k in range(size):
                violation += rows[chosen, k] * solution[k]
            for j in range(size):
                direction[j] = 0.0
            for k in range(size):
                value = rows[chosen, k]
                if value != 0.0:
                    for j in range(size):
                        direction[j] += basis[k, j] * value
            curvature = 0.0
            for j in range(count, size):
                curvature += direction[j] * direction[j]
            for k in range(size):
                step[k] = 0.0
                for j in range(count, size):
                    step[k] += basis[k, j] * direction[j]
            for i in range(count - 1, -1, -1):
                total = direction[i]
                for k in range(i + 1, count):
                    total -= triangle[i, k] * dual[k]
                dual[i] = total / triangle[i, i]
            dual_length, leaving = np.inf, -1
            for i in range(count):
                if dual[i] > 0.0 and multiplier[i] / dual[i] < dual_length:
                    dual_length, leaving = multiplier[i] / dual[i], i
            whole = 0.0
            for j in range(size):
                whole += direction[j] * direction[j]
            primal_length = np.inf
            if count < size and curvature > 1e-14 * whole:
                primal_length = -violation / curvature
            length = min(dual_length, primal_length)
            if length == np.inf:
                return INFEASIBLE
            for i in range(count):
                multiplier[i] -= length * dual[i]
            multiplier[count] += length
            if primal_length < np.inf:
                for k in range(size):
                    solution[k] += length * step[k]
            if primal_length <= dual_length:
                # The tail of the direction is rotated into its first entry, which becomes the new diagonal.
                for j in range(size - 1, count, -1):
                    a, b = direction[j - 1], direction[j]
                    if b == 0.0:
                        continue
                    norm_ab = math.hypot(a, b)
                    _rotate(basis, size, j - 1, j, a / norm_ab, b / norm_ab)
                    direction[j - 1], direction[j] = norm_ab, 0.0
                for i in range(count + 1):
                    triangle[i, count] = direction[i]
                active[count] = chosen
                norm[chosen] = -norm[chosen]
                count += 1
                break
            norm[active[leaving]] = -norm[active[leaving]]
            _drop(basis, triangle, active, multiplier, count, leaving, size)
            count -= 1
    return ITERATION_LIMIT

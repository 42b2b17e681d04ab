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
def inverse_transposed_cholesky(hessian: Array, size: int, inverse: Array) -> bool:
    """Upper triangular J with J J^T = hessian^-1, or False if the hessian is not positive definite.

    Args:
        hessian: (size, size) or larger, symmetric; only its lower triangle is read.
        size: number of variables.
        inverse: (size, size) or larger, written.
    """
    lower = np.zeros((size, size))
    for i in range(size):
        for j in range(i + 1):
            total = hessian[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                lower[i, i] = math.sqrt(total)
            else:
                lower[i, j] = total / lower[j, j]
    for column in range(size):
        for i in range(size):
            inverse[column, i] = 0.0
        inverse[column, column] = 1.0 / lower[column, column]
        for i in range(column + 1, size):
            total = 0.0
            for k in range(column, i):
                total -= lower[i, k] * inverse[column, k]
            inverse[column, i] = total / lower[i, i]
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
    basis = np.empty((size, size))
    if not inverse_transposed_cholesky(hessian, size, basis):
        return NOT_CONVEX
    for i in range(size):
        solution[i] = 0.0
    for j in range(size):
        projected = 0.0
        for k in range(size):
            projected -= basis[k, j] * gradient[k]
        for i in range(size):
            solution[i] += basis[i, j] * projected
    triangle = np.zeros((size, size))
    active = np.full(size + 1, -1, np.int64)
    multiplier = np.zeros(size + 1)
    norm = np.empty(constraints)
    is_active = np.zeros(constraints, np.bool_)
    for c in range(constraints):
        total = 0.0
        for k in range(size):
            total += rows[c, k] * rows[c, k]
        norm[c] = math.sqrt(total)
        if norm[c] == 0.0 and bounds[c] > 0.0:
            return INFEASIBLE
    direction = np.empty(size)
    step = np.empty(size)
    dual = np.empty(size)
    count = 0
    for _ in range(20 * (size + constraints)):
        chosen, worst = -1, 0.0
        for c in range(constraints):
            if is_active[c] or norm[c] == 0.0:
                continue
            slack, scale = -bounds[c], 1.0 + abs(bounds[c])
            for k in range(size):
                slack += rows[c, k] * solution[k]
            if slack < -1e-12 * scale * (1.0 + norm[c]) and slack / norm[c] < worst:
                worst, chosen = slack / norm[c], c
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
                    direction[j] += basis[k, j] * rows[chosen, k]
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
                is_active[chosen] = True
                count += 1
                break
            is_active[active[leaving]] = False
            _drop(basis, triangle, active, multiplier, count, leaving, size)
            count -= 1
    return ITERATION_LIMIT

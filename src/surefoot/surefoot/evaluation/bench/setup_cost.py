# SPDX-License-Identifier: Apache-2.0
"""Three ways to set up the matrix of the convex contact model, in counted operations and in time.

The paper counts two: with the whole system of mass matrix and prescribed coordinates factorised [Zapolsky and Drumwright 2016, Table 1],
and with blocks of the inverse of the mass matrix [Table 2]. It gives totals, 62,109 and 102,457 operations with 12 joints, that the sums
of its tables are not. The blocks of the second simplify further, [D E] - E G^-1 [E^T G] = [A^-1 0] with A the mass of the floating base:
one needs to factorise A alone, and this is what `contact.reduction` does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve, solve_triangular

from surefoot.contact.cone import contact_frames
from surefoot.contact.inscribed_pyramid import EDGES, friction_directions
from surefoot.contact.multibody import MultibodyContactProblem
from surefoot.evaluation.bench.patches import FootPatches
from surefoot.evaluation.bench.sample import Times, times_of
from surefoot.robot.load import load_robot

Array = NDArray[np.float64]

WHOLE, BLOCKS, ELIMINATED = "whole system (Table 1)", "blocks of the inverse (Table 2)", "base mass alone (ours)"


@dataclass(frozen=True)
class SetupCost:
    """One way to the matrix R^T M_b R of contact normals and friction directions R, where M_b leaves out what is prescribed.

    Attributes:
        operations: counted, of the parts that lead to this matrix.
        times: measured, by LAPACK through numpy.
    """

    operations: int
    times: Times


def operations(size: int, joints: int, contacts: int, edges: int = EDGES) -> dict[str, int]:
    """Counted operations up to the matrix, by way, with the formulas as printed where they are.

    Args:
        size: coordinates of the robot, m.
        joints: prescribed ones of them, nq.
        contacts: n.
        edges: friction directions of each, k.
    """
    m, q, n, k = size, joints, contacts, edges
    b, g = m - q, n * (k + 1)
    factorised = m**3 / 3 + m * m * q + m * m + m * q * q + 2 * m * q - 7 * m / 3 + q**3 / 3 + q * q - 7 * q / 3 + 1
    applied = (m + 2 * m * m * n + q + 4 * m * n * q + 2 * n * q * q) + (m + 2 * k * m * m * n + q + 4 * k * m * n * q + 2 * k * n * q * q)
    multiplied = (2 * m * n * n - m * n) + (2 * m * n * n * k - m * n) + (2 * m * n * k * k - m * n * k)
    inverted = 2 / 3 * m**3 + m * m / 2 + 5 / 6 * m + q**3 / 3 + q * q / 2 + q / 6
    mapped = b * m + q * g * (2 * m - 1) + b * m * (2 * q - 1) + 2 * q * q * m
    squared = 2 * b * b * g - b * g + 2 * b * g * g - g * g
    # Cholesky factor of the base mass, one triangular system for each column, and a symmetric product.
    eliminated = b**3 / 3 + b * b / 2 + b / 6 + b * b * g + b * g * (g + 1)
    return {WHOLE: round(factorised + applied + multiplied), BLOCKS: round(inverted + mapped + squared), ELIMINATED: round(eliminated)}


def directions(problem: MultibodyContactProblem, edges: int = EDGES) -> Array:
    """R: generalized forces of unit normal forces and of unit forces along the friction directions, (n, c (edges + 1))."""
    frames = contact_frames(problem.normals)
    rays = np.vstack((np.eye(3)[:1], np.column_stack((np.zeros(edges), friction_directions(edges)))))
    return np.vstack([rays @ frame @ part for frame, part in zip(frames, np.split(problem.jacobian, len(frames)), strict=True)]).T


def by_whole_system(mass: Array, actuated: NDArray[np.int64], forces: Array) -> Array:
    """By the symmetric system of the mass matrix and the prescribed coordinates."""
    size, joints = len(mass), len(actuated)
    system, sides = np.zeros((size + joints, size + joints)), np.zeros((size + joints, forces.shape[1]))
    system[:size, :size], sides[:size] = mass, forces
    system[actuated, size + np.arange(joints)] = system[size + np.arange(joints), actuated] = 1.0
    matrix: Array = forces.T @ solve(system, sides, assume_a="sym", check_finite=False)[:size]
    return matrix


def by_blocks(mass: Array, actuated: NDArray[np.int64], forces: Array) -> Array:
    """By blocks of the inverse mass matrix; the prescribed coordinates are the last ones."""
    base = len(mass) - len(actuated)
    inverse = cho_solve(cho_factor(mass, check_finite=False), np.eye(len(mass)), check_finite=False)
    within = cho_factor(inverse[base:, base:], check_finite=False)
    motion = (inverse[:base] - inverse[:base, base:] @ cho_solve(within, inverse[base:], check_finite=False)) @ forces
    matrix: Array = motion.T @ mass[:base, :base] @ motion
    return matrix


def by_elimination(mass: Array, actuated: NDArray[np.int64], forces: Array) -> Array:
    """By the Cholesky factor of the mass of what is not prescribed; the prescribed coordinates are the last ones."""
    base = len(mass) - len(actuated)
    whitened = solve_triangular(np.linalg.cholesky(mass[:base, :base]), forces[:base], lower=True, check_finite=False)
    matrix: Array = whitened.T @ whitened
    return matrix


WAYS: dict[str, Callable[[Array, NDArray[np.int64], Array], Array]] = {
    WHOLE: by_whole_system, BLOCKS: by_blocks, ELIMINATED: by_elimination,
}  # fmt: skip


def bench_setup(robot: str, ticks: int = 200, seed: int = 0) -> dict[str, SetupCost]:
    """Time the three ways in turns on a robot on four feet.

    Args:
        robot: name or path.
        ticks: measured of each.
        seed: of the states.
    """
    patches, seconds = FootPatches(load_robot(robot), seed), {name: np.zeros(ticks) for name in WAYS}
    problems = [patches.problem(1, tick) for tick in range(min(ticks, 20))]
    forces = [directions(problem) for problem in problems]
    for tick in range(-1, ticks):
        problem = problems[tick % len(problems)]
        for name, way in WAYS.items():
            start = perf_counter()
            way(problem.mass_matrix, problem.actuated, forces[tick % len(problems)])
            seconds[name][tick] = perf_counter() - start
    counted = operations(len(problems[0].bias), len(problems[0].actuated), problems[0].contacts)
    return {name: SetupCost(counted[name], times_of(seconds[name])) for name in WAYS}

# SPDX-License-Identifier: Apache-2.0
from collections import Counter

import numpy as np
import pytest
import quadprog

from surefoot.contact.active_set import INFEASIBLE, ITERATION_LIMIT, NOT_CONVEX, SOLVED
from surefoot.contact.quadratic_program import INVALID, STATUS_TEXT, UNTRUSTED, is_optimal, solve_quadratic_program

ONE = np.eye(2)
TOWARDS_LEFT = np.array([1.0, 0.0])


def test_a_bound_pushes_the_minimum_onto_itself() -> None:
    result = solve_quadratic_program(ONE, TOWARDS_LEFT, np.array([[1.0, 0.0]]), np.array([2.0]))
    assert result.solved
    np.testing.assert_allclose(result.solution, [2.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(result.multiplier, [3.0], atol=1e-12)


def test_without_constraints_it_is_the_newton_step() -> None:
    hessian = np.array([[2.0, 0.5], [0.5, 1.0]])
    result = solve_quadratic_program(hessian, TOWARDS_LEFT, np.empty((0, 2)), np.empty(0))
    assert result.status == SOLVED
    np.testing.assert_allclose(result.solution, np.linalg.solve(hessian, -TOWARDS_LEFT), atol=1e-12)


@pytest.mark.parametrize(
    ("hessian", "gradient", "rows", "bounds", "status"),
    [
        (ONE, TOWARDS_LEFT, [[1.0, 0.0], [-1.0, 0.0]], [1.0, 0.0], INFEASIBLE),  # lower bound 1 above upper bound 0
        (-ONE, TOWARDS_LEFT, [[1.0, 0.0]], [1.0], NOT_CONVEX),
        (ONE * np.nan, TOWARDS_LEFT, [[1.0, 0.0]], [1.0], INVALID),
        (ONE, np.array([np.inf, 0.0]), [[1.0, 0.0]], [1.0], INVALID),
        (ONE, TOWARDS_LEFT, [[np.nan, 0.0]], [1.0], INVALID),
        (ONE, TOWARDS_LEFT, [[1.0, 0.0]], [np.nan], INVALID),
    ],
)
def test_what_cannot_be_solved_has_a_status_and_no_solution(hessian, gradient, rows, bounds, status) -> None:
    result = solve_quadratic_program(hessian, gradient, np.array(rows), np.array(bounds))
    assert result.status == status
    assert STATUS_TEXT[status]
    assert not result.solved
    assert np.isnan(result.solution).all()


@pytest.mark.parametrize(
    ("solution", "multiplier"),
    [
        ([1.0, 0.0], [2.0]),  # infeasible
        ([2.0, 0.1], [3.0]),  # not stationary
        ([3.0, 0.0], [4.0]),  # a multiplier on a slack constraint
        ([2.0, 0.0], [np.nan]),
    ],
)
def test_an_answer_that_is_not_optimal_is_not_trusted(solution: list[float], multiplier: list[float]) -> None:
    rows, bounds = np.array([[1.0, 0.0]]), np.array([2.0])
    assert is_optimal(ONE, TOWARDS_LEFT, rows, bounds, np.array([2.0, 0.0]), np.array([3.0]))
    assert not is_optimal(ONE, TOWARDS_LEFT, rows, bounds, np.array(solution), np.array(multiplier))


def test_the_answer_is_that_of_the_solver_whether_constraints_are_active_or_not() -> None:
    random, inside = np.random.default_rng(0), 0
    for case in range(400):
        size, count = int(random.integers(1, 13)), int(random.integers(1, 30))
        root = random.normal(size=(size, size))
        hessian, gradient = root @ root.T + 0.1 * np.eye(size), random.normal(size=size)
        rows, bounds = random.normal(size=(count, size)), -random.uniform(0.0, 4.0, size=count) * (0.1 + case % 3)
        result, expected = solve_quadratic_program(hessian, gradient, rows, bounds), quadprog.solve_qp(hessian, -gradient, rows.T, bounds)
        assert result.status == SOLVED
        np.testing.assert_allclose(result.solution, expected[0], atol=1e-9 * (1.0 + np.abs(expected[0]).max()))
        np.testing.assert_allclose(result.multiplier, expected[4], atol=1e-7 * (1.0 + expected[4].max()))
        inside += not expected[4].any()
    assert 50 < inside < 350


def nearly_equal_constraints(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Half of the constraints are the others but for a billionth, with bounds that agree up to as much, and a Hessian near to singular."""
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 13))
    count = 2 * int(random.integers(size // 2, 3 * size))
    root = random.normal(size=(size, int(random.integers(1, size + 1))))
    hessian = root @ root.T
    hessian += 10.0 ** random.integers(-16, -5) * np.trace(hessian) * np.eye(size)
    rows = random.normal(size=(count, size))
    rows[count // 2 :] = rows[: count // 2] * (1.0 + 1e-9 * random.normal(size=(count // 2, 1)))
    vertex = random.normal(size=size) * 10.0 ** random.integers(-2, 6)
    bounds = rows @ vertex
    bounds += random.choice([0.0, 1e-12, -1e-12, 1e-9, -1e-9], count) * (1.0 + np.abs(bounds))
    return hessian, random.normal(size=size) * 10.0 ** random.integers(-2, 5), rows, bounds


def test_programs_on_which_a_solver_may_run_without_end_have_an_answer() -> None:
    """Of programs like these one in three hundred keeps quadprog busy for ever; here each ends, most of them solved."""
    verdicts = Counter(solve_quadratic_program(*nearly_equal_constraints(seed)).status for seed in range(1000))
    assert verdicts[SOLVED] > 500
    assert set(verdicts) <= {SOLVED, INFEASIBLE, ITERATION_LIMIT, UNTRUSTED, NOT_CONVEX}


def test_a_bound_that_is_missed_by_little_is_held() -> None:
    bounds = np.array([-1.0 + 1e-10])
    result = solve_quadratic_program(ONE, TOWARDS_LEFT, np.array([[1.0, 0.0]]), bounds)
    assert result.solved
    assert result.multiplier[0] > 0.0
    assert result.solution[0] == pytest.approx(bounds[0], abs=1e-14)

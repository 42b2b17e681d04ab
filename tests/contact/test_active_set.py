# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import quadprog

from surefoot.contact.active_set import INFEASIBLE, NOT_CONVEX, SOLVED, solve
from surefoot.contact.quadratic_program import is_optimal, solve_quadratic_program

Problem = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def compiled(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, bounds: np.ndarray) -> tuple[int, np.ndarray]:
    solution = np.empty(len(gradient))
    return solve(hessian, gradient, rows, bounds, len(gradient), len(bounds), solution), solution


def by_quadprog(hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, bounds: np.ndarray) -> tuple[int, np.ndarray]:
    try:
        return SOLVED, quadprog.solve_qp(hessian, -gradient, rows.T, bounds)[0] if len(bounds) else np.linalg.solve(hessian, -gradient)
    except ValueError:
        return INFEASIBLE, np.full(len(gradient), np.nan)


def draw(random: np.random.Generator, ease: float) -> Problem:
    size, constraints = random.integers(1, 13), random.integers(0, 40)
    root = random.normal(size=(size, size))
    hessian = root @ root.T + 1e-3 * np.eye(size)
    rows = random.normal(size=(constraints, size))
    return hessian, 5.0 * random.normal(size=size), rows, random.normal(size=constraints) - ease


@pytest.mark.parametrize("ease", [0.0, 1.0, 3.0])
def test_random_problems_have_the_verdict_and_solution_of_quadprog(ease: float) -> None:
    random = np.random.default_rng(7)
    verdicts = []
    for _ in range(1500):
        problem = draw(random, ease)
        (verdict, expected), (status, solution) = by_quadprog(*problem), compiled(*problem)
        assert status == verdict
        verdicts.append(status)
        if status == SOLVED:
            np.testing.assert_allclose(solution, expected, atol=1e-8 * (1.0 + np.abs(expected).max()))
    assert verdicts.count(SOLVED) > 300
    assert ease > 2.0 or verdicts.count(INFEASIBLE) > 100


def test_duplicated_constraints_change_nothing() -> None:
    random = np.random.default_rng(8)
    solved = 0
    for _ in range(500):
        hessian, gradient, rows, bounds = draw(random, 2.0)
        status, solution = compiled(hessian, gradient, rows, bounds)
        scale = random.uniform(0.1, 10.0, size=len(bounds))
        order = random.permutation(2 * len(bounds))
        twice_rows = np.vstack((rows, scale[:, np.newaxis] * rows))[order]
        twice_bounds = np.concatenate((bounds, scale * bounds))[order]
        twice_status, twice = compiled(hessian, gradient, twice_rows, twice_bounds)
        assert twice_status == status
        if status == SOLVED:
            solved += 1
            np.testing.assert_allclose(twice, solution, atol=1e-8 * (1.0 + np.abs(solution).max()))
    assert solved > 200


def test_more_constraints_through_the_solution_than_variables() -> None:
    random = np.random.default_rng(9)
    for _ in range(500):
        hessian, gradient, rows, _ = draw(random, 0.0)
        vertex = random.normal(size=len(gradient))
        # Every constraint passes through one point, and the cone that they leave is not empty: it holds the point.
        bounds = rows @ vertex
        status, solution = compiled(hessian, gradient, rows, bounds)
        verdict, expected = by_quadprog(hessian, gradient, rows, bounds)
        assert status == SOLVED
        assert (rows @ solution >= bounds - 1e-9).all()
        if verdict == SOLVED:
            np.testing.assert_allclose(solution, expected, atol=1e-7 * (1.0 + np.abs(vertex).max()))


def test_equalities_as_two_inequalities() -> None:
    random = np.random.default_rng(10)
    for _ in range(200):
        size = random.integers(2, 12)
        root, row = random.normal(size=(size, size)), random.normal(size=(1, size))
        hessian, gradient = root @ root.T + 1e-2 * np.eye(size), random.normal(size=size)
        status, solution = compiled(hessian, gradient, np.vstack((row, -row)), np.array([1.0, -1.0]))
        assert status == SOLVED
        assert row[0] @ solution == pytest.approx(1.0, abs=1e-9)
        multiplier = (row[0] @ (hessian @ solution + gradient)) / (row[0] @ row[0])
        signs = np.array([max(multiplier, 0.0), max(-multiplier, 0.0)])
        assert is_optimal(hessian, gradient, np.vstack((row, -row)), np.array([1.0, -1.0]), solution, signs)


def test_contradicting_bounds_are_infeasible() -> None:
    status, _ = compiled(np.eye(3), np.zeros(3), np.array([[1.0, 0, 0], [-1.0, 0, 0]]), np.array([1.0, -0.5]))
    assert status == INFEASIBLE


@pytest.mark.parametrize(("bound", "expected"), [(1e-3, INFEASIBLE), (0.0, SOLVED), (-1.0, SOLVED)])
def test_a_row_of_zeros_holds_or_does_not(bound: float, expected: int) -> None:
    problem = np.eye(2), np.ones(2), np.zeros((1, 2)), np.array([bound])
    assert compiled(*problem)[0] == expected == solve_quadratic_program(*problem).status


@pytest.mark.parametrize("hessian", [-np.eye(2), np.zeros((2, 2)), np.full((2, 2), np.nan)])
def test_a_hessian_that_is_not_positive_definite_is_refused(hessian: np.ndarray) -> None:
    assert compiled(hessian, np.zeros(2), np.zeros((0, 2)), np.zeros(0))[0] == NOT_CONVEX


def test_arrays_may_be_larger_than_the_problem() -> None:
    problem = draw(np.random.default_rng(11), 3.0)
    hessian, gradient, rows, bounds = problem
    size, constraints = len(gradient), len(bounds)
    assert constraints
    large_hessian, large_rows = np.full((20, 20), np.nan), np.full((60, 20), np.nan)
    large_gradient, large_bounds, solution = np.full(20, np.nan), np.full(60, np.nan), np.full(20, -1.0)
    large_hessian[:size, :size], large_rows[:constraints, :size] = hessian, rows
    large_gradient[:size], large_bounds[:constraints] = gradient, bounds
    status, expected = compiled(*problem)
    assert solve(large_hessian, large_gradient, large_rows, large_bounds, size, constraints, solution) == status == SOLVED
    np.testing.assert_array_equal(solution[:size], expected)
    assert (solution[size:] == -1.0).all()

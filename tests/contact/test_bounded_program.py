# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.contact.active_set import INFEASIBLE
from surefoot.contact.bounded_program import solve_bounded_program
from surefoot.contact.quadratic_program import INVALID, solve_quadratic_program


def test_both_doors_give_the_same_answer() -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        size, constraints = int(random.integers(1, 7)), int(random.integers(0, 12))
        root = random.normal(size=(size, size))
        hessian, gradient = root @ root.T + 0.1 * np.eye(size), random.normal(size=size)
        rows, bounds = random.normal(size=(constraints, size)), -np.abs(random.normal(size=constraints))
        ours, theirs = (solver(hessian, gradient, rows, bounds) for solver in (solve_bounded_program, solve_quadratic_program))
        assert ours.solved
        assert theirs.solved
        np.testing.assert_allclose(ours.solution, theirs.solution, atol=1e-7)


def test_what_cannot_be_solved_has_a_status() -> None:
    contradiction = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 0.0])
    assert solve_bounded_program(np.eye(2), np.zeros(2), *contradiction).status == INFEASIBLE
    assert solve_bounded_program(np.full((2, 2), np.nan), np.zeros(2), *contradiction).status == INVALID

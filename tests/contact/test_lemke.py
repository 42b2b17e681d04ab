# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.complementarity import INVALID, PIVOT_LIMIT, RAY, SOLVED, STATUS_TEXT, is_complementary
from surefoot.contact.enumeration import complementary_solutions, nearest
from surefoot.contact.lemke import solve_lemke


@pytest.mark.parametrize("kind", ["definite", "semidefinite", "copositive"])
def test_solutions_are_among_all_that_there_are(kind: str) -> None:
    random, solved = np.random.default_rng(5), 0
    for _ in range(60):
        size = int(random.integers(1, 7))
        root = random.normal(size=(size, size if kind == "definite" else max(1, size // 2)))
        matrix = root @ root.T
        if kind == "copositive":
            skew = random.normal(size=(size, size))
            matrix = matrix + skew - skew.T
        offset = random.normal(size=size)
        result, every = solve_lemke(matrix, offset), complementary_solutions(matrix, offset)
        assert result.solved == (len(every) > 0)
        assert result.status == (SOLVED if len(every) else RAY)
        if not result.solved:
            assert np.isnan(result.solution).all()
            continue
        solved += 1
        assert is_complementary(matrix, offset, result.solution)
        np.testing.assert_allclose(result.slack, matrix @ result.solution + offset, atol=1e-12)
        if kind == "definite":
            assert len(every) == 1
            np.testing.assert_allclose(result.solution, every[0], atol=1e-7)
    assert solved > 20


def test_equal_ratios_do_not_make_it_cycle() -> None:
    for size in range(2, 25):
        result = solve_lemke(np.ones((size, size)), -np.ones(size))
        assert result.solved
        assert result.solution.sum() == pytest.approx(1.0)


def test_what_cannot_be_solved_has_a_status() -> None:
    assert solve_lemke(np.zeros((1, 1)), np.array([-1.0])).status == RAY
    assert solve_lemke(np.array([[np.nan]]), np.array([-1.0])).status == INVALID
    assert solve_lemke(np.eye(3), -np.ones(3), pivot_limit=1).status == PIVOT_LIMIT
    assert solve_lemke(np.zeros((0, 0)), np.zeros(0)).solved
    assert set(STATUS_TEXT) >= {RAY, INVALID, PIVOT_LIMIT, SOLVED}


def test_a_solution_that_is_none_is_recognised() -> None:
    matrix, offset = np.eye(2), np.array([-1.0, 2.0])
    assert is_complementary(matrix, offset, np.array([1.0, 0.0]))
    for wrong in ([0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [1.0, -1.0], [np.nan, 0.0]):
        assert not is_complementary(matrix, offset, np.array(wrong))


def test_enumeration_finds_every_solution() -> None:
    # w1 = z2 - 1, w2 = z1 - 1: both loaded, or neither can be; the second has two of them alone.
    every = complementary_solutions(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([-1.0, -1.0]))
    np.testing.assert_allclose(every, [[1.0, 1.0]])
    every = complementary_solutions(np.array([[-1.0]]), np.array([1.0]))
    np.testing.assert_allclose(np.sort(every.ravel()), [0.0, 1.0])
    assert nearest(every, np.array([0.9])) == int(np.argmax(every.ravel()))
    assert nearest(np.empty((0, 1)), np.array([0.9])) is None
    assert len(complementary_solutions(np.eye(13), -np.ones(13))) == 0

# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.complementarity import INVALID, RAY, SOLVED, is_complementary
from surefoot.contact.enumeration import complementary_solutions
from surefoot.contact.principal_pivoting import find_independent_rows, solve_principal_pivoting


def draw(random: np.random.Generator, most: int = 8) -> tuple[np.ndarray, np.ndarray]:
    count, size = int(random.integers(1, most)), int(random.integers(1, 5))
    rows = random.normal(size=(count, size))
    if count > 2 and random.random() < 0.5:
        rows[1] = rows[0] * random.choice([1.0, 2.0])
        rows[2] = rows[0] - rows[-1]
    return rows, rows @ random.normal(size=size) if random.random() < 0.7 else random.normal(size=count)


def test_it_agrees_with_the_enumeration_of_all_bases() -> None:
    random, unsolved = np.random.default_rng(8), 0
    for _ in range(150):
        rows, offset = draw(random)
        result, every = solve_principal_pivoting(rows, offset), complementary_solutions(rows @ rows.T, offset)
        assert result.status == (SOLVED if len(every) else RAY)
        if not len(every):
            unsolved += 1
            continue
        assert is_complementary(rows @ rows.T, offset, result.solution)
        # The forces may differ, the motion may not.
        np.testing.assert_allclose(result.motion, rows.T @ every[0], atol=1e-6)
    assert unsolved > 5


def test_no_more_contacts_bear_load_than_the_rank() -> None:
    random = np.random.default_rng(9)
    for _ in range(50):
        rows = random.normal(size=(60, 6))
        result = solve_principal_pivoting(rows, rows @ random.normal(size=6))
        assert result.status == SOLVED
        assert np.count_nonzero(result.solution) <= 6


def test_a_warm_start_keeps_the_contacts_that_it_can() -> None:
    # A level table of four legs that is pressed down: any three of them, or two across, are enough.
    rows = np.array([(1.0, x, y) for x in (1.0, -1.0) for y in (1.0, -1.0)])
    offset = np.full(4, -1.0)
    for pair in ((0, 3), (1, 2)):
        result = solve_principal_pivoting(rows, offset, warm=pair)
        assert result.status == SOLVED
        assert result.pivots == 0
        assert set(np.flatnonzero(result.solution)) == set(pair)
    assert solve_principal_pivoting(rows, offset, warm=(0, 0, 1, 2, 3, 9, -1)).status == SOLVED


def test_a_short_and_a_long_row_that_contradict_each_other_by_rounding_are_no_contradiction() -> None:
    # What the short one is short of, the long one would be short of many times over.
    rows = np.array([[0.01], [-0.5]])
    close = solve_principal_pivoting(rows, np.array([-0.01 * (1.0 + 2e-8), 0.5]))
    assert close.status == SOLVED
    assert close.motion == pytest.approx(1.0)
    assert solve_principal_pivoting(rows, np.array([-0.01 * (1.0 + 1e-5), 0.5])).status == RAY


def test_what_cannot_be_solved_has_a_status() -> None:
    assert solve_principal_pivoting(np.zeros((1, 1)), np.array([-1.0])).status == RAY
    assert solve_principal_pivoting(np.array([[1.0], [-1.0]]), np.array([-1.0, 0.5])).status == RAY
    assert solve_principal_pivoting(np.array([[np.nan]]), np.array([-1.0])).status == INVALID
    assert solve_principal_pivoting(np.zeros((0, 3)), np.zeros(0)).status == SOLVED


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_are_found_span_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(9, 3)) @ random.normal(size=(3, 6))
    chosen, basis = find_independent_rows(rows)
    assert list(chosen) == [0, 1, 2]
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(rows @ basis.T @ basis, rows, atol=1e-10)

# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numba
import numpy as np
import pytest

from surefoot.rows import add_rows, set_rows


@numba.njit  # type: ignore[untyped-decorator]
def _add_one(target: Any, scale: float, row: Any) -> None:
    add_rows(12, target[1], scale, row)


@numba.njit  # type: ignore[untyped-decorator]
def _add_three(target: Any, a: float, first: Any, b: float, second: Any, c: float, third: Any) -> None:
    add_rows(27, target[1], a, first, b, second, c, third)


@numba.njit  # type: ignore[untyped-decorator]
def _set_two(target: Any, a: float, first: Any, second: Any) -> None:
    set_rows(5, target[1], a, first, 2, second)


@numba.njit  # type: ignore[untyped-decorator]
def _add_so_many(target: Any, scale: float, row: Any, size: int) -> None:
    add_rows(size, target, scale, row)


def test_one_row_is_added_to_the_bit_and_nothing_beside_it() -> None:
    generator = np.random.default_rng(1)
    for _ in range(50):
        target, row, scale = generator.standard_normal((3, 12)), generator.standard_normal(12), generator.standard_normal()
        expected = target.copy()
        expected[1] = [value + scale * other for value, other in zip(target[1].tolist(), row.tolist(), strict=True)]
        _add_one(target, scale, row)
        np.testing.assert_array_equal(target, expected)


def test_three_rows_are_summed_before_they_are_added() -> None:
    generator = np.random.default_rng(2)
    for _ in range(50):
        target, rows, scales = generator.standard_normal((3, 27)), generator.standard_normal((3, 27)), generator.standard_normal(3)
        a, b, c = scales.tolist()
        expected = target.copy()
        expected[1] = [value + ((a * x + b * y) + c * z) for value, x, y, z in zip(target[1].tolist(), *rows.tolist(), strict=True)]
        _add_three(target, a, rows[0], b, rows[1], c, rows[2])
        np.testing.assert_array_equal(target, expected)


def test_what_was_there_does_not_count_where_a_row_is_set() -> None:
    generator = np.random.default_rng(3)
    target, rows, scale = np.full((3, 5), np.nan), generator.standard_normal((2, 5)), generator.standard_normal()
    _set_two(target, scale, rows[0], rows[1])
    np.testing.assert_array_equal(target[1], scale * rows[0] + 2.0 * rows[1])
    assert np.isnan(target[[0, 2]]).all()


def test_a_row_may_be_added_to_itself_and_not_a_number_stays_in_its_place() -> None:
    target = np.ones((3, 12))
    target[1, 4] = np.nan
    _add_one(target, 2.0, target[1])
    expected = np.full(12, 3.0)
    expected[4] = np.nan
    np.testing.assert_array_equal(target[1], expected)


def test_how_many_numbers_there_are_has_to_be_written_down() -> None:
    with pytest.raises(numba.core.errors.TypingError):
        _add_so_many(np.ones(5), 1.0, np.ones(5), 5)


@pytest.mark.parametrize("row", [np.ones((12, 2))[:, 0], np.ones(12, np.int64)], ids=["not in one piece", "whole numbers"])
def test_rows_of_another_kind_are_refused(row: Any) -> None:
    with pytest.raises(numba.core.errors.TypingError):
        _add_one(np.ones((3, 12)), 1.0, row)

# SPDX-License-Identifier: Apache-2.0
import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from surefoot.rows import add_row, add_three_rows

Array = NDArray[np.float64]


@numba.njit  # type: ignore[untyped-decorator]
def _add_one(target: Array, scale: float, row: Array) -> None:
    add_row(12, target[1], scale, row)


@numba.njit  # type: ignore[untyped-decorator]
def _add_three(target: Array, a: float, first: Array, b: float, second: Array, c: float, third: Array) -> None:
    add_three_rows(27, target[1], a, first, b, second, c, third)


@numba.njit  # type: ignore[untyped-decorator]
def _add_so_many(target: Array, scale: float, row: Array, size: int) -> None:
    add_row(size, target, scale, row)


def test_one_row_is_added_to_the_bit_and_nothing_beside_it() -> None:
    generator = np.random.default_rng(1)
    for _ in range(50):
        target, row, scale = generator.standard_normal((3, 12)), generator.standard_normal(12), generator.standard_normal()
        expected = target.copy()
        expected[1] = [value + scale * other for value, other in zip(target[1], row, strict=True)]
        _add_one(target, scale, row)
        np.testing.assert_array_equal(target, expected)


def test_three_rows_are_added_in_the_order_of_their_sum() -> None:
    generator = np.random.default_rng(2)
    for _ in range(50):
        target, rows, scales = generator.standard_normal((3, 27)), generator.standard_normal((3, 27)), generator.standard_normal(3)
        a, b, c = scales
        expected = target.copy()
        expected[1] = [value + ((a * x + b * y) + c * z) for value, x, y, z in zip(target[1], *rows, strict=True)]
        _add_three(target, a, rows[0], b, rows[1], c, rows[2])
        np.testing.assert_array_equal(target, expected)


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

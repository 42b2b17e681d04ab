# SPDX-License-Identifier: Apache-2.0
"""Arrays on the stack of a compiled function."""

import numba
import numpy as np

from surefoot.stack_arrays import stack_integers, stack_matrix, stack_vector


@numba.njit
def _fill(rows: np.ndarray, value: float) -> None:
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = value + 10.0 * i + j


@numba.njit
def _use(repeats: int) -> tuple[float, float, int, int]:
    total, last, count, shape = 0.0, 0.0, 0, 0
    for r in range(repeats):
        matrix, vector, integers = stack_matrix(3, 5), stack_vector(4), stack_integers(2)
        _fill(matrix, float(r))
        vector[:], integers[:] = 2.0, 3
        part = matrix[1:, 2:4]
        total += part.sum() + vector.sum()
        last = matrix[2, 4]
        count += integers[0] * integers[1]
        shape = 100 * matrix.shape[0] + 10 * matrix.shape[1] + vector.shape[0]
    return total, last, count, shape


def test_they_are_arrays_like_any_others() -> None:
    whole = np.array([[10.0 * i + j for j in range(5)] for i in range(3)])
    expected = sum((whole + r)[1:, 2:4].sum() + 8.0 for r in range(7))
    assert _use(7) == (expected, 6.0 + 24.0, 63, 354)


def test_a_loop_that_asks_again_and_again_needs_no_more_memory() -> None:
    # Ten million times 200 bytes would end the process if each time took its own.
    assert _use(10_000_000)[2] == 90_000_000

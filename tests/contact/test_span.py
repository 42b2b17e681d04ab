# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.contact.span import add_span, length


@pytest.mark.parametrize("seed", range(20))
def test_the_basis_spans_what_the_rows_span(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.normal(size=(2, 12)), random.normal(size=(5, 3)) @ random.normal(size=(3, 12))
    second[4] = first[0] - 2.0 * first[1]
    basis = np.full((7, 12), np.nan)
    rank = add_span(first, 1e-10, basis, 0)
    assert rank == 2
    rank = add_span(second, 1e-10, basis, rank)
    assert rank == np.linalg.matrix_rank(np.vstack((first, second)))
    found = basis[:rank]
    np.testing.assert_allclose(found @ found.T, np.eye(rank), atol=1e-13)
    np.testing.assert_allclose(second @ found.T @ found, second, atol=1e-12)
    np.testing.assert_allclose(first @ found[:2].T @ found[:2], first, atol=1e-12)


def test_short_rests_count_as_none() -> None:
    rows, basis = np.array([[1.0, 0.0, 0.0], [1.0, 1e-7, 0.0]]), np.empty((2, 3))
    assert add_span(rows, 1e-6, basis, 0) == 1
    assert add_span(rows, 1e-8, basis, 0) == 2
    assert add_span(np.zeros((2, 3)), 1e-8, basis, 0) == 0
    assert add_span(np.zeros((0, 3)), 1e-8, basis, 0) == 0
    assert length(np.array([3.0, -4.0])) == 5.0

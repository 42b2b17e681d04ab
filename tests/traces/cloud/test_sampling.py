# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, qmc, truncnorm

from surefoot.traces.cloud.sampling import stream, truncated_normal, uniforms

DRAWS = 100_000


@pytest.mark.parametrize("sampling", ["pseudorandom", "sobol"])
@pytest.mark.parametrize("asked", [[5], [5, 0], [3, 5, 4], [0, 1, 2, 3, 4, 5, 900], [5, 9000]], ids=str)
def test_a_row_is_the_same_whoever_asks(sampling: str, asked: list[int]) -> None:
    everybody = uniforms(sampling, 7, np.arange(8), 60)
    assert np.array_equal(uniforms(sampling, 7, np.array(asked), 60)[asked.index(5)], everybody[5])
    assert not np.array_equal(uniforms(sampling, 8, np.array(asked), 60)[asked.index(5)], everybody[5])


@pytest.mark.parametrize("sampling", ["pseudorandom", "sobol"])
def test_rows_differ_and_lie_between_0_and_1(sampling: str) -> None:
    drawn = uniforms(sampling, 7, np.arange(300), 40)
    assert drawn.shape == (300, 40)
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert len(np.unique(drawn, axis=0)) == 300


def test_a_sequence_covers_more_evenly_than_chance() -> None:
    chance, sequence = (qmc.discrepancy(uniforms(sampling, 7, np.arange(256), 8)) for sampling in ("pseudorandom", "sobol"))
    assert sequence < 0.5 * chance


def test_streams_of_one_particle_do_not_repeat_each_other() -> None:
    rows = [stream(7, *key).random(20) for key in ((0, 0), (0, 1), (0, 1, 1), (1, 0), (1, 1))]
    assert len({row.tobytes() for row in rows}) == len(rows)
    assert np.array_equal(stream(7, 0, 1, 1).random(20), rows[2])


@given(st.floats(-6.0, 6.0), st.floats(1e-6, 8.0))
def test_the_ends_of_the_truncated_normal_stay_inside(low: float, span: float) -> None:
    drawn = truncated_normal(np.array([0.0, 1e-300, 0.5, 1.0 - 2.0**-53]), low, low + span)
    assert ((drawn >= low) & (drawn <= low + span)).all()
    assert (np.diff(drawn) >= 0.0).all()


@pytest.mark.parametrize("ends", [(-1.0, 1.0), (-3.0, 3.0), (0.0, 3.0), (-0.4, 2.0), (1.0, 1.5)], ids=str)
def test_the_truncated_normal_is_one(ends: tuple[float, float]) -> None:
    draws = truncated_normal(np.random.default_rng(3).random(DRAWS), *ends)
    assert ((draws >= ends[0]) & (draws <= ends[1])).all()
    assert kstest(draws, truncnorm(*ends).cdf).pvalue > 0.01

# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.traces.cloud.jitter import BLOCK, CommandJitter
from surefoot.traces.cloud.ranges import Spread

JITTER = CommandJitter(7, Spread(sigma=0.001, origin="test"), 3.0)


def test_jitter_belongs_to_its_particle_and_its_ticks() -> None:
    first = JITTER.block(np.arange(6), 0)
    assert first.shape == (6, BLOCK)
    assert np.array_equal(JITTER.block(np.array([4, 2]), 0), first[[4, 2]])
    assert not np.array_equal(JITTER.block(np.arange(6), 1), first)
    assert len(np.unique(first)) == first.size


def test_jitter_is_as_wide_as_its_spread_and_ends_at_its_truncation() -> None:
    late = np.concatenate([JITTER.block(np.arange(50), number) for number in range(4)])
    assert late.std() == pytest.approx(0.001, rel=0.03)
    assert abs(late.mean()) < 2e-5
    assert np.abs(late).max() <= 0.003
    even = CommandJitter(7, Spread(distribution="uniform", half_width=0.001, origin="test"), 3.0)
    assert np.abs(even.block(np.arange(9), 0)).max() <= 0.001


def test_without_spread_it_does_not_act() -> None:
    assert JITTER.acts
    assert not CommandJitter(7, Spread(sigma=0.0, origin="test"), 3.0).acts

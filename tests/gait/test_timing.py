# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.gait.library import GaitLibrary
from surefoot.gait.timing import in_planned_stance, time_to_liftoff, time_to_touchdown


def test_touchdown_and_liftoff_belong_together(links_gaits: GaitLibrary) -> None:
    gait = links_gaits["walking_trot"]
    assert list(gait.liftoff.values()) == [0.1, 0.6, 0.6, 0.1]
    assert np.allclose(list(gait.touchdown.values()), [0.5, 0.0, 0.0, 0.5], atol=1e-12)


def test_a_foot_is_down_from_touchdown_to_liftoff_whatever_the_pattern() -> None:
    random = np.random.default_rng(1)
    for _ in range(2000):
        liftoff, duty, phase, period = random.random(), random.uniform(0.01, 0.99), random.random(), random.uniform(0.1, 5.0)
        touchdown = (liftoff + 1.0 - duty) % 1.0
        since_touchdown = (phase - touchdown) % 1.0
        assert in_planned_stance(phase, liftoff, duty) == (since_touchdown < duty)
        assert time_to_touchdown(phase, liftoff, duty, period) == pytest.approx((touchdown - phase) % 1.0 * period, abs=1e-9)
        assert time_to_liftoff(phase, liftoff, duty, period) == pytest.approx((liftoff - phase) % 1.0 * period, abs=1e-9)


def test_the_swing_takes_what_the_duty_factor_leaves_of_the_period() -> None:
    phases = np.arange(10000) / 10000.0
    swing = [not in_planned_stance(phase, 0.25, 0.75) for phase in phases]
    assert np.mean(swing) == pytest.approx(0.25, abs=1e-4)
    assert swing[2500]
    assert not swing[5000]


def test_at_an_event_the_next_one_is_a_whole_period_away() -> None:
    assert time_to_liftoff(0.25, 0.25, 0.75, 2.0) == 2.0
    assert time_to_touchdown(0.5, 0.25, 0.75, 2.0) == 2.0


def test_duty_factor_one_is_always_stance() -> None:
    assert all(in_planned_stance(phase, 0.3, 1.0) for phase in np.linspace(0.0, 1.0, 101))
    assert math.isinf(time_to_liftoff(0.3, 0.3, 1.0, 0.5))
    assert math.isinf(time_to_touchdown(0.3, 0.3, 1.0, 0.5))

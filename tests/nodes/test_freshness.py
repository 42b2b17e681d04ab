# SPDX-License-Identifier: Apache-2.0
"""A message that is new, and one that was only heard last."""

import pytest

from surefoot.nodes.freshness import Freshness


def test_an_imu_that_stops_is_no_longer_fresh_after_the_timeout() -> None:
    fresh, message = Freshness(0.05), object()
    assert fresh.check(1.0, message)
    assert fresh.check(1.04, message)
    assert not fresh.check(1.2, message)
    assert fresh.age(1.2) == pytest.approx(0.2)


def test_it_is_fresh_again_as_soon_as_it_speaks() -> None:
    fresh, message = Freshness(0.05), object()
    fresh.check(1.0, message)
    assert not fresh.check(1.2, message)
    assert fresh.check(1.204, object())


def test_a_clock_that_was_set_back_starts_the_age_anew() -> None:
    fresh, message = Freshness(0.05), object()
    fresh.check(100.0, message)
    assert fresh.check(90.0, message)
    assert not fresh.check(90.1, message)

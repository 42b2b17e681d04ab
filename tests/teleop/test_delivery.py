# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.teleop.delivery import DeliveryDelay


def test_a_burst_is_as_late_as_it_is() -> None:  # a queue that was held up for 1 s
    delay = DeliveryDelay()
    for tick in range(20):
        assert delay.of(1e9 + 0.05 * tick, 7.0 + 0.05 * tick) == pytest.approx(0.0, abs=1e-6)
    late = [delay.of(1e9 + 0.05 * tick, 9.0) for tick in range(20, 40)]
    assert late == pytest.approx([2.0 - 0.05 * tick for tick in range(20, 40)], abs=1e-6)


@pytest.mark.parametrize("hole", [6.0, 12.0, 60.0])
def test_a_burst_behind_a_long_hole_is_late(hole: float) -> None:
    delay, number = DeliveryDelay(window=5.0), 0
    for _ in range(3):
        for _ in range(20):
            number += 1
            assert delay.of(1e9 + 0.05 * number, 7.0 + 0.05 * number) <= 1e-6
        received = 7.0 + 0.05 * number + hole
        while 7.0 + 0.05 * number + 0.5 < received:
            number += 1
            late = delay.of(1e9 + 0.05 * number, received)
            assert late == pytest.approx(received - 7.0 - 0.05 * number, abs=1e-6)


def test_without_a_stamp_nothing_is_late() -> None:
    delay = DeliveryDelay()
    assert [delay.of(sent, 5.0) for sent in (0.0, -1.0, math.nan, math.inf)] == [0.0] * 4


def test_a_clock_that_was_set_back_is_forgiven_after_a_while() -> None:
    delay = DeliveryDelay(window=5.0)
    for tick in range(100):
        delay.of(100.0 + 0.05 * tick, 0.05 * tick)
    assert delay.of(95.0, 5.0) > 5.0
    late = [delay.of(90.0 + 0.05 * tick, 5.0 + 0.05 * tick) for tick in range(220)]
    assert late[-1] == pytest.approx(0.0, abs=1e-9)


@given(st.lists(st.floats(0.0, 0.2), min_size=1, max_size=60), st.floats(1.0, 1e9))
def test_never_early_and_never_later_than_it_was(delays: list[float], offset: float) -> None:
    delay, received = DeliveryDelay(), 0.0
    for number, held_up in enumerate(delays):
        sent = 0.5 * number
        received = max(received, sent + held_up)
        assert -1e-6 <= delay.of(sent + offset, received) <= held_up + 0.21

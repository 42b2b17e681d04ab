# SPDX-License-Identifier: Apache-2.0
"""Time while stamps come, and while they do not."""

import pytest

from surefoot.nodes.tick_clock import TickClock


def test_a_new_stamp_sets_the_clock() -> None:
    clock = TickClock(0.008, 0.05)
    assert clock.look(100.0, 5.0) == 100.0
    assert clock.look(100.004, 5.02) == 100.004


def test_silence_grows_old() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    times = [clock.look(100.0, 5.0 + 0.008 * k) for k in range(1, 11)]
    assert times[-1] == pytest.approx(100.08)
    assert times == sorted(times)
    assert clock.look(None, 5.084) == pytest.approx(100.084)


def test_a_pause_of_this_process_is_not_the_silence_of_others() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    assert clock.look(100.0, 9.0) == pytest.approx(100.008)


def test_a_clock_that_was_set_back_is_followed() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    assert clock.look(90.0, 5.004) == 90.0


def test_the_wall_going_back_does_not_turn_time_back() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    assert clock.look(100.0, 4.0) == 100.0


def test_stamps_that_alternate_are_silence() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(99.996, 4.996)
    clock.look(100.0, 5.0)
    times = [clock.look(100.0 if k % 2 == 0 else 99.996, 5.0 + 0.004 * k) for k in range(1, 251)]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(101.0)


def test_one_that_is_overtaken_on_its_way_changes_nothing() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    assert clock.look(100.008, 5.008) == 100.008
    assert clock.look(100.004, 5.008) == 100.008
    assert clock.look(100.012, 5.012) == 100.012


def test_a_clock_that_was_set_back_a_little_is_caught_up_with() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    times = [clock.look(99.98 + 0.004 * k, 5.0 + 0.004 * k) for k in range(1, 11)]
    assert times[4] == pytest.approx(100.02)
    assert times[-1] == 99.98 + 0.004 * 10


def test_behind_a_clock_that_was_set_back_what_is_new_is_new_there() -> None:
    clock = TickClock(0.008, 0.05)
    clock.look(100.0, 5.0)
    clock.look(90.0, 5.004)
    assert clock.look(90.004, 5.02) == 90.004
    assert clock.look(90.0, 5.024) == pytest.approx(90.008)

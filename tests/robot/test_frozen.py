# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.robot.frozen import SAMPLE_HOLD, FrozenWatch

PERIOD = 0.004


def first_frozen(watch: FrozenWatch, speed: float, seconds: float = 1.0) -> float | None:
    """When one who says the same from 0 s on counts as frozen, beside a witness of a speed, s; None for never."""
    for tick in range(round(seconds / PERIOD)):
        time = tick * PERIOD
        if watch.look(time, b"same", np.array([0.0, speed * time])):
            return time
    return None


def test_who_repeats_himself_beside_something_that_moves_is_frozen() -> None:
    watch = FrozenWatch(after=0.05, motion=0.05)
    assert first_frozen(watch, speed=1.0) == pytest.approx(0.1, abs=1.5 * PERIOD)
    assert watch.since == 0.0
    assert watch.moved == pytest.approx(0.1, abs=1.5 * PERIOD)


def test_where_nothing_moves_a_sensor_without_noise_may_say_the_same() -> None:
    assert first_frozen(FrozenWatch(after=0.05, motion=0.05), speed=0.0) is None


def test_what_has_rested_gets_the_time_to_follow() -> None:
    watch = FrozenWatch(after=0.05, motion=0.05)
    still, leapt = np.zeros(2), np.ones(2)
    assert not any(watch.look(tick * PERIOD, b"same", still) for tick in range(1000))
    answers = [watch.look(4.0 + tick * PERIOD, b"same", leapt) for tick in range(20)]
    assert answers.index(True) * PERIOD == pytest.approx(0.05, abs=PERIOD)


def test_one_other_digit_is_news() -> None:
    watch = FrozenWatch(after=0.05, motion=0.05)
    assert first_frozen(watch, speed=1.0) is not None
    assert not watch.look(2.0, b"sane", np.zeros(2))
    assert not watch.frozen


def test_the_same_message_looked_at_again_is_no_repetition() -> None:
    watch = FrozenWatch(after=0.0)
    assert not any(watch.look(1.0, b"same") for _ in range(100))


def test_slow_sensors_are_held_by_their_drivers() -> None:
    watch = FrozenWatch(SAMPLE_HOLD)
    said = [watch.look(tick * PERIOD, tick // 6) for tick in range(1000)]
    assert not any(said), "40 samples a second in 250 messages"


def test_a_witness_that_is_no_number_says_nothing() -> None:
    watch = FrozenWatch(after=0.05, motion=0.05)
    nothing = np.full(2, np.nan)
    assert not any(watch.look(tick * PERIOD, b"same", nothing) for tick in range(100))


def test_what_is_frozen_stays_so_until_something_else_is_said() -> None:
    watch = FrozenWatch(SAMPLE_HOLD)
    for tick in range(20):
        watch.look(tick * PERIOD, b"same")
    assert watch.look(0.08, b"same", moving=False)
    assert not watch.look(0.084, b"other", moving=False)
    assert not any(watch.look(0.088 + tick * PERIOD, b"other", moving=False) for tick in range(100)), "nothing has to change"


def test_a_clock_that_goes_back_begins_anew() -> None:
    watch = FrozenWatch(SAMPLE_HOLD)
    assert [watch.look(tick * PERIOD, b"same") for tick in range(10)][-1]
    assert not watch.look(0.0, b"same")


def test_a_witness_that_was_not_known_at_first_counts_from_where_it_is_heard_of() -> None:
    watch, nothing = FrozenWatch(after=0.05, motion=0.05), np.full(2, np.nan)
    assert not any(watch.look(tick * PERIOD, b"same", nothing) for tick in range(10))
    assert not any(watch.look(0.04 + tick * PERIOD, b"same", np.ones(2)) for tick in range(100)), "it appeared, and did not move"
    assert any(watch.look(0.44 + tick * PERIOD, b"same", np.full(2, 1.2)) for tick in range(20))

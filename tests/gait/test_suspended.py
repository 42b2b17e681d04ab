# SPDX-License-Identifier: Apache-2.0
import numpy as np

from surefoot.gait.suspended import AFTER, ENOUGH, SUPPORTED_AFTER, SuspendedWatch

TICK = 0.004
NOTHING, ALL = np.zeros(4), np.ones(4)


def looked(watch: SuspendedWatch, begin: float, duration: float, feet: np.ndarray) -> tuple[float, bool]:
    """Time and answer after some looks at the same feet."""
    held, time = False, begin
    while time < begin + duration:
        held = watch.look(time, feet)
        time += TICK
    return time, held


def test_it_is_held_once_nothing_bore_load_for_a_while_and_not_before() -> None:
    watch = SuspendedWatch()
    time, held = looked(watch, 1.0, AFTER - 2 * TICK, NOTHING)
    assert not held
    time, held = looked(watch, time, 4 * TICK, NOTHING)
    assert held
    # A leg that swings in the air feels like one that touches something.
    time, held = looked(watch, time, 3.0, np.array([1.0, 1.0, 0.0, 0.0]))
    assert held
    time, held = looked(watch, time, SUPPORTED_AFTER - 2 * TICK, ALL)
    assert held
    time, held = looked(watch, time, 4 * TICK, np.array([0.9] * ENOUGH + [0.0] * (4 - ENOUGH)))
    assert not held


def test_a_robot_that_walks_is_not_held() -> None:
    watch, time = SuspendedWatch(), 0.0
    for _ in range(20):
        time, held = looked(watch, time, 0.9 * AFTER, NOTHING)
        assert not held
        time, held = looked(watch, time, TICK, np.array([0.0, 0.6, 0.0, 0.0]))
        assert not held


def test_a_clock_that_goes_back_and_numbers_that_are_none_begin_anew() -> None:
    watch = SuspendedWatch()
    _, held = looked(watch, 10.0, 2.0 * AFTER, np.full(4, np.nan))
    assert held, "what is not known bears no load"
    assert not watch.look(1.0, NOTHING)
    _, held = looked(watch, 1.0 + TICK, AFTER - 4 * TICK, NOTHING)
    assert not held

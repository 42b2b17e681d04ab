# SPDX-License-Identifier: Apache-2.0
"""Where a bag is when: speed, pause, step, seek, loop."""

import math

import pytest

from surefoot.errors import ConfigurationError
from surefoot.recording.playback import Playback

SECOND = 1_000_000_000


def playback(**options: object) -> Playback:
    one = Playback(100 * SECOND, 110 * SECOND, **options)  # type: ignore[arg-type]
    one.look(0.0)
    return one


@pytest.mark.parametrize(("speed", "position"), [(1.0, 102.0), (0.1, 100.2), (4.0, 108.0), (50.0, 110.0), (math.inf, 110.0)])
def test_it_goes_at_its_speed_and_ends_at_the_end(speed: float, position: float) -> None:
    assert playback(speed=speed).look(2.0) == pytest.approx(position * SECOND)


def test_another_speed_counts_from_now_on() -> None:
    one = playback()
    one.look(2.0)
    one.set_speed(3.0)
    assert one.look(3.0) == 105 * SECOND


def test_while_it_is_paused_time_stands_still() -> None:
    one = playback()
    one.look(1.0)
    one.pause()
    assert one.look(50.0) == 101 * SECOND
    one.pause(False)
    assert one.look(51.0) == 102 * SECOND


def test_a_step_goes_on_and_stands_still_there() -> None:
    one = playback()
    one.step_to(100 * SECOND + 4_000_000)
    assert one.paused
    assert one.look(5.0) == 100 * SECOND + 4_000_000
    one.step_to(99 * SECOND)
    assert one.position == 100 * SECOND + 4_000_000
    assert one.jumps == 0


def test_to_go_elsewhere_is_a_jump_and_stays_within_the_bag() -> None:
    one = playback()
    one.look(5.0)
    one.seek(101 * SECOND)
    assert (one.look(5.0), one.jumps) == (101 * SECOND, 1)
    one.seek(7 * SECOND)
    assert one.look(5.0) == 100 * SECOND
    one.seek(700 * SECOND)
    assert one.look(5.0) == 110 * SECOND
    assert one.jumps == 3


def test_a_loop_begins_again_with_a_jump() -> None:
    one = playback(loop=True)
    assert one.look(10.5) == 110 * SECOND
    assert (one.look(11.0), one.jumps) == (100 * SECOND, 1)
    assert one.look(12.0) == 101 * SECOND


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan])
def test_what_is_no_speed_is_refused(speed: float) -> None:
    with pytest.raises(ConfigurationError, match="at a speed over 0"):
        Playback(0, 1, speed)

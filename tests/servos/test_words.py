# SPDX-License-Identifier: Apache-2.0
"""What the balance controller said last, and what the bridge makes of its silence."""

from typing import Any

from surefoot.servos.modes import Mode, Request
from surefoot.servos.words import Words


def test_silence_has_an_age_and_one_word_ends_it() -> None:
    words = Words(0.05, 0.5)
    assert words.silence(0.0) == "none has come"
    words.take(1.0, 0.99)
    assert words.silence(1.4) == ""
    words.take(1.6, None)
    assert words.silence(1.6) == "no word for 0.610 s, limit 0.500 s"
    words.take(1.6, 1.6)
    assert words.silence(1.6) == ""


def test_a_word_of_another_time_speaks_for_nobody() -> None:
    words = Words(0.05, 0.5)
    for stamp in (0.9, 1.1):
        words.take(1.0, stamp)
        assert not words.fresh(1.0)
        assert words.silence(1.0)
    words.take(1.0, 0.97)
    assert words.fresh(1.0)
    assert not words.fresh(1.03)


def test_one_that_cannot_be_used_is_not_fresh_and_no_silence() -> None:
    words = Words(0.05, 0.5)
    words.take(1.0, 1.0)
    words.spoil()
    assert not words.fresh(1.0)
    assert words.silence(1.0) == ""
    words.restart()
    assert words.silence(1.0) == "none has come"


def test_a_controller_that_falls_silent_on_the_way_up_or_before_it_takes_over_has_the_robot_lie_down_again(make_rig: Any) -> None:
    for mode in (Mode.STANDING_UP, Mode.READY):
        rig = make_rig()
        rig.tick(request=Request.ARM)
        rig.tick(request=Request.STAND)
        for _ in range(50):
            rig.tick()
        if mode == Mode.READY:
            rig.until(mode)
        last = rig.time
        while (output := rig.tick(answered=None)).mode == mode:
            pass
        assert output.mode == Mode.SITTING_DOWN
        assert rig.settings.silent_after < rig.time - last < rig.settings.silent_after + 2.5 * rig.TICK
        assert output.reason.startswith("controller silent: no word for 0.50")
        assert output.counters["controller_silent"] == 1
        while (output := rig.tick(answered=None)).mode == Mode.SITTING_DOWN:
            assert output.command.stiffness.all(), "it is not dropped"
        assert output.mode == Mode.SITTING
        assert "; STAND waits: the balance controller does not answer" in output.reason
        assert rig.tick(request=Request.STAND).mode == Mode.STANDING_UP


def test_words_that_come_late_or_without_a_command_are_no_silence(rig: Any) -> None:
    rig.tick(request=Request.ARM)
    rig.tick(request=Request.STAND)
    for tick in range(1000):
        output = rig.tick() if tick % 100 == 0 else rig.tick(answered=None)
        assert output.mode in (Mode.STANDING_UP, Mode.READY)

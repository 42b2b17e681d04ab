# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.teleop.layout import PadLayout, read_layout
from surefoot.teleop.pad import PadReader
from surefoot.teleop.presses import PadWatch
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.writer import GONE, PadMessage
from surefoot.viewer.page.pad import FRESH, GOODBYES, OnScreenPad


@pytest.fixture
def layout() -> PadLayout:
    return read_layout(shared_directory() / "config" / "gamepads", "page")


@pytest.fixture
def taken(layout: PadLayout) -> OnScreenPad:
    """A pad that a browser took, and has said nothing with yet."""
    pad = OnScreenPad(layout)
    assert pad.take(1, 4.9)
    return pad


@pytest.fixture
def pad(taken: OnScreenPad) -> OnScreenPad:
    """A pad that is held, at rest."""
    taken.say(1, 4.95, 0.95, {}, [])
    assert taken.message(4.95) is not None
    return taken


def test_what_the_fingers_do_is_what_a_pad_says(pad: OnScreenPad, layout: PadLayout) -> None:
    assert pad.say(1, 5.0, 1.0, {"forward": 0.5, "turn": -2.0}, ["dead_man", "arm", "nothing"])
    message = pad.message(5.1)
    assert message is not None
    state = PadReader(layout).read(message.axes, message.buttons)
    assert state is not None
    assert message.axes[:3] == (0.5, 0.0, -1.0)
    assert [name for name, mapping in layout.buttons.items() if message.buttons[mapping.index or 0]] == ["arm", "dead_man"]


def test_a_silent_browser_loses_the_pad_and_the_robot_is_told(pad: OnScreenPad) -> None:
    pad.say(1, 5.0, 1.0, {"forward": 1.0}, ["dead_man"])
    assert pad.message(5.0 + 0.9 * FRESH) != GONE
    said = [pad.message(5.01 + FRESH + 0.03 * i) for i in range(GOODBYES + 2)]
    assert said == [GONE] * GOODBYES + [None] * 2
    assert not pad.say(1, 6.0, 2.0, {"forward": 1.0}, ["dead_man"])
    assert pad.message(6.0) is None


def test_a_browser_that_leaves_loses_it_at_once(pad: OnScreenPad) -> None:
    pad.say(1, 5.0, 1.0, {"forward": 1.0}, ["dead_man"])
    pad.leave(1)
    assert pad.message(5.01) == GONE
    assert pad.holder is None


def test_one_browser_holds_it_at_a_time(pad: OnScreenPad) -> None:
    assert not pad.take(2, 5.0)
    assert not pad.say(2, 5.0, 1.0, {"forward": 1.0}, ["dead_man"])
    pad.leave(2)
    assert pad.holder == 1
    pad.leave(1)
    assert pad.take(2, 5.0)


def test_a_browser_that_never_speaks_loses_the_pad_too_but_that_is_no_loss(taken: OnScreenPad) -> None:
    pad = taken
    assert pad.message(4.9 + 0.9 * FRESH) is None
    assert not pad.take(2, 5.3)
    assert pad.message(4.91 + FRESH) is None
    assert pad.take(2, 5.5)
    pad.leave(2)
    assert pad.message(5.6) is None


def test_the_pad_is_as_silent_as_its_browser(pad: OnScreenPad) -> None:
    pad.say(1, 5.0, 1.0, {"forward": 1.0}, ["dead_man"])
    said = [pad.message(5.0 + 0.03 * i) for i in range(10)]
    assert said[0] is not None
    assert said[1:] == [None] * 9


def down(layout: PadLayout, message: PadMessage | None) -> set[str]:
    """Buttons that a message has down; of a pad that is gone, or of no message, none."""
    if message is None or message == GONE:
        return set()
    return {name for name, button in layout.buttons.items() if message.buttons[button.index or 0]}


def test_no_press_is_too_short_to_be_said(pad: OnScreenPad, layout: PadLayout) -> None:
    for i, pressed in enumerate(([], ["arm"], ["dead_man", "stand"], [])):
        pad.say(1, 5.0 + 0.001 * i, 1.0 + 0.001 * i, {}, pressed)
    # The dead-man switch is no press, and is said as it is.
    assert down(layout, pad.message(5.01)) == {"arm", "stand"}
    assert pad.message(5.04) is not None
    assert pad.message(5.07) is None


def test_a_second_press_is_a_second_press(pad: OnScreenPad, layout: PadLayout) -> None:
    pad.say(1, 5.0, 1.0, {}, ["walk"])
    said = [pad.message(5.0)]
    for i in range(1, 4):
        pad.say(1, 5.0 + 0.01 * i, 1.0 + 0.01 * i, {}, ["walk"] if i == 2 else [])
    said += [pad.message(5.04 + 0.03 * i) for i in range(4)]
    assert [down(layout, message) for message in said] == [{"walk"}, set(), {"walk"}, set(), set()]


@pytest.mark.parametrize("was_lost", [False, True])
def test_a_press_that_comes_with_the_gamepad_is_a_press(taken: OnScreenPad, layout: PadLayout, was_lost: bool) -> None:
    pad = taken
    settings = read_settings(OperatorSettings, shared_directory() / "config" / "teleop.yaml")
    watch = PadWatch(PadReader(layout), settings)
    now = 5.0
    if was_lost:
        pad.say(1, now, 1.0, {}, ["dead_man"])
        watch.message(now, *present(pad.message(now)))
        pad.leave(1)
        watch.unplugged()
        assert pad.take(1, now)
    # The press is so soon, or this page so late, that nothing was said of the pad at rest.
    pad.say(1, now + 0.01, 1.01, {}, [])
    pad.say(1, now + 0.02, 1.02, {}, ["arm", "dead_man"])
    pad.say(1, now + 0.03, 1.03, {}, ["dead_man"])
    for beat in range(1, GOODBYES + 6):
        message = pad.message(now + 0.033 * beat)
        if message not in (None, GONE):
            watch.message(now + 0.033 * beat, *present(message))
    assert [action for _, action in watch.take_presses()] == ["arm"]


def present(message: PadMessage | None) -> PadMessage:
    assert message is not None
    return message


def test_a_stop_is_said_however_short_it_was_and_first(pad: OnScreenPad, layout: PadLayout) -> None:
    for i, pressed in enumerate((["arm"], ["stop"], ["dead_man", "walk"])):
        pad.say(1, 5.0 + 0.001 * i, 1.0 + 0.001 * i, {"forward": 1.0}, pressed)
    message = pad.message(5.01)
    assert down(layout, message) == {"stop"}
    assert message is not None
    assert not any(message.axes)
    assert "stop" not in down(layout, pad.message(5.04))


@pytest.mark.parametrize("falls_silent", [False, True])
def test_a_stop_is_said_before_the_loss(pad: OnScreenPad, layout: PadLayout, falls_silent: bool) -> None:
    pad.say(1, 5.0, 1.0, {}, ["stop"])
    if not falls_silent:
        pad.leave(1)
    now = 6.0 if falls_silent else 5.01
    assert down(layout, pad.message(now)) == {"stop"}
    assert [pad.message(now + 0.03 * i) for i in range(1, GOODBYES + 2)] == [GONE] * GOODBYES + [None]


def test_anybody_stops_whoever_holds_the_pad(pad: OnScreenPad, layout: PadLayout) -> None:
    pad.say(1, 5.0, 1.0, {"forward": 1.0}, ["dead_man"])
    assert not pad.say(2, 5.01, 1.0, {"forward": 1.0}, ["stop", "dead_man"])
    assert down(layout, pad.message(5.02)) == {"stop"}
    assert down(layout, pad.message(5.05)) == {"dead_man"}
    pad.leave(1)
    assert [pad.message(5.1 + 0.03 * i) for i in range(GOODBYES)] == [GONE] * GOODBYES
    for time in (6.0, 7.0):
        pad.stop()
        assert down(layout, pad.message(time)) == {"stop"}
        assert pad.message(time + 0.03) == GONE


def test_a_new_holder_speaks_after_the_loss_of_the_last(pad: OnScreenPad) -> None:
    pad.say(1, 5.0, 1.0, {}, ["dead_man"])
    pad.leave(1)
    pad.take(2, 5.01)
    pad.say(2, 5.02, 1.0, {}, ["dead_man"])
    said = [pad.message(5.03 + 0.03 * i) for i in range(GOODBYES + 1)]
    assert said[:-1] == [GONE] * GOODBYES
    assert said[-1] not in (None, GONE)


def test_what_was_held_up_on_the_way_is_not_obeyed_but_a_stop_is(pad: OnScreenPad, layout: PadLayout) -> None:
    for i in range(10):
        pad.say(1, 5.0 + 0.05 * i, 1.0 + 0.05 * i, {"forward": 1.0}, ["dead_man"])
    # Two seconds of silence, then what was said meanwhile, in a burst.
    pad.say(1, 7.5, 1.6, {"forward": 1.0}, ["dead_man"])
    assert pad.message(7.5) == GONE

    assert pad.take(1, 8.0)
    pad.say(1, 8.0, 4.0, {}, ["dead_man"])
    pad.say(1, 9.0, 4.1, {"forward": 1.0}, ["dead_man", "stop"])
    message = pad.message(9.0)
    assert message is not None
    assert message.axes == (0.0,) * 7
    assert sum(message.buttons) == message.buttons[layout.buttons["stop"].index or 0] == 1


@given(st.dictionaries(st.sampled_from(["forward", "turn", "x"]), st.one_of(st.floats(), st.none(), st.text(), st.booleans())))
def test_no_message_carries_what_is_not_a_number(axes: dict[str, object]) -> None:
    pad = OnScreenPad(read_layout(shared_directory() / "config" / "gamepads", "page"))
    pad.take(1, 1.0)
    pad.say(1, 1.0, 1.0, axes, [])
    message = pad.message(1.0)
    assert message is not None
    assert all(math.isfinite(value) and abs(value) <= 1.0 for value in message.axes)

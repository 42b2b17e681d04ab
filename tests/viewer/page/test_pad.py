# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.robot.locate import shared_directory
from surefoot.teleop.layout import PadLayout, read_layout
from surefoot.teleop.pad import PadReader
from surefoot.teleop.writer import GONE
from surefoot.viewer.page.pad import FRESH, GOODBYES, OnScreenPad


@pytest.fixture
def layout() -> PadLayout:
    return read_layout(shared_directory() / "config" / "gamepads", "page")


@pytest.fixture
def pad(layout: PadLayout) -> OnScreenPad:
    pad = OnScreenPad(layout)
    assert pad.take(1)
    return pad


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
    assert not pad.take(2)
    assert not pad.say(2, 5.0, 1.0, {"forward": 1.0}, ["dead_man"])
    pad.leave(2)
    assert pad.holder == 1
    pad.leave(1)
    assert pad.take(2)


def test_a_pad_that_never_spoke_is_no_loss(pad: OnScreenPad) -> None:
    assert pad.message(100.0) is None
    pad.leave(1)
    assert pad.message(100.1) is None


def test_what_was_held_up_on_the_way_is_not_obeyed_but_a_stop_is(pad: OnScreenPad, layout: PadLayout) -> None:
    for i in range(10):
        pad.say(1, 5.0 + 0.05 * i, 1.0 + 0.05 * i, {"forward": 1.0}, ["dead_man"])
    # Two seconds of silence, then what was said meanwhile, in a burst.
    pad.say(1, 7.5, 1.6, {"forward": 1.0}, ["dead_man"])
    assert pad.message(7.5) == GONE

    assert pad.take(1)
    pad.say(1, 8.0, 4.0, {}, ["dead_man"])
    pad.say(1, 9.0, 4.1, {"forward": 1.0}, ["dead_man", "stop"])
    message = pad.message(9.0)
    assert message is not None
    assert message.axes == (0.0,) * 7
    assert sum(message.buttons) == message.buttons[layout.buttons["stop"].index or 0] == 1


@given(st.dictionaries(st.sampled_from(["forward", "turn", "x"]), st.one_of(st.floats(), st.none(), st.text(), st.booleans())))
def test_no_message_carries_what_is_not_a_number(axes: dict[str, object]) -> None:
    pad = OnScreenPad(read_layout(shared_directory() / "config" / "gamepads", "page"))
    pad.take(1)
    pad.say(1, 1.0, 1.0, axes, [])
    message = pad.message(1.0)
    assert message is not None
    assert all(math.isfinite(value) and abs(value) <= 1.0 for value in message.axes)

# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.settings import check_settings, read_yaml
from surefoot.teleop.layout import ACTIONS, PadLayout, layout_names, read_layout, read_layouts


def test_an_unknown_pad_is_refused_with_how_to_add_one(config: Path) -> None:  # case 20
    with pytest.raises(UnknownNameError, match=r"gamepad layout 'xbx'; did you mean 'xbox'\?.*copy the nearest to .*xbx.yaml"):
        read_layout(config / "gamepads", "xbx")


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("xbox", [1, 7, 4, 5]), ("game_controller", [1, 6, 9, 10]), ("ps4", [1, 9, 4, 5]), ("ps5", [1, 6, 9, 10]),
        ("switch_pro", [1, 6, 9, 10]), ("logitech", [1, 6, 9, 10]), ("keyboard", [0, 1, 2, 5]),
    ],
)
def test_safety_is_on_named_buttons_of_each_pad(config: Path, layout: str, expected: list[int]) -> None:  # case 20
    pad = read_layout(config / "gamepads", layout)
    numbers = [pad.buttons[pad.button_name(action)].index for action in ("stop", "arm", "dead_man", "walk")]
    assert numbers == expected
    assert set(ACTIONS) <= set(pad.actions)


@pytest.mark.parametrize(
    ("layout", "stop"),
    [("xbox", "b"), ("ps4", "circle"), ("ps5", "circle"), ("switch_pro", "b"), ("logitech", "b"), ("game_controller", "b")],
)
def test_stop_is_on_the_button_of_that_name(config: Path, layout: str, stop: str) -> None:  # case 20
    assert read_layout(config / "gamepads", layout).actions["stop"] == stop


def test_every_layout_has_a_tuning_page_that_leaves_stop_alone(config: Path) -> None:
    for layout in read_layouts(config / "gamepads").values():
        assert layout.page is not None
        assert layout.actions["stop"] not in (*layout.page.presses.values(), *layout.page.enter)


def test_the_layouts_are_these(config: Path) -> None:
    assert layout_names(config / "gamepads") == ["game_controller", "keyboard", "logitech", "page", "ps4", "ps5", "switch_pro", "xbox"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v: v["actions"].pop("stop"), "actions.stop: missing"),
        (lambda v: v["actions"].update(stop="circle"), "actions.stop: no button 'circle'"),
        (lambda v: v["actions"].update(sit="b"), "button 'b' is asked to do stop, sit"),
        (lambda v: v["actions"].update(jump="a"), "actions.jump: unknown action"),
        (lambda v: v["driving"].pop("turn"), "driving.turn: missing"),
        (lambda v: v["driving"].update(forward="throttle"), "driving.forward: no axis 'throttle'"),
        (lambda v: v["axes"]["left_x"].update(index=-1), "axes.left_x.index"),
        (lambda v: v["axes"]["left_x"].update(rest=1.0), "must differ"),
        (lambda v: v["buttons"]["a"].update(axis=3), "not both"),
        (lambda v: v.update(dead_zone=1.0), "dead_zone"),
        (lambda v: v["page"].update(take="b"), "page.take: 'b' is needed at any time"),
        (lambda v: v["page"].update(enter=["a"]), "page.enter: 'a' has an action already"),
        (lambda v: v["page"].update(save="a"), "page: one button, one action"),
        (lambda v: v["page"].update(undo="select"), "page: no button 'select'"),
        (lambda v: v.update(usb=["45e:2ea"]), "usb.0"),
    ],
)
def test_a_layout_that_lacks_something_says_what(config: Path, change: Callable[[dict[str, Any]], None], words: str) -> None:
    values = read_yaml(config / "gamepads" / "xbox.yaml")
    change(values)
    with pytest.raises(ConfigurationError, match=words):
        check_settings(PadLayout, values, "pad")


def test_names_are_those_of_actions_or_of_buttons(xbox: PadLayout) -> None:
    assert (xbox.button_name("stop"), xbox.button_name("guide")) == ("b", "guide")
    assert (xbox.axis_name("forward"), xbox.axis_name("left_trigger")) == ("left_y", "left_trigger")
    with pytest.raises(UnknownNameError, match="did you mean 'stand'"):
        xbox.button_name("stnd")

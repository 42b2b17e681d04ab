# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import ConfigurationError
from surefoot.settings import check_settings, read_settings
from surefoot.teleop.layout import PadLayout, layout_names, read_layout
from surefoot.teleop.operator import Operator, OperatorRequest
from surefoot.teleop.pad import PadReader
from surefoot.teleop.script import ScriptedPad, Story, read_story
from surefoot.teleop.settings import OperatorSettings


def story(*steps: dict[str, Any], end: float = 10.0) -> Story:
    return check_settings(Story, {"title": "test", "end": end, "steps": list(steps)}, "story")


@pytest.mark.parametrize("layout", ["game_controller", "keyboard", "logitech", "ps4", "ps5", "switch_pro", "xbox"])
def test_the_demo_asks_for_what_its_words_say(config: Path, layout: str) -> None:
    assert layout in layout_names(config / "gamepads")
    pad = read_layout(config / "gamepads", layout)
    settings = read_settings(OperatorSettings, config / "teleop.yaml")
    script, operator = ScriptedPad(read_story(config / "stories" / "demo.yaml"), pad), Operator(pad, settings)
    asked, gaits, grounds, walking = [], [], [], False
    for tick in range(round(script.story.end * 50) + 1):
        time = tick / 50
        operator.pad_message(time, *script.at(time))
        wish = operator.tick(time, walking=walking)
        walking = {OperatorRequest.WALK: True, OperatorRequest.STAND: False}.get(wish.request, walking)
        assert not wish.notices
        if wish.request:
            asked.append((round(time, 2), wish.request.name))
        for seen, value in ((gaits, wish.gait), (grounds, wish.ground)):
            if value and value not in [name for _, name in seen]:
                seen.append((round(time, 2), value))
        if 7.0 < time < 27.5 or 29.0 < time < 34.0:
            assert wish.present
            assert wish.twist == pytest.approx((0.3 if time < 27.5 else 0.5, 0.0, 0.0))
    assert asked == [(1.0, "ARM"), (2.0, "STAND"), (6.0, "WALK"), (36.0, "STAND"), (38.0, "SIT")]
    assert gaits == [(17.0, "trot"), (30.0, "pace")]
    assert grounds == [(29.0, "ice")]


def test_deflections_ramp_and_survive_the_dead_zone(xbox: PadLayout) -> None:
    script = ScriptedPad(
        story({"at": 1.0, "axes": {"forward": 0.6, "left_trigger": 0.5}, "over": 2.0}, {"at": 2.0, "axes": {"left_y": -0.2}}), xbox
    )
    reader = PadReader(xbox)
    for time, expected in ((0.0, 0.0), (1.0, 0.0), (1.5, 0.15), (1.999, 0.2997), (2.0, -0.2), (9.0, -0.2)):
        assert script.deflection("left_y", time) == pytest.approx(expected)
        assert reader.read(*script.at(time)).axes["left_y"] == pytest.approx(expected)
    assert reader.read(*script.at(9.0)).axes["left_trigger"] == pytest.approx(0.5)
    assert script.at(0.0).axes[2] == 1.0
    assert reader.warnings == []


def test_presses_holds_and_releases(xbox: PadLayout) -> None:
    script = ScriptedPad(story({"at": 1.0, "press": ["stand"], "hold": ["dead_man"]}, {"at": 3.0, "release": ["left_bumper"]}), xbox)
    reader = PadReader(xbox)
    pressed = {time: reader.read(*script.at(time)).pressed for time in (0.9, 1.0, 1.19, 1.21, 2.99, 3.0)}
    assert pressed == {
        0.9: frozenset(), 1.0: {"dpad_up", "left_bumper"}, 1.19: {"dpad_up", "left_bumper"}, 1.21: {"left_bumper"}, 2.99: {"left_bumper"},
        3.0: frozenset(),
    }  # fmt: skip


def test_what_is_said_is_said_once(xbox: PadLayout) -> None:
    script = ScriptedPad(story({"at": 0.0, "says": "waits"}, {"at": 1.0, "says": "goes"}, {"at": 2.0}), xbox)
    assert script.said(-1.0, 0.0) == ("waits",)
    assert script.said(0.0, 1.0) == ("goes",)
    assert script.said(1.0, 9.0) == ()


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"at": 1.0, "press": ["stan"]}], r"step at 1.0 s: unknown action or button 'stan'; did you mean 'stand'"),
        ([{"at": 1.0, "axes": {"throttle": 1.0}}], "unknown axis 'throttle'"),
        ([{"at": 1.0, "axes": {"left_trigger": -1.0}}], "is a trigger"),
        ([{"at": 1.0, "release": ["walk"]}], "releases 'walk', which is not held"),
        ([{"at": 1.0, "hold": ["walk"]}, {"at": 2.0, "press": ["right_bumper"]}], "which is held since 1.0 s"),
    ],
)
def test_a_story_that_the_pad_cannot_play(xbox: PadLayout, steps: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        ScriptedPad(story(*steps), xbox)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"at": 2.0}, {"at": 1.0}], "the step at 1.0 s comes after the one at 2.0 s"),
        ([{"at": 11.0}], "after the end at 10.0 s"),
        ([{"at": 1.0, "pres": ["stand"]}], "steps.0.pres: unknown key"),
        ([{"at": 1.0, "axes": {"forward": 2.0}}], "steps.0.axes.forward"),
        ([{"says": "when?"}], "steps.0.at: missing"),
    ],
)
def test_a_story_that_is_none(steps: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        story(*steps)

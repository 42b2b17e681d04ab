# SPDX-License-Identifier: Apache-2.0
"""Every mode in which the robot waits for somebody says for what, by buttons that the pad has."""

import pytest

from surefoot.robot.locate import shared_directory
from surefoot.servos.modes import Mode
from surefoot.teleop.layout import layout_names, read_layout
from surefoot.teleop.next_step import next_step

DIRECTORY = shared_directory() / "config" / "gamepads"


@pytest.mark.parametrize("name", layout_names(DIRECTORY))
def test_whoever_waits_says_for_what(name: str) -> None:
    layout = read_layout(DIRECTORY, name)
    for mode in Mode:
        words = next_step(mode.name, layout)
        assert (words == "") == (mode in (Mode.STANDING_UP, Mode.SITTING_DOWN)), mode
        assert not words or layout.title in words


def test_the_words_are_those_of_the_pad() -> None:
    xbox = read_layout(DIRECTORY, "xbox")
    assert "arm it with start" in next_step("OFF", xbox)
    assert "hold left bumper, walk with right bumper" in next_step("READY", xbox)

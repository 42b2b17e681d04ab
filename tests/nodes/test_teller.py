# SPDX-License-Identifier: Apache-2.0
"""What is told of a story that a scripted gamepad plays, and when."""

import pytest
from surefoot_msgs.msg import RobotMode

from surefoot.evaluation.story import Event, ModeChanged, Said, of_kind
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.teller import Teller
from surefoot.servos.modes import STAND_WAITS, Mode
from surefoot.settings import check_settings
from surefoot.teleop.script import Story

STORY = check_settings(
    Story,
    {
        "title": "test",
        "end": 5.0,
        "steps": [
            {"at": 1.0, "says": "arms it", "press": ["arm"]},
            {"at": 2.0, "says": "lets it stand", "press": ["stand"]},
            {"at": 4.0, "says": "is done"},
        ],
    },
    "story",
)


def said(events: list[Event]) -> list[tuple[float, str]]:
    return [(event.time, event.text) for event in of_kind(events, Said)]


def test_words_of_the_player_are_told_when_the_story_has_come_to_them() -> None:
    events: list[Event] = []
    teller = Teller(STORY, events.append, lambda _: None)
    for tick in range(101):
        time = 0.1 * tick
        mode, reason = Mode.OFF, "started"
        if 1.05 < time < 5.05:
            mode, reason = Mode.DAMPING, f"ARM by the operator; {STAND_WAITS}the controller starts"
        elif time > 5.05:
            mode, reason = Mode.STANDING_UP, "STAND by the operator"
        message = RobotMode(mode=mode, reason=reason)
        message.header.stamp = stamp_of(time)
        teller.hear_mode(message)
    assert said(events) == [(pytest.approx(1.0), "arms it"), (pytest.approx(5.1), "lets it stand"), (pytest.approx(7.0), "is done")]
    assert [mode.mode for mode in of_kind(events, ModeChanged)] == ["OFF", "DAMPING", "STANDING_UP"]

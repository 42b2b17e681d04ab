# SPDX-License-Identifier: Apache-2.0
"""What is told of a story that a scripted gamepad plays, and when."""

import math
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from pydantic import ValidationError
from surefoot_msgs.msg import CandidateScore, GaitStatus, RobotMode, Verdict

from surefoot.errors import SensorError
from surefoot.evaluation.story import CommandChanged, Event, ModeChanged, Said, StoryWriter, of_kind, read_story
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.teller import Teller
from surefoot.servos.modes import STAND_WAITS, Mode
from surefoot.settings import check_settings
from surefoot.teleop.script import Story
from surefoot.viewer.page.state import MOST_NODES

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


def status(state: int = GaitStatus.SCHEDULED, forward: float = 0.1) -> GaitStatus:
    message = GaitStatus(gait="walk", request_state=state, requested_gait="trot", switch_time=float("inf"))
    message.command.linear.x = forward
    return message


def verdict(**numbers: float) -> Verdict:
    score = CandidateScore(score=1.0, lower_bound=0.9)
    for name, value in numbers.items():
        setattr(score if hasattr(score, name) else score.candidate, name, value)
    return Verdict(gait_from="walk", gait_to="trot", accepted=True, scores=[score])


NUMBERS = ("transition_point", "blend_time", "intermediate_time", "score", "lower_bound")


@pytest.mark.parametrize(
    "message",
    [
        status(state=153), status(forward=float("nan")), status(forward=float("inf")),
        *(verdict(**{name: value}) for name in NUMBERS for value in (math.nan, math.inf)),
        Verdict(particle_seconds=math.nan),
    ],
)  # fmt: skip
def test_of_what_cannot_be_written_down_nothing_is_told_and_the_rest_goes_on(message: Any, tmp_path: Path) -> None:
    said: list[str] = []
    with StoryWriter(tmp_path / "story.jsonl") as writer:
        teller = Teller(None, writer.write, said.append)
        hear = teller.hear_verdict if isinstance(message, Verdict) else teller.hear_status
        with pytest.raises(SensorError):
            hear(message)
        teller.hear_status(status())
        for time in (1.0, 2.0):
            mode = RobotMode(mode=RobotMode.WALKING, reason="WALK by the operator")
            mode.header.stamp = stamp_of(time)
            teller.hear_mode(mode)
        teller.hear_verdict(verdict())
    assert [event.kind for event in read_story(tmp_path / "story.jsonl")] == ["gait", "command", "mode", "verdict"]


def test_an_event_that_could_not_be_read_again_is_none() -> None:
    for broken in (math.nan, math.inf):
        with pytest.raises(ValidationError):
            CommandChanged(time=0.0, forward=broken, left=0.0, turn=0.0)


def test_nodes_with_ever_new_names_are_refused() -> None:
    teller = Teller(None, lambda event: None, lambda line: None)
    for number in range(MOST_NODES):
        teller.hear_diagnostics(DiagnosticArray(status=[DiagnosticStatus(name=f"made up {number}")]))
    with pytest.raises(SensorError, match="one more"):
        teller.hear_diagnostics(DiagnosticArray(status=[DiagnosticStatus(name="one more")]))
    assert len(teller.health) == MOST_NODES

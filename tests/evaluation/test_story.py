# SPDX-License-Identifier: Apache-2.0
import json
import math
from pathlib import Path
from typing import Any

import pytest

from surefoot.errors import ConfigurationError
from surefoot.evaluation.story import (
    CandidateResult,
    GaitRequested,
    GaitStatusChanged,
    Said,
    StoryWriter,
    VerdictGiven,
    of_kind,
    read_story,
)
from surefoot.traces.snapshot import Candidate


def test_every_kind_survives_writing_and_reading(told_run: Any, tmp_path: Path) -> None:
    told_run.write(tmp_path)
    assert read_story(tmp_path / "story.jsonl") == told_run.events
    assert len({event.kind for event in told_run.events}) == 8


def test_a_line_is_in_the_file_at_once(tmp_path: Path) -> None:
    with StoryWriter(tmp_path / "story.jsonl") as story:
        story.write(GaitRequested(time=1.0, request_id=3, gait="trot", gait_from="walk", ground="dry"))
        line = (tmp_path / "story.jsonl").read_text()
    assert json.loads(line) == {"time": 1.0, "kind": "request", "request_id": 3, "gait": "trot", "from": "walk", "ground": "dry"}


def test_nan_becomes_null(tmp_path: Path) -> None:
    status = GaitStatusChanged(time=1.0, gait="walk", state="IDLE", switch_time=math.nan)
    with StoryWriter(tmp_path / "story.jsonl") as story:
        story.write(status)
    assert json.loads((tmp_path / "story.jsonl").read_text())["switch_time"] is None
    assert read_story(tmp_path / "story.jsonl") == [status]


def test_the_line_of_a_killed_writer_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "story.jsonl"
    path.write_text('{"kind": "said", "time": 1.0, "text": "arms it"}\n{"kind": "said", "ti')
    assert [event.text for event in of_kind(read_story(path), Said)] == ["arms it"]


@pytest.mark.parametrize("line", ["not json", '{"kind": "dance", "time": 1.0}', '{"kind": "said", "time": 1.0}'])
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "story.jsonl"
    path.write_text('{"kind": "said", "time": 1.0, "text": "arms it"}\n' + line + "\n")
    with pytest.raises(ConfigurationError, match="line 2 is not an event"):
        read_story(path)


def test_a_missing_story_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such story"):
        read_story(tmp_path / "story.jsonl")


def test_the_best_candidate_of_a_verdict(told_run: Any) -> None:
    accepted, vetoed = of_kind(told_run.events, VerdictGiven)
    assert accepted.best is accepted.scores[2]
    assert vetoed.best is vetoed.scores[0]
    assert accepted.model_copy(update={"scores": (), "chosen": -1}).best is None


def test_how_a_change_is_made_is_said_as_it_is_of_the_candidate_that_was_rehearsed() -> None:
    for way in ({}, {"blend_time": 0.5}, {"intermediate": "trot", "intermediate_time": 1.25, "blend_time": 0.5}):
        counts = {"particles": 16, "survived": 16, "failed": 0, "unfinished": 0, "score": 1.0, "lower_bound": 0.8}
        result = CandidateResult.model_validate({"transition_point": 0.5} | counts | way)
        assert result.manner == Candidate(0.5, 10.0, **way).manner

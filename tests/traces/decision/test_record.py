# SPDX-License-Identifier: Apache-2.0
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.records import PLANNER
from surefoot.robot.state import RobotState
from surefoot.traces.decision.decision import decide
from surefoot.traces.decision.record import RecordedDecision, plain_answer, read_record, write_record
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import LocalExecutor
from surefoot.traces.requirements.settings import RequirementSettings
from surefoot.traces.tracer import Rehearsal, Tracer

SETTINGS = DecisionSettings(particles=4, most_particles=40, horizon=0.3, shortest_horizon=0.3, accept_at=0.2, confidence=0.9)


@pytest.fixture(scope="module")
def rehearsal(walk, uncertainty) -> Rehearsal:
    # Not what holds by default, so that it is seen to be kept.
    requirements = RequirementSettings(requirements={"roll": {"largest": 0.5}, "base_height": None}, objectives={"upright": None})
    return replace(walk.rehearsal(walk.asked("pace", "ice"), uncertainty, horizon=0.3), requirements=requirements)


@pytest.fixture(scope="module")
def file(tracer: Tracer, rehearsal: Rehearsal, walk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    candidates = (walk.candidate(0.05, 0.0), walk.candidate(0.1, 0.5))
    path: Path = tmp_path_factory.mktemp("records") / "new" / "decision.json"
    write_record(path, "hyq", rehearsal, candidates, SETTINGS, decide(LocalExecutor(tracer), rehearsal, candidates, SETTINGS))
    return path


@pytest.fixture(scope="module")
def record(file: Path) -> RecordedDecision:
    return read_record(file)


def text_of(answer: object) -> str:
    return json.dumps(answer)


def test_what_is_read_is_what_was_written(record: RecordedDecision, rehearsal: Rehearsal) -> None:
    assert record.robot == "hyq"
    assert record.settings == SETTINGS
    assert [candidate.transition_point for candidate in record.candidates] == [0.0, 0.5]
    assert (record.rehearsal.horizon, record.rehearsal.seed) == (rehearsal.horizon, rehearsal.seed)
    assert record.rehearsal.uncertainty == rehearsal.uncertainty
    assert record.rehearsal.requirements == rehearsal.requirements
    before, after = rehearsal.snapshot, record.rehearsal.snapshot
    assert (after.gait_from, after.gait_to, after.terrain, after.terrain_here) == (
        before.gait_from, before.gait_to, before.terrain, before.terrain_here,
    )  # fmt: skip
    assert np.array_equal(after.command, before.command)
    for name in RobotState.__dataclass_fields__:
        one, two = np.asarray(getattr(before.state, name)), np.asarray(getattr(after.state, name))
        assert np.array_equal(one, two, equal_nan=one.dtype.kind == "f"), name
    for name in PLANNER.names or ():
        assert np.array_equal(before.planner[name], after.planner[name], equal_nan=True), name


def test_a_replay_gives_the_same_answer_bit_by_bit(record: RecordedDecision, tracer: Tracer) -> None:
    assert text_of(plain_answer(record.replay(LocalExecutor(tracer)))) == text_of(record.answer)


def test_the_answer_keeps_paths_for_drawing(record: RecordedDecision) -> None:
    answer = record.answer
    assert answer["path_period"] == pytest.approx(0.05, abs=0.004)
    for paths, verdicts, score in zip(answer["paths"], answer["verdicts"], answer["scores"], strict=True):
        assert len(paths) == len(verdicts) == score["particles"]
        assert score["survived"] + score["failed"] + score["unfinished"] == score["particles"]


def test_nothing_but_the_whole_record_is_left(file: Path) -> None:
    assert [path.name for path in file.parent.iterdir()] == ["decision.json"]


@pytest.mark.parametrize("length", [0, 1, 1000, -100])
def test_a_cut_file_is_named(file: Path, tmp_path: Path, length: int) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text(file.read_text()[:length])
    with pytest.raises(ConfigurationError, match=r"cut.json is not a whole decision record"):
        read_record(cut)


@pytest.mark.parametrize("key", ["robot", "seed", "snapshot", "candidates", "settings", "answer", "uncertainty", "format"])
def test_a_record_without_a_part_is_named(file: Path, tmp_path: Path, key: str) -> None:
    document = json.loads(file.read_text())
    del document[key]
    poor = tmp_path / "poor.json"
    poor.write_text(json.dumps(document))
    with pytest.raises(ConfigurationError, match=rf"poor.json is not a whole decision record: '{key}'"):
        read_record(poor)


def test_a_record_of_another_format_says_which(file: Path, tmp_path: Path) -> None:
    document = json.loads(file.read_text())
    other = tmp_path / "other.json"
    other.write_text(json.dumps(document | {"format": 99}))
    with pytest.raises(ConfigurationError, match=r"format 99; this version reads"):
        read_record(other)


@pytest.mark.parametrize("text", ["[]", "3", "null", '"text"', "a letter home"])
def test_a_file_that_is_no_record_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"list.json is no decision record; they are called decision_….json"):
        read_record(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such decision record"):
        read_record(tmp_path / "nothing.json")

# SPDX-License-Identifier: Apache-2.0
"""A recording on the page: what is marked, and that each moment shows what was known then, from wherever one comes to it."""

import contextlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message

from surefoot.cli.app import main
from surefoot.errors import ConfigurationError
from surefoot.evaluation.story import VerdictGiven, of_kind
from surefoot.gait.records import PLAN
from surefoot.nodes.bag_page import BagPage
from surefoot.nodes.bag_run import BagRun
from surefoot.nodes.bag_story import BagStory
from surefoot.nodes.bag_types import read
from surefoot.nodes.conversions.plan import message_of_plan
from surefoot.nodes.page_ears import KINDS, PageEars
from surefoot.recording.errors import BagError
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.renamed import open_bag
from surefoot.recording.stamps import stamp_of
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.model import RobotModel
from surefoot.viewer.page.access import access
from surefoot.viewer.page.messages import OpenMark, Play, Seek, Speed, read_message
from surefoot.viewer.page.state import PageState
from surefoot.viewer.page.words import panel


@pytest.fixture
def page(told_bag: Path) -> Iterator[BagPage]:
    page = BagPage(BagStory(Bag(told_bag)), access(commands="off", pad=False), None)
    yield page
    page.close()


@pytest.fixture
def go(page: BagPage) -> Callable[..., Any]:
    """Asks the page for something, as a browser does; gives the state that it shows then."""
    wall = iter(np.arange(0.0, 1e6, 0.1))

    def go(*moves: Any, times: int = 1) -> Any:
        page.page.moves += moves
        for _ in range(times):
            page.tick(float(next(wall)))
        return page.page.state

    return go


def test_requests_verdicts_and_faults_are_marked_on_the_clock_of_the_samples(page: BagPage) -> None:
    line = page._story.time_line
    assert [(mark.time, mark.kind, mark.good) for mark in line.marks] == [
        (4.0, "request", None), (5.0, "verdict", False), (7.0, "request", None), (8.0, "verdict", True), (9.0, "fault", None),
    ]  # fmt: skip
    assert (line.start, line.end) == (1.0, 11.0)
    assert line.marks[1].words == "walk → trot vetoed: tilt 3x"


def test_each_moment_shows_what_was_known_then_from_wherever_one_comes(go: Callable[..., Any]) -> None:
    for time in (4.3, 9.5, 7.5, 3.0, 5.5, 4.3):
        state = go(Seek(kind="seek", time=time))
        assert state.time == pytest.approx(time, abs=0.021)
        seen = (state.status.state, len(state.past), len(state.faults), None if state.rehearsal is None else state.rehearsal.request_id)
        assert seen == {
            4.3: ("REHEARSING", 0, 0, 1), 9.5: ("COMMITTED", 1, 1, 2), 7.5: ("REHEARSING", 1, 0, 2), 3.0: ("IDLE", 0, 0, None),
            5.5: ("VETOED", 0, 0, 1),
        }[time]  # fmt: skip
    assert (state.rehearsal.verdict, state.rehearsal.particles) == (None, 2)


def test_a_mark_opens_the_decision_with_its_traces_and_holds_there(go: Callable[..., Any], page: BagPage) -> None:
    go(Play(kind="play", playing=True), times=3)
    state = go(OpenMark(kind="mark", number=1), times=5)
    rehearsal = state.rehearsal
    assert (rehearsal.request_id, rehearsal.verdict.accepted, rehearsal.verdict.reason) == (1, False, "tilt 3x")
    assert rehearsal.candidates[0].violated == {"tilt": 3}
    assert len(rehearsal.drawn()) == 2
    assert page.page.playback == {"time": 5.0, "playing": False, "speed": 1.0}
    assert go(OpenMark(kind="mark", number=77)).time == 5.0


def test_it_plays_at_its_speed_to_the_end_and_begins_again(go: Callable[..., Any], page: BagPage) -> None:
    state = go(Play(kind="play", playing=True), Speed(kind="speed", speed=2.0))
    before = state.time
    state = go(times=10)
    assert state.time == pytest.approx(before + 2.0, abs=0.05)
    state = go(times=60)
    assert state.time == 11.0
    assert page.page.playback is not None
    assert not page.page.playback["playing"]
    assert [words for _, words in state.faults] == ["fault: a servo is hot"]
    assert go(Play(kind="play", playing=True), times=2).time == pytest.approx(1.2, abs=0.05)


@pytest.mark.parametrize(("kind", "key"), [("seek", "time"), ("speed", "speed"), ("mark", "number")])
@pytest.mark.parametrize("number", ["1e300", "-1e300", "9e9", "-9e9", "1e-300", "0", "1" + "0" * 300])
def test_no_number_of_a_browser_ends_the_page(go: Callable[..., Any], page: BagPage, kind: str, key: str, number: str) -> None:
    with contextlib.suppress(ConfigurationError):
        go(read_message(f'{{"kind": "{kind}", "{key}": {number}}}'))
    go(Play(kind="play", playing=True), times=2)
    assert page._story.time_line.start <= page.page.state.time <= page._story.time_line.end
    assert go(Seek(kind="seek", time=5.5), Speed(kind="speed", speed=1.0)).status.state == "VETOED"


@pytest.mark.parametrize("topic", ["/robot_state", "/gait_status", "/verdict", "/traces"])
def test_a_message_that_is_cut_off_is_counted_and_the_page_goes_on(go: Callable[..., Any], page: BagPage, topic: str) -> None:
    entries = page._story._runs[0].kept[topic]._entries
    for number in range(0, len(entries), 2):
        entries[number] = entries[number]._replace(data=entries[number].data[: len(entries[number].data) // 2])
    with pytest.raises(BagError, match=f"cannot be read as {KINDS[topic].__name__}"):
        read(KINDS[topic], entries[0].data)
    for time in (3.0, 4.3, 9.5, 7.5):
        go(Seek(kind="seek", time=time))
    assert page.refused > 0
    go(Play(kind="play", playing=True), times=5)
    assert page.page.playback is not None
    assert page.page.playback["time"] == pytest.approx(7.9, abs=0.05)


def test_a_robot_that_was_started_again_is_a_run_of_its_own_on_the_line(told_twice: Path) -> None:
    story = BagStory(Bag(told_twice))
    line = story.time_line
    assert [(mark.time, mark.kind) for mark in line.marks[4:]] == [(9.0, "fault"), (12.0, "start"), (15.0, "request"), (16.0, "verdict")]
    assert (line.start, line.end) == (1.0, pytest.approx(17.48))
    assert "the robot was started 2 times; its runs are one after the other" in story.problems
    page = BagPage(story, access(commands="off", pad=False), None)
    try:
        # From the end of one run into the next: nothing that was true before is still shown.
        for number, time in enumerate((10.9, 12.3, 15.3, 16.5, 9.5)):
            page.page.moves.append(Seek(kind="seek", time=time))
            page.tick(float(number))
            state = page.page.state
            seen = (round(state.time, 1), state.mode.name, state.status.state, len(state.past), len(state.faults))
            assert seen == {
                10.9: (10.9, "FAULT", "COMMITTED", 1, 1), 12.3: (1.3, "", "IDLE", 0, 0), 15.3: (4.3, "", "REHEARSING", 0, 0),
                16.5: (5.5, "", "VETOED", 0, 0), 9.5: (9.5, "FAULT", "COMMITTED", 1, 1),
            }[time]  # fmt: skip
            assert state.rehearsal is None or state.rehearsal.request_id == (1 if time > 12.0 else 2)
        page.page.moves.append(Seek(kind="seek", time=11.5))
        page.tick(20.0)
        assert page.page.state.time == pytest.approx(11.0)
        page.page.moves.append(Play(kind="play", playing=True))
        for wall in np.arange(20.1, 21.5, 0.1):
            page.tick(float(wall))
        assert page.page.state.time == pytest.approx(1.8, abs=0.05)
        assert page.page.state.faults == []
    finally:
        page.close()


def test_a_fault_of_the_planner_is_marked_once_and_shown(told_bag: Path, hyq: RobotModel, tmp_path: Path) -> None:
    bag, words = Bag(told_bag), "no ground under RF: it stands until the stick is let go of"
    writer = BagWriter(tmp_path / "stepped_into_nothing", WriterSettings(keep_free=0))
    for topic in bag.topics.values():
        writer.add_topic(topic)
    for message in bag.messages():
        writer.write(message)
        if message.topic == "/robot_state":
            time = stamp_of(message.data) / SECOND
            plan = message_of_plan(time, np.zeros(1, PLAN)[0], "walk", 0, hyq.description)
            plan.activity, plan.fault = plan.MOVING, words if time > 5.5 else ""
            writer.write(message._replace(topic="/motion_plan", type="surefoot_msgs/msg/MotionPlan", data=serialize_message(plan)))
    writer.close()
    story = BagStory(Bag(tmp_path / "stepped_into_nothing"))
    faults = [mark for mark in story.time_line.marks if mark.kind == "fault"]
    assert [(mark.time, mark.words) for mark in faults[:1]] == [(5.52, f"gait planner: {words}")]
    assert len(faults) == 2
    ears = PageEars(story.model.description, PageState(effort_limit=story.model.effort_limit))
    for entry in story.leading_to(6.0):
        ears.hear(entry.topic, read(KINDS[entry.topic], entry.data), math.inf)
    told = panel(ears.state, 0.0)
    assert told["bad"]
    assert words in told["why"]


def test_the_bag_of_another_robot_is_read_by_a_map(told_bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bag = Bag(told_bag)
    writer = BagWriter(tmp_path / "theirs", WriterSettings(keep_free=0))
    for topic in bag.topics.values():
        writer.add_topic(replace(topic, name=f"/dog{topic.name}"))
    for message in bag.messages():
        writer.write(message._replace(topic=f"/dog{message.topic}"))
    writer.close()
    names = {name: f"/dog{name}" for name in (*bag.topics, "/swing")}
    (tmp_path / "map.yaml").write_text(f"topics: {json.dumps(names)}\n")
    theirs = open_bag(tmp_path / "theirs", tmp_path / "map.yaml")
    story = BagStory(theirs)
    assert story.time_line == BagStory(bag).time_line
    assert any("the topic map names /dog/swing, which the bag does not have" in problem for problem in story.problems)
    assert [gave.reason for gave in of_kind(BagRun(theirs).story, VerdictGiven)] == ["tilt 3x", "tilt 3x"]
    for words in (["report", "--no-film"], ["view"]):
        assert main([*words, str(tmp_path / "theirs")]) == 2
        assert "it has: /dog/" in " ".join(capsys.readouterr().err.split())
        assert main([*words, str(tmp_path / "theirs"), "--map", str(tmp_path / "none.yaml")]) == 2
        assert "none.yaml" in "".join(capsys.readouterr().err.split())


def test_what_cannot_be_shown_is_refused_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = BagWriter(tmp_path / "empty", WriterSettings(keep_free=0))
    writer.close()
    assert main(["view", str(tmp_path / "empty")]) == 2
    assert "no /robot_state" in " ".join(capsys.readouterr().err.split())
    assert main(["view", str(tmp_path / "nothing")]) == 2
    assert "no such bag" in capsys.readouterr().err


@pytest.mark.parametrize("topic", ["/verdict", "/robot_state"])
def test_what_another_version_recorded_is_not_read_as_something_else(told_bag: Path, topic: str) -> None:
    bag = Bag(told_bag)
    bag.topics[topic] = replace(bag.topics[topic], hash="RIHS01_other")
    if topic == "/robot_state":
        with pytest.raises(BagError, match="another version of surefoot_msgs/msg/RobotState"):
            BagStory(bag)
        return
    story = BagStory(bag)
    assert [mark.kind for mark in story.time_line.marks] == ["request", "request", "fault"]
    assert any("/verdict was recorded with another version" in problem for problem in story.problems)


def test_nobody_is_commanded_from_a_recording(page: BagPage) -> None:
    from websockets.sync.client import connect

    with connect(f"ws://127.0.0.1:{page.page.port}/live", proxy=None) as socket:
        hello = json.loads(socket.recv(timeout=20))
        assert not hello["may_command"]
        assert hello["refusal"] == "This is a recording: there is nobody to command."
        assert len(hello["recording"]["marks"]) == 5
        socket.send(json.dumps({"kind": "request", "gait": "trot"}))
        while (message := json.loads(socket.recv(timeout=20)))["kind"] != "reply":
            pass
        assert (message["good"], message["words"]) == (False, hello["refusal"])

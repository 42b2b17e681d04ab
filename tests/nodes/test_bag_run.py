# SPDX-License-Identifier: Apache-2.0
"""A bag as a run: what the robot did and was told, and the same report as of any run."""

import re
from pathlib import Path

import numpy as np
import pytest

from surefoot.cli.app import main
from surefoot.evaluation.run import FILE_NAME, read_run
from surefoot.evaluation.story import GaitRequested, ModeChanged, VerdictGiven, of_kind
from surefoot.nodes.bag_run import BagRun
from surefoot.nodes.bag_story import BagStory
from surefoot.recording.reader import SECOND, Bag
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.model import RobotModel


def test_a_bag_is_a_run(told_bag: Path, hyq: RobotModel, tmp_path: Path) -> None:
    read = BagRun(Bag(told_bag))
    run = read.run
    assert (run.robot, len(run.time), run.ticks_without_command) == ("hyq", 501, 0)
    assert run.period == pytest.approx(0.02)
    np.testing.assert_allclose(run.joint_position[-1], hyq.neutral().joint_position)
    # One message after another, in steps of a nanosecond.
    np.testing.assert_allclose(run.command_latency, 2e-9, atol=1e-12)
    np.testing.assert_allclose(read.tracking.joint_error, -0.01, atol=1e-9)
    assert np.isnan(read.tracking.base_error).all(), "no plan was in it"
    assert [request.time for request in of_kind(read.story, GaitRequested)] == [3.0, 6.0]
    assert [verdict.accepted for verdict in of_kind(read.story, VerdictGiven)] == [False, True]
    assert [mode.mode for mode in of_kind(read.story, ModeChanged)] == ["FAULT"]
    read.write(tmp_path / "run")
    np.testing.assert_array_equal(read_run(tmp_path / "run" / FILE_NAME).base_position, run.base_position)


def test_after_a_restart_only_the_last_run_counts(told_bag: Path, tmp_path: Path) -> None:
    bag = Bag(told_bag)
    writer = BagWriter(tmp_path / "again", WriterSettings(keep_free=0))
    for topic in bag.topics.values():
        writer.add_topic(topic)
    messages = list(bag.messages())
    for message in messages:
        writer.write(message)
    # The same again, for five and a half seconds, but each command comes 5 ms later, and one in ten not at all.
    later = messages[-1].log_time + SECOND
    kept = [message for message in messages if message.log_time < messages[0].log_time + 0.3 * 5.5 * SECOND]
    for number, message in enumerate(message for message in kept if message.topic == "/joint_command"):
        if number % 10 == 0:
            kept.remove(message)
    moved = []
    for message in kept:
        time = message.log_time - messages[0].log_time + later + (5_000_000 if message.topic == "/joint_command" else 0)
        moved.append(message._replace(log_time=time, publish_time=time))
    for message in sorted(moved, key=lambda message: message.log_time):
        writer.write(message)
    writer.close()

    read = BagRun(Bag(tmp_path / "again"))
    assert (len(read.run.time), read.run.time[0], read.run.ticks_without_command) == (275, 1.0, 28)
    latency = read.run.command_latency
    np.testing.assert_allclose(latency[np.isfinite(latency)], 5e-3, atol=1e-6)
    assert np.isnan(latency).sum() == np.isnan(read.tracking.joint_error).all(axis=1).sum() == 28
    assert [request.time for request in of_kind(read.story, GaitRequested)] == [3.0]
    assert [verdict.accepted for verdict in of_kind(read.story, VerdictGiven)] == [False]
    assert list(of_kind(read.story, ModeChanged)) == []
    assert read.run.wall_seconds == pytest.approx(0.3 * 5.5, abs=0.01)
    assert any("2 runs" in words for words in read.problems)


def test_messages_that_are_cut_off_are_counted_and_the_rest_is_read(told_bag: Path, tmp_path: Path) -> None:
    bag = Bag(told_bag)
    writer = BagWriter(tmp_path / "cut", WriterSettings(keep_free=0))
    for topic in bag.topics.values():
        writer.add_topic(topic)
    for message in bag.messages():
        writer.write(message._replace(data=message.data[:20]) if message.topic == "/verdict" else message)
    writer.close()
    cut = Bag(tmp_path / "cut")
    run, story = BagRun(cut), BagStory(cut)
    assert (run.refused, story.refused) == (2, 2)
    assert any("2 messages cannot be read" in words for words in run.problems)
    assert len(run.run.time) == 501
    assert [mark.kind for mark in story.time_line.marks] == ["request", "request", "fault"]


def test_the_report_of_a_bag_is_one_file_like_any_other(told_bag: Path, tmp_path: Path) -> None:
    path = tmp_path / "made" / "report.html"
    assert main(["report", str(told_bag), "-o", str(path), "--no-film", "--pictures", str(tmp_path / "pictures")]) == 0
    text = path.read_text()
    assert text.count("data:image/png;base64,") == 5
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    for words in ("Joints and base against what was asked of them", "asked for trot while in walk", "vetoed: tilt 3x", "mode fault"):
        assert words in text, words
    # Nobody played a story: none of its steps is missing.
    assert "did not happen" not in text
    assert {"report.json", "overview.png", "tracking.png", "torques.png"} <= {file.name for file in (tmp_path / "pictures").iterdir()}


def test_a_bag_without_a_robot_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.mcap").write_bytes(b"")
    assert main(["report", str(tmp_path / "empty.mcap")]) == 2
    assert "is empty: nothing was recorded" in " ".join(capsys.readouterr().err.split())

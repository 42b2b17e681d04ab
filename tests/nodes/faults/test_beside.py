# SPDX-License-Identifier: Apache-2.0
"""What has to be whole after garbage, beside what a node says."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from surefoot_msgs.msg import RobotMode

from surefoot.evaluation.story import FILE_NAME, Said, StoryWriter
from surefoot.nodes.faults.beside import Narrator, Recorder, Simulator, View, Watched
from surefoot.recording.definitions import definition_of
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.simulation.robot import SimulatedRobot
from surefoot.terrain.world import World

MODE = "surefoot_msgs/msg/RobotMode"
MESSAGES = 500


@pytest.fixture
def node(tmp_path: Path) -> Any:
    """A recorder with a bag of several files that are full."""
    writer = BagWriter(tmp_path / "bag", WriterSettings(keep_free=0, split_bytes=2000, chunk_bytes=1000))
    writer.add_topic(Topic("/robot_mode", MODE, definition_of(MODE)[0]))
    generator = np.random.default_rng(0)
    for number in range(MESSAGES):
        # What is in a bag need not be a message.
        writer.write(RawMessage("/robot_mode", MODE, bytes(serialize_message(RobotMode())) + generator.bytes(40), number, number, number))
    writer.tend()
    background = SimpleNamespace(_writer=writer, received=Counter({"/robot_mode": MESSAGES + 7}), lost=Counter({"/robot_mode": 7}))
    return SimpleNamespace(_writer=background, at_end=writer.close)


def test_full_files_of_a_bag_are_read_and_removed_and_the_rest_at_the_end(node: Any, tmp_path: Path) -> None:
    recorder = Recorder()
    assert len(list(tmp_path.rglob("*.mcap"))) > 3
    assert recorder.broken(node, over=False) == ""
    assert len(list(tmp_path.rglob("*.mcap"))) == 1
    assert recorder.broken(node, over=True) == ""
    assert not list(tmp_path.rglob("*.mcap"))


def test_a_bag_that_lacks_what_was_kept_is_named(node: Any) -> None:
    node._writer.received["/robot_mode"] += 1
    assert Recorder().broken(node, over=True) == f"a bag of {MESSAGES} messages where {MESSAGES + 1} were kept"


def test_a_bag_that_is_spoilt_is_named(node: Any, tmp_path: Path) -> None:
    first = min(tmp_path.rglob("*_0.mcap"))
    data = bytearray(first.read_bytes())
    data[len(data) // 2] ^= 0xFF
    first.write_bytes(data)
    assert Recorder().broken(node, over=False).startswith("a bag")


def test_physics_that_had_to_begin_anew_are_named(hyq: RobotModel) -> None:
    node: Any = SimpleNamespace(_robot=SimulatedRobot(hyq, World(), seed=0))
    assert Simulator().broken(node, over=True) == ""
    zero = np.zeros(12)
    for _ in range(5):
        node._robot.step(JointCommand(0.0, zero, zero, zero + np.inf, zero, zero))
    assert "BADCTRL" in Simulator().broken(node, over=True)


def test_a_browser_is_told_json_and_somebody_always_looks() -> None:
    told: list[Any] = []
    part = Watched(SimpleNamespace(publish=told.append, watchers=0, port=5))
    assert (part.watchers, part.port) == (1, 5)
    part.publish({"a": 1.0})
    with pytest.raises(TypeError, match="JSON"):
        part.publish({"a": np.zeros(2)})
    assert told == [{"a": 1.0}]


def test_a_page_that_does_not_answer_is_named() -> None:
    gone: Any = SimpleNamespace(_page=SimpleNamespace(port=1))
    assert View().broken(gone, over=False).startswith("the page does not answer")


def test_a_story_that_cannot_be_read_is_named_and_what_was_read_is_removed(tmp_path: Path) -> None:
    narrator = Narrator()
    assert narrator.parameters(tmp_path) == {"record_directory": tmp_path}
    writer = StoryWriter(tmp_path / FILE_NAME)
    node: Any = SimpleNamespace(_writer=writer)
    for _ in range(2):
        writer.write(Said(time=1.0, text="he arms"))
        assert narrator.broken(node, over=False) == ""
        assert (tmp_path / FILE_NAME).read_text() == ""
    (tmp_path / FILE_NAME).write_text("no event\n")
    assert narrator.broken(node, over=False).startswith("a story that cannot be read")

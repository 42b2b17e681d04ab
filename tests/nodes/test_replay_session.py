# SPDX-License-Identifier: Apache-2.0
"""A replay leaves the process as it was."""

import struct
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rclpy.context import Context
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import RobotMode

from surefoot.errors import SurefootError
from surefoot.nodes import servo_bridge
from surefoot.nodes.replay.offline import apart, replay
from surefoot.nodes.replay.session import Session
from surefoot.nodes.replay.stand_ins import RecordedBus
from surefoot.recording.definitions import definition_of
from surefoot.recording.errors import BagError
from surefoot.recording.reader import Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

PLACES = ("BusDriver", "BridgeLock")


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    made = apart()
    yield made
    made.shutdown()


def bag_of(folder: Path, topic: str, kind: str, data: bytes, *more: tuple[Topic, bytes], hash: str = "") -> Bag:
    definition, own_hash = definition_of(kind)
    writer = BagWriter(folder, WriterSettings(keep_free=0))
    topics = ((Topic(topic, kind, definition, hash or own_hash), data), *more)
    for known, _ in topics:
        writer.add_topic(known)
    for k in range(3):
        for known, content in topics:
            writer.write(RawMessage(known.name, known.type, content, 10**18 + k * 10**6, 10**18 + k * 10**6))
    writer.close()
    return Bag(folder)


def originals() -> list[object]:
    return [getattr(servo_bridge, place) for place in PLACES]


def test_the_modules_of_replayed_nodes_are_restored(tmp_path: Path, context: Context) -> None:
    bag = bag_of(tmp_path / "bag", "/joint_states", "sensor_msgs/msg/JointState", serialize_message(JointState()))
    before = originals()
    assert RecordedBus not in before
    with closing(Session(bag, ("servo_bridge",), context, lambda *_: None)) as session:
        assert servo_bridge.BusDriver is RecordedBus
        session.build()
        assert servo_bridge.BusDriver is RecordedBus
    assert originals() == before
    replay(bag, ("servo_bridge",), context=context)
    assert originals() == before
    assert getattr(servo_bridge, "time", time) is time


OTHER = "RIHS01_" + "0" * 64
"""The hash of a type that is not installed here."""


def test_what_nodes_hear_has_to_be_of_the_types_that_they_know(tmp_path: Path, context: Context) -> None:
    joints = "sensor_msgs/msg/JointState"
    bag = bag_of(tmp_path / "version", "/joint_states", joints, serialize_message(JointState()), hash=OTHER)
    with pytest.raises(BagError, match=f"/joint_states was recorded with another version of {joints}; use the version"):
        replay(bag, ("servo_bridge",), context=context)
    bag = bag_of(tmp_path / "type", "/joint_states", "geometry_msgs/msg/Vector3", b"\x00\x01\x00\x00" + bytes(24))
    with pytest.raises(BagError, match=f"/joint_states is of the type geometry_msgs/msg/Vector3, not {joints}"):
        replay(bag, ("servo_bridge",), context=context)


def test_outputs_of_another_version_are_not_compared_and_not_called_the_same(tmp_path: Path, context: Context) -> None:
    kind = "surefoot_msgs/msg/RobotMode"
    mode = Topic("/robot_mode", kind, definition_of(kind)[0], OTHER), serialize_message(RobotMode())
    bag = bag_of(tmp_path / "bag", "/joint_states", "sensor_msgs/msg/JointState", serialize_message(JointState()), mode)
    result = replay(bag, ("servo_bridge",), context=context)
    assert result.verdicts == ()
    assert not result.identical
    (words,) = result.not_compared
    assert words.startswith(f"/robot_mode was recorded with another version of {kind}")


def test_they_are_restored_where_a_replay_is_refused(tmp_path: Path, context: Context) -> None:
    bag = bag_of(tmp_path / "bag", "/vector", "geometry_msgs/msg/Vector3", b"\x00\x01\x00\x00" + struct.pack("<3d", 1.0, 2.0, 3.0))
    before = originals()
    for changes in (None, {"servo_bridge": {"no_such_parameter": 1}}):
        with pytest.raises(SurefootError):
            Session(bag, ("servo_bridge",), context, lambda *_: None, changes)
        assert originals() == before

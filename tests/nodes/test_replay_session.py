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

from surefoot.errors import SurefootError
from surefoot.nodes import servo_bridge
from surefoot.nodes.replay.offline import apart, replay
from surefoot.nodes.replay.session import Session
from surefoot.nodes.replay.stand_ins import RecordedBus
from surefoot.recording.definitions import definition_of
from surefoot.recording.reader import Bag
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

PLACES = ("BusDriver", "BridgeLock")


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    made = apart()
    yield made
    made.shutdown()


def bag_of(folder: Path, topic: str, kind: str, data: bytes) -> Bag:
    writer = BagWriter(folder, WriterSettings(keep_free=0))
    writer.add_topic(Topic(topic, kind, *definition_of(kind)))
    for k in range(3):
        writer.write(RawMessage(topic, kind, data, 10**18 + k * 10**6, 10**18 + k * 10**6))
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


def test_they_are_restored_where_a_replay_is_refused(tmp_path: Path, context: Context) -> None:
    bag = bag_of(tmp_path / "bag", "/vector", "geometry_msgs/msg/Vector3", b"\x00\x01\x00\x00" + struct.pack("<3d", 1.0, 2.0, 3.0))
    before = originals()
    for changes in (None, {"servo_bridge": {"no_such_parameter": 1}}):
        with pytest.raises(SurefootError):
            Session(bag, ("servo_bridge",), context, lambda *_: None, changes)
        assert originals() == before

# SPDX-License-Identifier: Apache-2.0
"""What is read from a bag is what the middleware would read."""

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser.definition import AbstractSequence, Array, BasicType, NamespacedType, UnboundedString
from sensor_msgs.msg import Imu, JointState, PointCloud2
from std_msgs.msg import ByteMultiArray, Empty
from surefoot_msgs.msg import OperatorCommand, RobotState, Verdict

from surefoot.nodes import quick_read
from surefoot.nodes.quick_read import read_message
from surefoot.nodes.replay.canonical import canonical
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class

TEXTS = ("", "hyq", "base_link", "a rather long reason, with a °", "lf_haa")
KINDS = sorted({topic.type for topic in STACK_TOPICS.values()} | {"sensor_msgs/msg/PointCloud2", "visualization_msgs/msg/MarkerArray"})


def random_value(described: Any, random: np.random.Generator) -> Any:
    if isinstance(described, BasicType):
        if described.typename == "boolean":
            return bool(random.integers(2))
        if described.typename in ("float", "double"):
            return float(np.float32(random.choice([random.normal(), 0.0, -0.0, np.nan, np.inf, 1e-30])))
        number = int(random.integers(0, 120))
        return bytes((number,)) if described.typename == "octet" else number
    if isinstance(described, UnboundedString):
        return str(random.choice(TEXTS))
    if isinstance(described, NamespacedType):
        return random_message(quick_read._class_of(described), random)
    if isinstance(described, Array):
        return [random_value(described.value_type, random) for _ in range(described.size)]
    assert isinstance(described, AbstractSequence)
    return [random_value(described.value_type, random) for _ in range(random.integers(0, getattr(described, "maximum_size", 4) + 1))]


def random_message(kind: Any, random: np.random.Generator) -> Any:
    message = kind()
    for name, described in zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True):
        value = random_value(described, random)
        before = getattr(message, name)
        if isinstance(before, np.ndarray):
            value = np.array(value, before.dtype)
        setattr(message, name, value)
    return message


def values_in(message: Any) -> Iterator[Any]:
    """Every value of a message, parts and lists among them."""
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        yield value
        for part in [value, *value] if isinstance(value, list) else [value]:
            if hasattr(part, "get_fields_and_field_types"):
                yield from values_in(part)


@pytest.mark.parametrize("name", KINDS)
def test_every_value_is_that_of_the_middleware_and_of_its_type(name: str) -> None:
    kind, random = message_class(name), np.random.default_rng(0)
    for _ in range(30):
        data = serialize_message(random_message(kind, random))
        ours, theirs = read_message(data, kind), deserialize_message(data, kind)
        assert type(ours) is type(theirs) is kind
        assert canonical(ours) == canonical(theirs)
        for here, there in zip(values_in(ours), values_in(theirs), strict=True):
            assert type(here) is type(there)
            assert getattr(here, "dtype", None) == getattr(there, "dtype", None)
            assert getattr(here, "typecode", None) == getattr(there, "typecode", None)
        # What was read can be said again.
        assert canonical(deserialize_message(serialize_message(ours), kind)) == canonical(theirs)


def test_none_of_the_topics_of_the_stack_is_left_to_the_middleware() -> None:
    for name in KINDS:
        kind = message_class(name)
        read_message(serialize_message(kind()), kind)
        assert quick_read._READERS[kind] is not None, name


@pytest.mark.parametrize("kind", [JointState, Imu, RobotState, OperatorCommand, Verdict, PointCloud2])
def test_what_is_cut_off_is_refused_in_the_words_of_the_middleware(kind: Any) -> None:
    data = serialize_message(random_message(kind, np.random.default_rng(1)))
    for length in range(4, len(data)):
        answers = []
        for read in (read_message, deserialize_message):
            try:
                answers.append(canonical(read(data[:length], kind)))
            except RuntimeError as error:
                answers.append(str(error).encode())
        assert answers[0] == answers[1], length


def test_a_message_is_its_own_though_the_next_one_has_the_same_names() -> None:
    data = serialize_message(JointState(name=["a", "b"], position=[1.0, 2.0]))
    first, second = read_message(data, JointState), read_message(data, JointState)
    first.name.append("c")
    first.position[0] = 5.0
    assert second.name == ["a", "b"]
    assert second.position == array("d", (1.0, 2.0))
    assert read_message(data, JointState).name == ["a", "b"]
    imu = read_message(serialize_message(Imu()), Imu)
    imu.orientation_covariance[0] = 1.0


def test_what_it_does_not_understand_the_middleware_reads() -> None:
    assert read_message(serialize_message(Empty()), Empty) == Empty()
    assert read_message(serialize_message(ByteMultiArray(data=[b"\1", b"\2"])), ByteMultiArray).data == [b"\1", b"\2"]
    with pytest.raises(RuntimeError):
        read_message(b"", JointState)


def test_names_of_any_length_follow_each_other() -> None:
    """What is remembered of the message before is used only where the next one has the very same bytes."""
    random = np.random.default_rng(5)
    for message in islice(iter(lambda: random_message(RobotState, random), None), 100):
        data = serialize_message(message)
        assert canonical(read_message(data, RobotState)) == canonical(deserialize_message(data, RobotState))

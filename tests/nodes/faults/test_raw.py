# SPDX-License-Identifier: Apache-2.0
"""Messages of which some bytes are others."""

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState, Joy
from std_msgs.msg import String
from surefoot_msgs.msg import RobotState

from surefoot.nodes.faults.by_itself import read
from surefoot.nodes.faults.raw import Places, with_other_bytes, with_other_numbers


def test_some_can_be_read_and_some_cannot_and_the_same_seed_gives_the_same() -> None:
    sound = JointState(name=["a", "b"], position=[1.0, 2.0], velocity=[0.5, 0.25])
    data = bytes(serialize_message(sound))
    made, again = ([with_other_bytes(data, generator) for _ in range(500)] for generator in map(np.random.default_rng, (3, 3)))
    assert made == again
    messages = [read(JointState, one) for one in made]
    there = [message for message in messages if message is not None]
    assert 50 < len(there) < 500
    assert sum(message != sound for message in there) > 40
    assert any(np.isnan(message.position).any() for message in there), "numbers that are none"
    assert any(message.name and message.name != sound.name for message in there), "names that nobody has"


def test_the_shortest_there_is_does_no_harm() -> None:
    for data in (b"\x00\x01\x00\x00", b"\x00\x01\x00\x00\x01"):
        for seed in range(20):
            made = with_other_bytes(data, np.random.default_rng(seed))
            # What says how to read it stays, unless the end is cut off so early.
            assert data[:4].startswith(made[:4])
            assert len(made) < len(data) + 64


def test_other_numbers_stand_where_numbers_stood_and_the_rest_is_as_it_was() -> None:
    sound = RobotState(joint_names=["abc", "b"], joint_position=[1.0, 2.0], valid=True, foot_names=["x"])
    sound.base_position[1] = 0.5
    data = bytes(serialize_message(sound))
    places, generator = Places.of(data, RobotState), np.random.default_rng(1)
    assert places.stamped
    assert places.doubles.size == 3 + 4 + 3 + 3 + 36 + 36 + 2
    stamps, changed = set(), np.zeros(2, bool)
    for _ in range(400):
        made = deserialize_message(with_other_numbers(data, places, generator), RobotState)
        assert (list(made.joint_names), list(made.foot_names), made.valid) == (["abc", "b"], ["x"], True)
        stamps.add((made.header.stamp.sec, made.header.stamp.nanosec))
        changed |= np.array([made.base_position[1] != 0.5, made.joint_position[1] != 2.0])
    assert changed.all()
    assert 10 < len(stamps) < 100


def test_those_of_single_precision_too_and_none_where_there_are_none() -> None:
    joy = bytes(serialize_message(Joy(axes=[0.25, 0.5, 1.0], buttons=[1, 0])))
    places = Places.of(joy, Joy)
    assert (places.singles.size, places.doubles.size, places.any) == (3, 0, True)
    made = deserialize_message(with_other_numbers(joy, places, np.random.default_rng(2)), Joy)
    assert list(made.axes) != [0.25, 0.5, 1.0]
    assert list(made.buttons) == [1, 0]
    assert not Places.of(bytes(serialize_message(String(data="walk"))), String).any

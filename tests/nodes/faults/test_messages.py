# SPDX-License-Identifier: Apache-2.0
from copy import deepcopy

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import OperatorCommand

from surefoot.evaluation.faults.loop import INTERFACES
from surefoot.nodes.faults.messages import SAID_FIRST, WRONG_NUMBERS, falsifier, garbled, spoiler, stamp_in, with_stamp
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.recording.fields import flat


@pytest.mark.parametrize("name", INTERFACES)
def test_every_interface_can_be_spoilt_and_falsified_and_keeps_its_stamp(name: str) -> None:
    kind = message_class(STACK_TOPICS[f"/{name}"].type)
    message = kind()
    for field, type_name in message.get_fields_and_field_types().items():
        if type_name == "sequence<double>":
            setattr(message, field, [1.0, 2.0])
        elif type_name == "sequence<geometry_msgs/Vector3>":
            setattr(message, field, [message_class("geometry_msgs/msg/Vector3")(x=1.0)])
    data = with_stamp(bytes(serialize_message(message)), 12.004)
    assert stamp_in(data) == pytest.approx(12.004, abs=1e-9)
    before = flat(deserialize_message(data, kind))
    spoilt = flat(deserialize_message(spoiler(kind)(data, np.random.default_rng(0)), kind))
    wrong = flat(deserialize_message(falsifier(kind)(data), kind))
    numbers = [path for path, value in before.items() if isinstance(value, float)]
    assert numbers
    assert not any(abs(spoilt[path]) < 1e30 for path in numbers), "none of them is a number that means anything"
    changed = [path for path in before if wrong[path] != before[path]]
    field = WRONG_NUMBERS.get(kind.__name__, (SAID_FIRST.get(kind.__name__),))[0]
    assert changed
    assert all(path.startswith(str(field)) for path in changed)
    for after in (spoilt, wrong):
        assert after["header.stamp.sec"] == 12


def test_a_spoilt_request_is_one_that_means_nothing() -> None:
    data = bytes(serialize_message(OperatorCommand(request=OperatorCommand.STAND)))
    assert deserialize_message(spoiler(OperatorCommand)(data, np.random.default_rng(0)), OperatorCommand).request >= 100
    assert deserialize_message(falsifier(OperatorCommand)(data), OperatorCommand).request == 77


def test_a_stamp_before_the_beginning_can_be_written() -> None:
    data = bytes(serialize_message(OperatorCommand()))
    assert stamp_in(with_stamp(data, -5.75)) == pytest.approx(-5.75)


def test_garbage_is_a_message_of_the_same_kind_and_the_sound_one_stays_as_it_was() -> None:
    sound = JointState(name=["a", "b"], position=[1.0, 2.0], velocity=[0.0, 0.0])
    sound.header.stamp.sec = 7
    before, generator = deepcopy(sound), np.random.default_rng(1)
    made = [garbled(sound, generator) for _ in range(300)]
    # Not as bytes: those between its fields are whatever was in memory.
    assert sound == before
    for message in made:
        deserialize_message(serialize_message(message), JointState)
    assert any(not np.isfinite(message.position).all() for message in made)
    assert {len(message.position) for message in made} >= {0, 1, 2, 4}
    assert any(message.header.stamp.sec > 8 for message in made)
    assert any(message.header.stamp.sec < 6 for message in made)

# SPDX-License-Identifier: Apache-2.0
"""JointCommand there and back."""

import random

import numpy as np
import pytest
from surefoot_msgs.msg import ServoCommand

from surefoot.errors import SensorError
from surefoot.nodes.conversions.command import CommandReader, idle_command, message_of_command
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel

ARRAYS = ("position", "velocity", "effort", "stiffness", "damping")


def command() -> JointCommand:
    generator = np.random.default_rng(3)
    return JointCommand(1.234, *(generator.normal(size=12) for _ in ARRAYS), remarks=("2 torques clamped to their limits",))


def shuffled(message: ServoCommand) -> ServoCommand:
    places = random.Random(5).sample(range(12), 12)
    message.joint_names = [message.joint_names[place] for place in places]
    for name in ARRAYS:
        setattr(message, name, [getattr(message, name)[place] for place in places])
    return message


@pytest.mark.parametrize("change", [lambda message: message, shuffled], ids=["as_sent", "shuffled"])
def test_comes_back_by_name(hyq: RobotModel, change: object) -> None:
    sent = command()
    message = message_of_command(sent, hyq.description, "test")
    read = CommandReader(hyq.description).read(change(message))  # type: ignore[operator]
    assert read is not None
    assert (read.time, read.remarks) == (sent.time, sent.remarks)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(read, name), getattr(sent, name))


def test_one_that_asks_for_nothing_carries_its_stamp_only(hyq: RobotModel) -> None:
    message = idle_command(2.5, "test")
    assert (message.header.stamp.sec, message.header.stamp.nanosec, message.source) == (2, 500_000_000, "test")
    assert CommandReader(hyq.description).read(message) is None


def test_joints_of_another_robot_are_refused(hyq: RobotModel) -> None:
    message = message_of_command(command(), hyq.description, "test")
    message.joint_names[3] = "tail_joint"
    with pytest.raises(SensorError, match=r"joint names are .*tail_joint.*needed are"):
        CommandReader(hyq.description).read(message)
    message.joint_names = []
    with pytest.raises(SensorError, match="joint names are none"):
        CommandReader(hyq.description).read(message)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("count", [0, 11, 13])
def test_a_wrong_number_of_values_is_refused(hyq: RobotModel, name: str, count: int) -> None:
    message = message_of_command(command(), hyq.description, "test")
    setattr(message, name, [0.0] * count)
    with pytest.raises(SensorError, match=f"{name}: {count} values for 12 names"):
        CommandReader(hyq.description).read(message)

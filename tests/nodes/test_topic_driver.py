# SPDX-License-Identifier: Apache-2.0
"""What carries the topics of somebody else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.tick_clock import TickClock
from surefoot.nodes.topic_driver import TopicDriver
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel

Told = dict[str, list[Any]]


@pytest.fixture
def robot(hyq: RobotModel, tmp_path: Path) -> Callable[[str], tuple[TopicDriver, Told, list[float]]]:
    """A driver of outputs in YAML, what it publishes by topic, and the clock of the wall."""

    def opened(outputs: str) -> tuple[TopicDriver, Told, list[float]]:
        file, told, now = tmp_path / "bus.yaml", dict[str, list[Any]](), [0.0]
        file.write_text(f"outputs: {outputs}")
        node = MagicMock(model=hyq, slow_motion=1.0, wall=lambda: now[0])

        def publisher(_: type, topic: str, __: object) -> Any:
            told[topic] = []
            return MagicMock(publish=told[topic].append)

        node.create_publisher = publisher
        return TopicDriver(node, str(file), lambda _: None), told, now

    return opened


def hear(driver: TopicDriver, names: Any, stamp: float, position: float, velocity: float) -> None:
    message = JointState(name=list(names), position=[position] * len(names), velocity=[velocity] * len(names))
    message.header.stamp = stamp_of(stamp)
    driver._hear(message)


def damped(damping: float = 0.0) -> JointCommand:
    return JointCommand.damped(0.0, np.zeros(12), damping)


def held(position: float) -> JointCommand:
    one = np.ones(12)
    return JointCommand(0.0, position * one, 0.0 * one, 0.0 * one, 50.0 * one, 5.0 * one)


def test_silence_is_told_often_enough_to_grow_old_in_time(hyq: RobotModel) -> None:
    given, now = list[Any](), [10.0]
    node = MagicMock(model=hyq, slow_motion=1.0, wall=lambda: now[0])
    driver = TopicDriver(node, "hyq_gazebo", given.append)
    (every, watch), _ = node.create_timer.call_args
    period = 1.0 / hyq.description.control.rate
    clock = TickClock(2.0 * period, 0.05)  # that of the bridge
    clock.look(100.0, now[0])
    while now[0] < 10.06:
        now[0] += every
        watch()
        if given:
            age = clock.look(None, now[0]) - 100.0
    assert set(given) == {None}
    # By the clock of the bridge the silence is as old as it is, but for the first two looks.
    assert age > now[0] - 10.0 - 3.0 * every
    assert driver.health().problem.startswith("nothing on /joint_states for 0.0")


@pytest.mark.parametrize(
    ("message", "topic", "position_of"),
    [
        ("array", "/c", lambda said: said.data[0]),
        ("joint_state", "/c", lambda said: said.position[0]),
        ("number", "/lf_haa_joint", lambda said: said.data),
    ],
)
def test_a_position_that_nobody_measured_is_not_sent(robot: Any, hyq: RobotModel, message: str, topic: str, position_of: Any) -> None:
    address = "/{joint}" if message == "number" else topic
    driver, told, now = robot(f'[{{topic: "{address}", message: {message}, interfaces: [position]}}]')
    driver.write(damped())
    driver.write(damped(8.0))
    hear(driver, hyq.joint_names, 10.0, 0.5, 0.0)
    driver.write(damped(8.0))
    assert not any(told.values()), "nobody is to move yet"
    driver.write(held(0.6))
    now[0] = 0.004
    hear(driver, hyq.joint_names, 10.004, 0.52, 0.0)
    driver.write(damped(8.0))
    # The clock goes back, and half of the robot is silent at its end.
    hear(driver, hyq.joint_names[6:], 5.0, 0.3, 0.0)
    driver.write(damped(8.0))
    driver.close(damped(8.0))
    assert [position_of(said) for said in told[topic]] == [0.6, 0.52, 0.52, 0.52]


def test_what_is_no_position_is_sent_though_none_is_known(robot: Any) -> None:
    driver, told, _ = robot(
        "[{topic: /p, message: array, interfaces: [position]}, {topic: /k, message: array, interfaces: [stiffness, damping]}]"
    )
    driver.write(damped(8.0))
    assert not told["/p"]
    assert list(told["/k"][0].data) == [0.0] * 12 + [8.0] * 12


@pytest.mark.parametrize("back", [0.02, 0.8, 3.0])
def test_no_torque_is_made_of_a_speed_from_before_the_clock_went_back(robot: Any, hyq: RobotModel, back: float) -> None:
    driver, told, now = robot("[{topic: /t, message: array, interfaces: [torque]}]")
    hear(driver, hyq.joint_names, 100.0, 0.5, 3.0)
    driver.write(damped(20.0))
    for tick in range(1, 250):
        now[0] = 0.004 * tick
        hear(driver, hyq.joint_names, 100.0 - back + now[0], 0.5, -1.0)
        driver.write(damped(20.0))
    torques = np.array([said.data for said in told["/t"]])
    np.testing.assert_allclose(torques[0], -60.0)
    np.testing.assert_allclose(torques[1:], 20.0)


def test_joints_of_somebody_else_set_no_clock(robot: Any, hyq: RobotModel) -> None:
    driver, told, now = robot("[{topic: /t, message: array, interfaces: [torque]}]")
    hear(driver, hyq.joint_names, 100.0, 0.5, 3.0)
    for now[0], stamp in ((0.01, 50.0), (0.02, 100.0), (0.06, 100.0)):
        hear(driver, ["gripper"], stamp, 0.0, 0.0)
        driver.write(damped(20.0))
    assert [said.data[0] for said in told["/t"]] == [-60.0, -60.0, 0.0], "what is known is too old"


@pytest.mark.parametrize("again", [(100.0,), (100.0, 99.996)])
def test_no_torque_is_made_of_what_is_said_again_and_again(robot: Any, hyq: RobotModel, again: tuple[float, ...]) -> None:
    driver, told, now = robot("[{topic: /t, message: array, interfaces: [torque]}]")
    for tick in range(60):
        now[0] = 0.004 * tick
        hear(driver, hyq.joint_names, again[tick % len(again)], 0.5, 3.0)
        driver.write(damped(20.0))
    torques = np.array([said.data[0] for said in told["/t"]])
    # stale_after of a bus file is 0.05 s.
    np.testing.assert_allclose(torques[:12], -60.0)
    np.testing.assert_allclose(torques[14:], 0.0)


def test_a_driver_says_which_topics_the_robot_has(robot: Any) -> None:
    driver, _, _ = robot('[{topic: "/{joint}/cmd", message: number, interfaces: [torque]}]')
    assert driver.topics[:2] == ("/joint_states", "/lf_haa_joint/cmd")
    assert len(driver.topics) == 13

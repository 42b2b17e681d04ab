# SPDX-License-Identifier: Apache-2.0
"""Buttons that nobody hears, and a pad that nobody started: case 24."""

import os
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import OperatorCommand, RobotMode

from surefoot.nodes import quality, unheard
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.unheard import Unheard
from surefoot.teleop.layout import read_layout
from surefoot.teleop.writer import pad_message

LONGEST = 60.0  # s


@pytest.fixture
def executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SingleThreadedExecutor]:
    monkeypatch.setenv("HOME", str(tmp_path))
    arguments = ["--ros-args", "-p", "lockstep:=false"]
    rclpy.init(args=arguments, domain_id=61 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    yield SingleThreadedExecutor()
    rclpy.try_shutdown()


def spin_until(executor: SingleThreadedExecutor, condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline
        executor.spin_once(timeout_sec=0.02)


def test_it_is_said_once_that_nobody_listens_and_again_when_who_did_is_gone(
    executor: SingleThreadedExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unheard, "PATIENCE", -1.0)
    monkeypatch.setenv("ROS_DOMAIN_ID", "42")
    speaker, other, said = Node("speaker"), Node("recorder"), list[str]()
    speaker.create_publisher(Joy, "/joy", QoSProfile(depth=1))
    other.create_subscription(Joy, "/joy", lambda _: None, QoSProfile(depth=1))
    watch = Unheard(speaker, "/joy", "teleop", said.append)
    executor.add_node(speaker)
    # A recorder that listens drives no robot.
    spin_until(executor, lambda: said)
    for _ in range(3):
        watch.look()
    assert said == ["nobody hears /joy: no node teleop runs in ROS domain 42; start one, with ./surefoot launch sim for instance"]
    listener = Node("teleop")
    listener.create_subscription(Joy, "/joy", lambda _: None, QoSProfile(depth=1))
    spin_until(executor, lambda: any(one.node_name == "teleop" for one in speaker.get_subscriptions_info_by_topic("/joy")))
    watch.look()
    assert len(said) == 1
    listener.destroy_node()
    spin_until(executor, lambda: watch.look() or len(said) == 2)


def test_a_pad_of_somebody_else_is_heard_and_without_any_it_is_said_how_to_start_one(executor: SingleThreadedExecutor) -> None:
    """As `launch sim` without gamepad:=true: nothing here reads a pad, whatever comes on /joy counts."""
    from surefoot.nodes.teleop import TeleopNode

    teleop, robot, commands = TeleopNode(), Node("robot"), list[OperatorCommand]()
    modes = robot.create_publisher(RobotMode, "/robot_mode", quality.command(False))
    pads = robot.create_publisher(Joy, "/joy", QoSProfile(depth=10))
    robot.create_subscription(OperatorCommand, "/operator_command", commands.append, quality.operator(False))
    layout = read_layout(Path(__file__).parents[2] / "config" / "gamepads", "xbox")
    presses: dict[str, bool] = {}
    ticks = count()

    def tick() -> None:
        mode = RobotMode(mode=RobotMode.OFF)
        mode.header.stamp = stamp_of(time.monotonic())
        modes.publish(mode)
        if presses:
            # A press may be lost: it comes again and again.
            down = presses["arm"] and next(ticks) % 40 < 20
            message = pad_message(layout, {}, {"start"} if down else set())
            pads.publish(Joy(axes=message.axes, buttons=message.buttons))

    robot.create_timer(0.01, tick)
    for node in (teleop, robot):
        executor.add_node(node)
    spin_until(executor, lambda: commands)
    assert not commands[-1].present
    assert teleop._ask("trot", None, "") == (
        0, "gait 'trot' dropped: the operator is absent: no gamepad: no message of it has come; launch with gamepad:=true, or start "
        "./surefoot drive",
    )  # fmt: skip
    presses["arm"] = False
    spin_until(executor, lambda: "dead-man" in teleop._ask("trot", None, "")[1])
    presses["arm"] = True
    spin_until(executor, lambda: any(command.request == OperatorCommand.ARM for command in commands))

# SPDX-License-Identifier: Apache-2.0
"""The nodes of the operator's side over real DDS, with a pad that exists in SDL only."""

import os
import time
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

import pytest
import rclpy
from neighbours import neighbour
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import GaitStatus, OperatorCommand, RobotMode

from surefoot.nodes import quality
from surefoot.nodes.conversions.common import stamp_of

PATIENCE = 60.0  # s

pytestmark = pytest.mark.skipif(util.find_spec("sdl2") is None, reason="PySDL2 is not installed")


class Desk:
    """Gamepad node and teleop node in this process, and a robot that only says its mode."""

    def __init__(self) -> None:
        from surefoot.nodes.gamepad import GamepadNode
        from surefoot.nodes.teleop import TeleopNode

        self.robot = Node("robot")
        self.joys: list[Joy] = []
        self.commands: list[OperatorCommand] = []
        self.mode, self.status = RobotMode.OFF, GaitStatus(gait="trot")
        self._modes = self.robot.create_publisher(RobotMode, "/robot_mode", quality.command(False))
        self.statuses = self.robot.create_publisher(GaitStatus, "/gait_status", quality.EVENT)
        self.robot.create_subscription(Joy, "/joy", self.joys.append, QoSProfile(depth=1000))
        self.robot.create_subscription(OperatorCommand, "/operator_command", self.commands.append, quality.operator(False))
        self.robot.create_timer(0.01, self._tick)
        self.executor = SingleThreadedExecutor()
        self.nodes = [self.robot, GamepadNode(), TeleopNode()]
        for node in self.nodes:
            self.executor.add_node(node)

    def _tick(self) -> None:
        mode = RobotMode(mode=self.mode)
        mode.header.stamp = stamp_of(time.monotonic())
        self._modes.publish(mode)

    def until(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, f"gave up; last command: {self.commands[-1:]}; last joy: {self.joys[-1:]}"
            self.executor.spin_once(timeout_sec=0.02)
        return value

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def asked_for(self, request: int) -> bool:
        return any(command.request == request for command in self.commands)


@pytest.fixture
def pad(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    module = neighbour("teleop/virtual_pads.py")
    virtual = module.VirtualPad(module.PS5, "mine")
    yield virtual
    virtual.unplug()


@pytest.fixture
def desk(pad: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("HOME", str(tmp_path))
    arguments = ["--ros-args", "-p", "lockstep:=false"]
    rclpy.init(args=arguments, domain_id=81 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    desk = Desk()
    yield desk
    desk.nodes[1].at_end()
    rclpy.try_shutdown()


def test_its_end_is_said_more_than_once(desk: Desk) -> None:
    desk.until(lambda: desk.joys and desk.joys[-1].axes)
    desk.nodes[1].at_end()
    desk.wait(1.0)
    assert sum(1 for joy in desk.joys if not joy.axes) >= 3


def test_it_drives_tunes_hears_a_veto_and_stops_when_it_is_pulled_out(pad: Any, desk: Desk) -> None:
    desk.until(lambda: desk.joys and desk.commands)
    assert desk.joys[-1].header.frame_id == "ps5"
    desk.wait(0.3)
    pad.button("start", True)
    desk.until(lambda: desk.asked_for(OperatorCommand.ARM))
    pad.button("start", False)
    desk.mode = RobotMode.WALKING
    desk.statuses.publish(desk.status)
    pad.button("left_bumper", True)
    pad.axis("left_y", -32768)
    desk.until(lambda: desk.commands[-1].twist.linear.x > 0.3)
    assert desk.commands[-1].present

    for name in ("left_stick", "right_stick"):
        pad.button(name, True)
    desk.wait(0.2)
    for name in ("left_stick", "right_stick"):
        pad.button(name, False)
    for name in ("dpad_right", "a"):
        desk.wait(0.2)
        pad.button(name, True)
        desk.wait(0.2)
        pad.button(name, False)
    command = desk.until(lambda: next((c for c in desk.commands if c.own_gait), None))
    assert (command.gait, command.gait_request_id) == ("trot #1", 1)
    assert command.own_gait[0].period > 0.5
    assert desk.commands[-1].present
    veto = GaitStatus(gait="trot", request_state=GaitStatus.VETOED, request_id=1, requested_gait="trot #1", reason="ice")
    veto.header.stamp = stamp_of(time.monotonic())
    desk.statuses.publish(veto)
    desk.wait(0.3)
    assert "vetoed (ice)" in str(desk.nodes[2]._page.editor.log[-1])

    before = len(desk.commands)
    pad.unplug()
    desk.until(lambda: desk.joys and not desk.joys[-1].axes and not desk.joys[-1].buttons)
    desk.until(lambda: not desk.commands[-1].present)
    assert len(desk.commands) - before < 100
    after = len(desk.commands)
    heard = len(desk.joys)
    desk.wait(1.5)
    assert all(not command.present and command.twist.linear.x == 0.0 for command in desk.commands[after:])
    assert 2 <= sum(1 for joy in desk.joys if not joy.axes) <= 11
    assert len(desk.joys) - heard <= 10

    pad.plug()
    pad.button("left_bumper", True)
    desk.until(lambda: desk.joys[-1].axes)
    pad.axis("left_y", -32768)
    desk.wait(0.5)
    assert not desk.commands[-1].present
    pad.axis("left_y", 0)
    desk.wait(0.2)
    pad.button("start", True)
    desk.wait(0.2)
    pad.axis("left_y", -32768)
    desk.until(lambda: desk.commands[-1].twist.linear.x > 0.1)

# SPDX-License-Identifier: Apache-2.0
"""The teleop node over real DDS, with a pad and a robot that only speak."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from surefoot_msgs.msg import GaitRequest, OperatorCommand, RobotMode

from surefoot.gait.of_robot import gaits_of
from surefoot.nodes import quality
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.conversions.gait import gait_of, message_of_gait
from surefoot.robot.model import RobotModel
from surefoot.teleop.layout import read_layout
from surefoot.teleop.writer import pad_message

PATIENCE = 60.0  # s
LAYOUT = read_layout(Path(__file__).parents[2] / "config" / "gamepads", "keyboard")


class Desk:
    """A teleop node in this process; somebody holds the dead-man switch of a pad that names its layout."""

    def __init__(self) -> None:
        from surefoot.nodes.teleop import TeleopNode

        self.node, self.held, self.posture, self.age = Node("desk"), {"dead_man"}, 0.0, 0.0
        self.commands: list[OperatorCommand] = []
        self._modes = self.node.create_publisher(RobotMode, "/robot_mode", quality.command(False))
        self._joy = self.node.create_publisher(Joy, "/joy", QoSProfile(depth=10))
        self.node.create_subscription(OperatorCommand, "/operator_command", self.commands.append, quality.operator(False))
        self.node.create_timer(0.02, self._tick)
        self.teleop = TeleopNode()
        self._executor = SingleThreadedExecutor()
        for node in (self.node, self.teleop):
            self._executor.add_node(node)

    def _tick(self) -> None:
        mode = RobotMode(mode=RobotMode.WALKING)
        mode.header.stamp = stamp_of(time.monotonic())
        self._modes.publish(mode)
        message = pad_message(LAYOUT, {"height": self.posture}, self.held)
        joy = Joy(axes=message.axes, buttons=message.buttons)
        joy.header.stamp, joy.header.frame_id = stamp_of(time.time() - self.age), "keyboard"
        self._joy.publish(joy)

    def until(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, f"gave up; last command: {self.commands[-1:]}"
            self._executor.spin_once(timeout_sec=0.02)
        return value


@pytest.fixture(params=[True, False], ids=["stamped", "plain"])
def desk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("HOME", str(tmp_path))
    arguments = ["--ros-args", "-p", "lockstep:=false", "-p", f"cmd_vel_stamped:={str(request.param).lower()}"]
    rclpy.init(args=arguments, domain_id=121 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    made = Desk()
    kind = TwistStamped if request.param else Twist
    made.velocities = made.node.create_publisher(kind, "/cmd_vel", QoSProfile(depth=10))  # type: ignore[attr-defined]
    yield made
    rclpy.try_shutdown()


def test_velocities_gaits_and_postures_go_through_one_door(desk: Desk, hyq: RobotModel) -> None:
    desk.until(lambda: desk.commands and desk.commands[-1].present)
    message = desk.velocities.msg_type()  # type: ignore[attr-defined]
    getattr(message, "twist", message).linear.x = 0.2

    def drives() -> bool:
        desk.velocities.publish(message)  # type: ignore[attr-defined]
        return bool(desk.commands[-1].twist.linear.x > 0.1)

    desk.until(drives)
    trot = gaits_of(hyq)["trot"].model_copy(update={"name": "mine", "period": 0.55})
    requests = desk.node.create_publisher(GaitRequest, "/gait_request", 10)
    desk.until(requests.get_subscription_count)
    requests.publish(GaitRequest(id=1, gait="mine", own_gait=[message_of_gait(trot, hyq.description)]))
    command = desk.until(lambda: next((c for c in reversed(desk.commands) if c.own_gait), None))
    assert gait_of(command.own_gait[0], hyq.description) == trot
    page = desk.teleop._page.editor
    page.step("step_height", 1)
    tuned = page.request()
    assert desk.teleop.set_parameters([Parameter("gait.period", value=0.9)])[0].successful
    command = desk.until(lambda: next((c for c in reversed(desk.commands) if c.gait_request_id == 2), None))
    assert command.own_gait[0].period == 0.9
    # The verdict on one must not be taken for that on the other.
    assert tuned is not None
    assert command.gait != tuned.name
    desk.posture = 1.0
    desk.until(lambda: desk.commands[-1].posture[0] > 0.02)

    desk.age = 2.0  # from here on what the pad says comes two seconds late
    desk.until(lambda: not desk.commands[-1].present)
    desk.held = {"stop"}
    desk.until(lambda: desk.commands[-1].request == OperatorCommand.STOP)

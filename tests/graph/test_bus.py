# SPDX-License-Identifier: Apache-2.0
"""The bridge on a bus of its own instead of the topic pair."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import QuaternionStamped
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray
from surefoot_msgs.msg import OperatorCommand, RobotMode, ServoCommand

from surefoot.nodes import quality
from surefoot.robot.model import RobotModel
from surefoot.servos.buses import find_bus_file
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo

pytestmark = pytest.mark.timeout(400)


class Company:
    """An estimator that says that the base is level, a balance controller that has nothing to say, and an operator."""

    def __init__(self, ear: Any) -> None:
        self._attitudes = ear.speak(QuaternionStamped, "/base_attitude", quality.command(False))
        self._operator = ear.speak(OperatorCommand, "/operator_command", quality.operator(False))
        self._controller = ear.speak(ServoCommand, "/servo_command", quality.command(False))
        self.modes = ear.hear(RobotMode, "/robot_mode")
        self.answers = True
        ear.node.create_timer(0.02, self.say_level)

    def say_level(self) -> None:
        if not self.modes:
            return
        # Stamped on the clock of the bridge, as what is worked out of its samples.
        now = self.modes[-1].header.stamp
        message = QuaternionStamped()
        message.header.stamp, message.quaternion.w = now, 1.0
        self._attitudes.publish(message)
        if self.answers:
            word = ServoCommand(source="company")
            word.header.stamp = now
            self._controller.publish(word)

    def ask(self, request: int) -> None:
        self._operator.publish(OperatorCommand(present=True, request=request))

    def reach(self, mode: int, wait_until: Callable[..., Any]) -> None:
        """Ask until the mode is there: a word may be said before the bridge listens, and a busy machine may be a fault."""
        begin = [0.0]

        def there() -> bool:
            now = self.modes[-1].mode if self.modes else RobotMode.OFF
            if now != mode and time.monotonic() - begin[0] > 1.0:
                begin[0] = time.monotonic()
                self.ask(OperatorCommand.ARM if now in (RobotMode.OFF, RobotMode.FAULT) else OperatorCommand.STAND)
            return now == mode

        wait_until(there, lambda: str(self.modes[-1:]))


def test_a_robot_on_its_stand_and_a_second_bridge(graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]) -> None:
    company = Company(ear)
    states, imus = ear.hear(JointState, "/joint_states", quality.sensor(False)), ear.hear(Imu, "/imu", quality.sensor(False))
    first = graph.node("servo_bridge", lockstep=False, bus="simulated")
    company.reach(RobotMode.DAMPING, wait_until)
    # A namespace hides no topic, and remapping does.
    second = graph.node("servo_bridge", "__ns:=/other", lockstep=False, bus="simulated")
    twins = ear.hear(RobotMode, "/twin/robot_mode")
    said = ("joint_command", "robot_mode", "joint_states", "imu")
    twin = graph.node("servo_bridge", *(f"/{name}:=/twin/{name}" for name in said), lockstep=False, bus="simulated")
    company.answers = False
    wait_until(lambda: "STAND waits: the balance controller" in company.modes[-1].reason, lambda: str(company.modes[-1]))
    waiting = graph.run("-m", "surefoot", "status")
    assert waiting.ends() == 0, waiting.output
    assert "STAND waits: the balance controller does not answer" in waiting.output
    assert "would refuse STAND: the balance controller does not answer" in waiting.output
    company.answers = True
    company.reach(RobotMode.READY, wait_until)
    np.testing.assert_allclose(states[-1].position, hyq.stand_joint_position, atol=0.3)
    assert list(states[-1].name) == list(hyq.joint_names)
    force = imus[-1].linear_acceleration
    rotation = np.asarray(hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation)
    np.testing.assert_allclose(rotation @ (force.x, force.y, force.z), (0.0, 0.0, 9.81), atol=0.1)
    assert second.ends() == 2
    assert f"another servo bridge (process {first.pid}) drives domain_{graph.domain}/joint_command already" in second.output
    wait_until(lambda: twins, lambda: twin.output)
    assert twin.code is None
    status = graph.run("-m", "surefoot", "status")
    assert status.ends() == 0, status.output
    assert status.output.startswith(("READY for ", "FAULT for "))
    assert "accepts: STOP" in status.output


def test_servos_on_a_line_and_one_that_falls_off(
    graph: Any, ear: Any, links: RobotModel, tmp_path: Path, wait_until: Callable[..., Any]
) -> None:
    company = Company(ear)
    values = yaml.safe_load(find_bus_file("links_dynamixel").read_text())
    line = EmulatedLine([EmulatedServo(read_table(one["table"]), one["id"]) for one in values["joints"].values()])
    lie = dict(zip(links.joint_names, links.lie_joint_position, strict=True))
    for name, one in values["joints"].items():
        line.servo(one["id"])._follower.position[:] = one.get("sign", 1) * lie[name]
    file = tmp_path / "bus.yaml"
    file.write_text(yaml.safe_dump(values | {"port": line.name, "reply_time": 0.1}))
    try:
        bridge = graph.node("servo_bridge", lockstep=False, robot="links", bus="dynamixel", bus_file=file)
        company.reach(RobotMode.DAMPING, wait_until)
        assert not any(servo.under_torque for servo in line.servos)
        deadline = time.monotonic() + 60.0
        while company.modes[-1].mode != RobotMode.STANDING_UP:
            if time.monotonic() > deadline:
                pytest.skip("the machine is too busy to reach servos within the age that the watchdog allows")
            company.ask(OperatorCommand.ARM if company.modes[-1].mode == RobotMode.FAULT else OperatorCommand.STAND)
            time.sleep(0.3)
        line.servo(3).gone = True
        wait_until(lambda: company.modes[-1].mode == RobotMode.FAULT, lambda: str(company.modes[-1]))
        assert company.modes[-1].reason.startswith("joint state stale: joint state: ")
        wait_until(lambda: not any(servo.under_torque for servo in line.servos if not servo.gone))
        bridge.signal(2)
        assert bridge.ends() == 0
    finally:
        line.close()


def test_the_topics_of_somebody_else(graph: Any, ear: Any, hyq: RobotModel, tmp_path: Path, wait_until: Callable[..., Any]) -> None:
    company = Company(ear)
    file = tmp_path / "topics.yaml"
    output = {"topic": "/efforts", "message": "array", "interfaces": ["torque"]}
    values = {"states": "/their_states", "complete_within": 0.2, "stale_after": 0.3, "outputs": [output]}
    file.write_text(yaml.safe_dump(values))
    efforts = ear.hear(Float64MultiArray, "/efforts", quality.command(False))
    states = ear.speak(JointState, "/their_states")
    halves = hyq.joint_names[:6], hyq.joint_names[6:]

    speaking, begin, speed = [True], time.monotonic(), 0.01

    def say() -> None:
        if not speaking[0]:
            return
        stamp, moved = ear.node.get_clock().now().to_msg(), speed * (time.monotonic() - begin)
        for names, position in zip(halves, (hyq.lie_joint_position[:6], hyq.lie_joint_position[6:]), strict=True):
            message = JointState(name=list(names), position=(position + moved).tolist())
            message.header.stamp = stamp
            states.publish(message)

    ear.node.create_timer(0.01, say)
    bridge = graph.node("servo_bridge", lockstep=False, bus_file=file)
    company.reach(RobotMode.DAMPING, wait_until)
    damping = hyq.description.servos.safe_damping
    wait_until(lambda: efforts and len(efforts[-1].data) == 12)
    # No velocity is measured, and still the torque is against it.
    wait_until(lambda: np.median([message.data for message in efforts[-50:]]) == pytest.approx(-damping * speed, rel=0.3))
    for kind, topic in ((Float64MultiArray, "/efforts"), (JointState, "/their_states")):
        stranger = ear.speak(kind, topic)

        def told(topic: str = topic) -> bool:
            stopped = company.modes[-1].mode in (RobotMode.STOPPED, RobotMode.FAULT)
            company.ask(OperatorCommand.ARM if stopped else OperatorCommand.STOP)
            return f"2 publishers on {topic}: " in company.modes[-1].refused

        wait_until(told, lambda: str(company.modes[-1]))
        ear.node.destroy_publisher(stranger)
    speaking[0] = False
    wait_until(lambda: not np.any(efforts[-1].data), lambda: str(efforts[-1]))
    assert bridge.code is None

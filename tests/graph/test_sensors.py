# SPDX-License-Identifier: Apache-2.0
"""A test double in the place of the robot: bad numbers and shuffled names, met by real nodes."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Vector3
from sensor_msgs.msg import Imu, JointState
from surefoot_msgs.msg import FootForces, OperatorCommand, RobotMode, RobotState, ServoCommand

from surefoot.nodes import quality
from surefoot.nodes.conversions.command import idle_command
from surefoot.nodes.conversions.common import stamp_of, vector_of
from surefoot.robot.model import RobotModel

pytestmark = pytest.mark.timeout(240)

PERIOD = 0.004
SHUFFLE = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]


def exactly(value: Any) -> Any:
    """A message as plain values, bit by bit; numbers that are not measured are NaN, which equals nothing as a number."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: exactly(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (str, bool, int)):
        return value
    return float(value).hex() if np.isscalar(value) else [exactly(item) for item in value]


def gravity_in_imu(model: RobotModel) -> Vector3:
    """What the accelerometer of a level robot reads at rest, m/s^2."""
    base_from_imu = model.attached_frame(model.description.sensors.imu_link).body_from_frame_rotation
    return vector_of(base_from_imu.T @ np.array((0.0, 0.0, 9.81)))


class Double:
    """A robot that lies still, one tick after the other; the state estimator and the servo bridge answer each."""

    def __init__(self, ear: Any, model: RobotModel, wait_until: Callable[..., Any], suffix: str = "", bridge: bool = False) -> None:
        self._names, self._feet_names = model.description.joint_names, model.description.foot_names
        self._gravity = gravity_in_imu(model)
        self.position = np.array(model.lie_joint_position)
        self._wait_until, self._tick = wait_until, 0
        self.order, self.feet_order = list(range(12)), list(range(4))
        self._joints = ear.speak(JointState, f"/joint_states{suffix}", quality.sensor(True))
        self._imu = ear.speak(Imu, f"/imu{suffix}", quality.sensor(True))
        self._feet = ear.speak(FootForces, f"/foot_forces{suffix}", quality.sensor(True))
        self.states = ear.hear(RobotState, f"/robot_state{suffix}", quality.command(True))
        self._bridge = bridge
        if bridge:
            self._commands = ear.speak(ServoCommand, "/servo_command", quality.command(True))
            self._operator = ear.speak(OperatorCommand, "/operator_command", quality.operator(True))
            self.commands = ear.hear(ServoCommand, "/joint_command", quality.command(True))
            self.modes = ear.hear(RobotMode, "/robot_mode", quality.command(True))

    def tick(self, position: np.ndarray | None = None, rate_x: float = 0.0, request: int = 0) -> None:
        """One tick, answered by everybody."""
        self._tick += 1
        stamp = stamp_of(self._tick * PERIOD)
        values = self.position if position is None else position
        joints = JointState(
            name=[self._names[place] for place in self.order],
            position=[float(values[place]) for place in self.order],
            velocity=[1e-4 * place for place in self.order],
            effort=[0.1 * place for place in self.order],
        )
        imu = Imu(angular_velocity=Vector3(x=rate_x), linear_acceleration=self._gravity)
        feet = FootForces(foot_names=[self._feet_names[place] for place in self.feet_order])
        feet.forces = [Vector3(z=10.0 + place) for place in self.feet_order]
        for message in (joints, imu, feet):
            message.header.stamp = stamp
        self._feet.publish(feet)
        self._imu.publish(imu)
        self._joints.publish(joints)
        if self._bridge:
            wish = OperatorCommand(request=request)
            wish.header.stamp = stamp
            self._operator.publish(wish)
            self._commands.publish(idle_command(self._tick * PERIOD, "double"))
        answers = [self.states, self.commands, self.modes] if self._bridge else [self.states]
        self._wait_until(
            lambda: all(heard and heard[-1].header.stamp == stamp for heard in answers), lambda: str([heard[-1:] for heard in answers])
        )


def test_shuffled_joints_and_feet_are_the_same_state(graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]) -> None:
    topics = ("/joint_states", "/imu", "/foot_forces", "/robot_state", "/odom")
    graph.node("state_estimator", "__node:=plain")
    graph.node("state_estimator", "__node:=shuffled", *(f"{topic}:={topic}_shuffled" for topic in topics))
    plain, shuffled = Double(ear, hyq, wait_until), Double(ear, hyq, wait_until, "_shuffled")
    shuffled.order, shuffled.feet_order = SHUFFLE, [2, 0, 3, 1]
    for _ in range(300):
        plain.tick()
        shuffled.tick()
        assert exactly(plain.states[-1]) == exactly(shuffled.states[-1])
    assert plain.states[-1].valid, plain.states[-1].invalid_reason
    np.testing.assert_allclose(plain.states[-1].joint_position, hyq.lie_joint_position, atol=1e-5)
    np.testing.assert_allclose(plain.states[-1].joint_velocity, 1e-4 * np.arange(12))


def finite(command: ServoCommand) -> bool:
    return all(np.isfinite(getattr(command, name)).all() for name in ("position", "velocity", "effort", "stiffness", "damping"))


def test_a_number_that_is_none_is_refused_counted_and_forgotten(
    graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]
) -> None:
    graph.node("state_estimator")
    graph.node("servo_bridge")
    health = ear.hear(DiagnosticArray, "/diagnostics")
    double = Double(ear, hyq, wait_until, bridge=True)
    for _ in range(300):
        double.tick()
    assert double.states[-1].valid, double.states[-1].invalid_reason
    double.tick(request=OperatorCommand.ARM)
    double.tick(request=OperatorCommand.STAND)
    assert double.modes[-1].mode == RobotMode.STANDING_UP, double.modes[-1]

    before = list(double.states[-1].joint_position)
    for broken in (math.nan, math.inf):
        position = double.position.copy()
        position[4] = broken
        double.tick(position)
        # The joints went on for a tick as they were.
        assert list(double.states[-1].joint_position) == pytest.approx(before, abs=1e-5)
        assert finite(double.commands[-1])
        double.tick(rate_x=broken)
        assert finite(double.commands[-1])
    assert double.modes[-1].mode == RobotMode.STANDING_UP
    good = double.position + 0.001
    double.tick(good)
    np.testing.assert_allclose(double.states[-1].joint_position, good, atol=1e-5)
    assert double.states[-1].valid
    assert max(double.commands[-1].stiffness) > 0.0
    assert all(finite(command) for command in double.commands)

    heard = len(health)
    wait_until(lambda: {status.name for array in health[heard:] for status in array.status} >= {"state_estimator", "servo_bridge"})
    counts = {status.name: {pair.key: pair.value for pair in status.values} for array in health for status in array.status}
    assert counts["state_estimator"]["refused_not_finite"] == "4"
    assert "angular velocity of the IMU is [inf" in counts["state_estimator"]["last_fault"]
    assert counts["servo_bridge"]["bridge_samples_refused"] == "2"


def test_an_imu_that_stops_makes_the_state_invalid_when_running_free(
    graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]
) -> None:
    graph.node("state_estimator", lockstep=False)
    joints, imu = (ear.speak(kind, topic, quality.sensor(False)) for kind, topic in ((JointState, "/joint_states"), (Imu, "/imu")))
    states = ear.hear(RobotState, "/robot_state", quality.command(False))
    clock = iter(range(1, 1_000_000))

    def tick(with_imu: bool) -> None:
        stamp = stamp_of(next(clock) * PERIOD)
        if with_imu:
            sensed = Imu(linear_acceleration=gravity_in_imu(hyq))
            sensed.header.stamp = stamp
            imu.publish(sensed)
            time.sleep(0.001)
        message = JointState(name=list(hyq.description.joint_names), position=hyq.lie_joint_position.tolist(), velocity=[0.0] * 12)
        message.header.stamp = stamp
        joints.publish(message)
        time.sleep(0.001)

    wait_until(lambda: tick(True) or (states and states[-1].valid))
    # A busy machine may lose samples before, which the state says in words of its own; without an IMU it must come to these.
    wait_until(lambda: tick(False) or "no sensor data" in states[-1].invalid_reason)
    assert not states[-1].valid


def test_joints_that_stop_make_the_state_invalid_when_running_free(
    graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]
) -> None:
    """The joints make the ticks; without them the state has to be said all the same."""
    graph.node("state_estimator", lockstep=False)
    joints, imu = (ear.speak(kind, topic, quality.sensor(False)) for kind, topic in ((JointState, "/joint_states"), (Imu, "/imu")))
    states = ear.hear(RobotState, "/robot_state", quality.command(False))
    clock = iter(range(1, 1_000_000))

    def tick() -> None:
        stamp = stamp_of(next(clock) * PERIOD)
        sensed = Imu(linear_acceleration=gravity_in_imu(hyq))
        message = JointState(name=list(hyq.description.joint_names), position=hyq.lie_joint_position.tolist(), velocity=[0.0] * 12)
        sensed.header.stamp = message.header.stamp = stamp
        imu.publish(sensed)
        time.sleep(0.001)
        joints.publish(message)
        time.sleep(0.001)

    wait_until(lambda: tick() or (states and states[-1].valid))
    # Nobody speaks any more.
    wait_until(lambda: "no sensor data came from joints" in states[-1].invalid_reason)
    assert not states[-1].valid
    heard = len(states)
    wait_until(lambda: len(states) > heard + 3)

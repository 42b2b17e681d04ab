# SPDX-License-Identifier: Apache-2.0
"""The files of Gazebo on its engine: what the bridge promises is offered, and the torques that come over it hold the robot."""

import importlib.util
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from numpy.typing import NDArray

from surefoot.evaluation.faults.loop import FaultLoop
from surefoot.nodes.stack_topics import message_class
from surefoot.robot.command import JointCommand
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.model_checks import static_stand_torque
from surefoot.robot.state import SensorSample
from surefoot.servos.attitude import attitude_of, tilt_of
from surefoot.servos.buses import find_bus_file
from surefoot.servos.buses.topic import TopicMap, TopicSettings
from surefoot.servos.modes import Mode, Request
from surefoot.servos.posture import PostureTrajectory
from surefoot.settings import read_settings
from surefoot.simulation.sensors import SensorModel

if importlib.util.find_spec("dartpy") is None:
    pytest.skip("surefoot install dart", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))

from gazebo_stand_in import HEIGHT, GazeboStandIn, GazeboWorld, bridge_entries

Array = NDArray[np.float64]



@pytest.fixture
def stand_in() -> Iterator[tuple[Any, list[tuple[str, Any]]]]:
    """The node, and what it said; nothing goes over the network."""
    rclpy.init(
        args=["--ros-args", "-p", "lockstep:=false"],
        domain_id=121 + os.getpid() % 20,
        signal_handler_options=rclpy.signals.SignalHandlerOptions.NO,
    )
    node, said = GazeboStandIn(), []
    for topic, publisher in node._say.items():
        publisher.publish = lambda message, topic=topic: said.append((topic, message))
    yield node, said
    node.destroy_node()
    rclpy.try_shutdown()


def test_it_offers_what_the_bridge_says_and_nothing_else(stand_in: Any, hyq: RobotModel) -> None:
    node, said = stand_in
    entries = bridge_entries("hyq")
    own = {"/rosout", "/parameter_events", "/diagnostics"}
    offered = {publisher.topic_name: publisher.msg_type for publisher in node.publishers if publisher.topic_name not in own}
    heard = {subscription.topic_name: subscription.msg_type for subscription in node.subscriptions if subscription.topic_name not in own}
    for direction, found in (("GZ_TO_ROS", offered), ("ROS_TO_GZ", heard)):
        assert found == {one["ros_topic_name"]: message_class(one["ros_type_name"]) for one in entries if one["direction"] == direction}
    rate = hyq.description.control.rate
    node.world.hold()
    for _ in range(round(rate)):
        node._step()
    # In a second of its own time.
    assert Counter(topic for topic, _ in said) == {"/clock": rate, "/joint_states": rate, "/imu": rate, "/ground_truth": 50}
    last = dict(said)
    assert tuple(last["/joint_states"].name) == hyq.joint_names
    assert last["/imu"].header.frame_id == hyq.description.sensors.imu_link
    assert (last["/ground_truth"].header.frame_id, last["/ground_truth"].child_frame_id) == ("world", hyq.description.base)
    assert {topic: message.header.stamp for topic, message in last.items() if topic != "/clock"} == dict.fromkeys(
        ("/joint_states", "/imu", "/ground_truth"), last["/clock"].clock
    )
    force = last["/imu"].linear_acceleration
    turn = np.asarray(hyq.attached_frame(hyq.description.sensors.imu_link).body_from_frame_rotation)
    np.testing.assert_allclose(turn @ (force.x, force.y, force.z), (0.0, 0.0, GRAVITY), atol=0.1)


class Bus:
    """The torques of the bus, each worked out from the state of the step before, as over a bridge."""

    def __init__(self, model: RobotModel, height: float, joint_damping: float | None = None) -> None:
        settings = read_settings(TopicSettings, find_bus_file("hyq_gazebo"))
        arguments = {}
        if joint_damping is not None:
            settings = settings.model_copy(update={"joint_damping": joint_damping, "most_damping": np.inf})
            arguments = {"joint_damping": f"{joint_damping + model.description.servos.viscous_friction}"}
        self._map, self._names = TopicMap(settings, model.joint_names, model.effort_limit), model.joint_names
        self.world = GazeboWorld("hyq", height, 1, arguments)
        self.position = np.zeros(12)

    def step(self, target: Array, effort: Array, stiffness: float, damping: float) -> float:
        """One step under a law; the largest speed of a joint, rad/s."""
        joints, world, zero = self.world.joints, self.world, np.zeros(12)
        self.position = np.array([joints[name].getPosition() for name in self._names])
        speed = np.array([joints[name].getVelocity() for name in self._names])
        self._map.take(world.time, self._names, self.position.tolist(), speed.tolist(), [])
        command = JointCommand(world.time, target, zero, effort, zero + stiffness, zero + damping)
        torque = self._map.values(command, world.time)["torque"]
        world.step()
        world.effort = dict(zip(self._names, torque.tolist(), strict=True))
        return float(np.abs(speed).max())


def speed_in_the_air(model: RobotModel, joint_damping: float | None = None) -> float:
    """How fast a joint is half a second after its leg was pushed, under the damping that a bridge without commands gives."""
    bus, zero = Bus(model, 1.5, joint_damping), np.zeros(12)
    bus.world.hold()
    damping = model.description.servos.safe_damping
    for _ in range(100):
        bus.step(zero, zero, 0.0, damping)
    for name in model.joint_names[2::3]:
        bus.world.joints[name].setVelocity(float(np.sign(bus.world.joints[name].getPosition())))
    for _ in range(100):
        bus.step(zero, zero, 0.0, damping)
    return max(bus.step(zero, zero, 0.0, damping) for _ in range(25))


def test_damping_brings_a_leg_in_the_air_to_rest(hyq: RobotModel) -> None:
    assert speed_in_the_air(hyq) < 1.0
    # As a torque alone, a sample late, it shakes the lower leg as fast as the joint can go.
    assert speed_in_the_air(hyq, 0.0) > 5.0


def test_it_comes_to_lie_and_stands_up_from_there(hyq: RobotModel) -> None:
    bus, servos, zero = Bus(hyq, HEIGHT), hyq.description.servos, np.zeros(12)
    speeds = [bus.step(zero, zero, 0.0, servos.safe_damping) for _ in range(1500)]
    assert max(speeds[-100:]) < 0.3
    assert bus.world.truth()[0][2] < 0.5 * hyq.description.stand_height + 0.05
    weight = static_stand_torque(hyq)
    for pose, torque in ((hyq.lie_joint_position, zero), (hyq.stand_joint_position, weight)):
        begin = bus.position.copy()
        for k in range(1250):
            share = min(1.0, k / 1000)
            bus.step(begin + (pose - begin) * share, torque * share, servos.posture_stiffness, servos.posture_damping)
    place, turn, linear, _ = bus.world.truth()
    assert place[2] == pytest.approx(hyq.description.stand_height, abs=0.08)
    assert np.linalg.norm(turn[:2]) < 0.05
    assert np.linalg.norm(linear) < 0.1


def slides(angle: float, share: float) -> bool:
    """Whether a box slides that is pushed along the ground by a part of its weight, at an angle to the axes of the world."""
    import dartpy as dart

    world = dart.simulation.World()
    world.setTimeStep(0.004)
    world.getConstraintSolver().setCollisionDetector(dart.collision.BulletCollisionDetector())
    bodies = []
    for size, height, joint_kind in (([9.0, 9.0, 1.0], -0.5, "Weld"), ([0.4, 0.4, 0.1], 0.05, "Free")):
        skeleton = dart.dynamics.Skeleton(joint_kind)
        joint, body = getattr(skeleton, f"create{joint_kind}JointAndBodyNodePair")()
        shape = body.createShapeNode(dart.dynamics.BoxShape(size))
        shape.createCollisionAspect()
        shape.createDynamicsAspect().setFrictionCoeff(1.0)
        place = dart.math.Isometry3()
        place.set_translation([0.0, 0.0, height])
        joint.setTransformFromParentBodyNode(place)
        world.addSkeleton(skeleton)
        bodies.append(body)
    box = bodies[1]
    push = share * box.getMass() * GRAVITY * np.array([np.cos(angle), np.sin(angle), 0.0])
    for step in range(300):
        if step >= 50:
            box.setExtForce(push, np.zeros(3), False, True)
        world.step()
    return float(np.linalg.norm(box.getLinearVelocity())) > 0.05


def test_the_engine_never_holds_less_than_the_coefficient() -> None:
    assert [slides(0.0, share) for share in (0.97, 1.04)] == [False, True]
    assert [slides(np.pi / 4.0, share) for share in (1.38, 1.45)] == [False, True]


def knee_torques(model: RobotModel, joint_damping: float | None = None) -> float:
    """The largest torque of a knee under the robot that stood up by the servos' law, N m."""
    bus, servos, zero = Bus(model, HEIGHT, joint_damping), model.description.servos, np.zeros(12)
    for _ in range(1000):
        bus.step(zero, zero, 0.0, servos.safe_damping)
    way = PostureTrajectory(0.0, [bus.position, model.lie_joint_position, model.stand_joint_position], servos.posture_speed)
    for k in range(round((way.end + 2.0) / bus.world.step_size)):
        bus.step(way.at(k * bus.world.step_size)[0], zero, servos.posture_stiffness, servos.posture_damping)
    return max(abs(bus.world.effort[name]) for name in model.joint_names[2::3])


def test_damping_in_the_engine_weakens_torques_against_contacts(hyq: RobotModel) -> None:
    # Its weight needs 45 N m at the knees.
    assert knee_torques(hyq) < 90.0
    assert knee_torques(hyq, 13.0) > 100.0


class RobotOnDart:
    """What a loop asks of a robot, answered by the engine: torques over the bus file, each a step late as over a bridge.

    It begins as it lies: how it comes to lie from a fall may depend on the last digit.
    """

    def __init__(self, model: RobotModel, seed: int) -> None:
        settings = read_settings(TopicSettings, find_bus_file("hyq_gazebo"))
        self._map, self._names = TopicMap(settings, model.joint_names, model.effort_limit), model.joint_names
        height = model.description.foot_radius - float(model.feet_in_base(model.lie_joint_position)[:, 2].min())
        self.world = GazeboWorld("hyq", height, seed)
        for name, angle in zip(self._names, model.lie_joint_position.tolist(), strict=True):
            self.world.joints[name].setPosition(angle)
        self.period = self.world.step_size
        self.step(None)

    def step(self, command: JointCommand | None) -> None:
        """One step of the physics, with the torques of the command before."""
        world, joints = self.world, self.world.joints
        torque = np.zeros(12) if command is None else self._map.values(command, world.time)["torque"]
        world.step()
        world.effort = dict(zip(self._names, torque.tolist(), strict=True))
        place = np.array([joints[name].getPosition() for name in self._names])
        speed = np.array([joints[name].getVelocity() for name in self._names])
        self._map.take(world.time, self._names, place.tolist(), speed.tolist(), torque.tolist())
        self._sample = SensorSample(world.time, place, speed, torque, *world.imu(), np.full((4, 3), np.nan))

    def sense(self) -> tuple[SensorSample, SensorModel.Stamps]:
        """The sample of the last step."""
        return self._sample, SensorModel.Stamps(self.world.time, self.world.time, self.world.time)


def tilt(robot: RobotOnDart) -> float:
    """Of the base, rad."""
    return tilt_of(attitude_of(robot.world.truth()[1]))


def test_the_whole_stack_stands_up_on_it_walks_and_stops(hyq: RobotModel) -> None:
    # In one process and in lockstep: what it shows does not depend on the load of the machine.
    robot, loop = RobotOnDart(hyq, 1), FaultLoop(hyq, 1)
    loop.robot, loop._feet = robot, False  # type: ignore[assignment]

    def until(mode: Mode, request: Request, most: float) -> None:
        end = robot.world.time + most
        while loop.step().mode != mode:
            assert loop.output is not None
            assert robot.world.time < end, f"{loop.output.mode.name}: {loop.output.reason}; {loop.output.refused}"
            if round(robot.world.time / robot.period) % 50 == 0:
                loop.request = int(request)

    def steps(seconds: float) -> tuple[float, float]:
        """The way gone, m, and the largest tilt, rad."""
        begin, largest = robot.world.truth()[0], 0.0
        for _ in range(round(seconds / robot.period)):
            output = loop.step()
            assert output.mode in (Mode.OFF, Mode.READY, Mode.WALKING), output.reason
            largest = max(largest, tilt(robot))
        return float(np.linalg.norm(robot.world.truth()[0] - begin)), largest

    steps(2.0)
    until(Mode.DAMPING, Request.ARM, 10.0)
    until(Mode.READY, Request.STAND, 20.0)
    way, largest = steps(1.0)
    assert way < 0.1
    assert robot.world.truth()[0][2] == pytest.approx(hyq.description.stand_height, abs=0.08)
    until(Mode.WALKING, Request.WALK, 1.0)
    loop.twist[0] = 0.3
    loop.change_gait("walk", 0.1)
    way, largest = steps(6.0)
    assert way == pytest.approx(6.0 * 0.3, rel=0.25)
    assert largest < 0.15
    loop.twist[0] = 0.0
    loop.change_gait("stand", 0.5)
    steps(3.0)
    way, largest = steps(0.5)
    assert way < 0.01
    assert largest < 0.05

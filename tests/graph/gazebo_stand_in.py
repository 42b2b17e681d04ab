# SPDX-License-Identifier: Apache-2.0
"""A process in the place of Gazebo and its bridge: DART, Gazebo's engine, with the robot, the world and the topics of config/gazebo.

It takes the world from config/gazebo/NAME.sdf, the robot from urdf/ROBOT_gazebo.urdf.xacro, and offers what config/gazebo/bridge_ROBOT.yaml
says that crosses, and nothing else. Needs dartpy: ./surefoot install dart.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import dartpy as dart
import numpy as np
import yaml
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState

from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import point_of, quaternion_of, stamp_of, vector_of
from surefoot.nodes.stack_topics import message_class
from surefoot.robot.locate import read_urdf, shared_directory

Array = NDArray[np.float64]

NO_INERTIA = 1e-6
"""kg of a link without <inertial>; DART's own default is 1 kg."""
HEIGHT = 0.85
"""m at which the base appears, as in launch/gazebo.launch.xml."""


def bridge_entries(robot: str) -> list[dict[str, str]]:
    """What crosses between Gazebo and ROS."""
    entries: list[dict[str, str]] = yaml.safe_load((shared_directory() / "config" / "gazebo" / f"bridge_{robot}.yaml").read_text())
    return entries


def _text(element: ElementTree.Element, place: str) -> str:
    found = element.find(place)
    assert found is not None, place
    return (found.text or "").strip()


class GazeboWorld:
    """Robot and ground in DART, as the files of Gazebo say.

    Args:
        robot: its name, which is that of its files.
        height: at which its base begins, m.
        seed: of the noise of its IMU.
        arguments: of its xacro, in place of those that it has by itself.

    Attributes:
        time: simulated, s.
        step_size: of the physics, s.
        effort: torque that is held on each joint until the next one comes, N m, by name.
    """

    def __init__(self, robot: str, height: float, seed: int, arguments: Mapping[str, str] = MappingProxyType({})) -> None:
        share = shared_directory()
        sdf = ElementTree.parse(share / "config" / "gazebo" / "flat.sdf").getroot()
        self._urdf = ElementTree.fromstring(read_urdf(share / "urdf" / f"{robot}_gazebo.urdf.xacro", dict(arguments)))
        self.step_size = float(_text(sdf, "world/physics/max_step_size"))
        self.time = 0.0
        self._world = dart.simulation.World()
        self._world.setTimeStep(self.step_size)
        self._world.setGravity([float(word) for word in _text(sdf, "world/gravity").split()])
        self._gravity = np.asarray(self._world.getGravity())
        self._world.getConstraintSolver().setCollisionDetector(dart.collision.BulletCollisionDetector())
        self._add_ground(float(_text(sdf, "world/model/link/collision/surface/friction/ode/mu")))
        self._skeleton = self._robot()
        self._world.addSkeleton(self._skeleton)
        place = self._skeleton.getPositions()
        place[5] = height
        self._skeleton.setPositions(place)
        self.joints = {one: self._skeleton.getDof(one) for one in self._names("JointStatePublisher")}
        for joint in self.joints.values():
            # A model begins with every joint at zero, whether its limits allow that or not.
            joint.setPosition(0.0)
        self.effort = dict.fromkeys(self.joints, 0.0)
        (imu,) = self._urdf.iter("sensor")
        self.imu_link, self.base = _text(imu, "gz_frame_id"), _text(self._urdf, "gazebo/plugin/robot_base_frame")
        self.imu_every = round(1.0 / (float(_text(imu, "update_rate")) * self.step_size))
        self.truth_every = round(1.0 / (float(_text(self._urdf, "gazebo/plugin/odom_publish_frequency")) * self.step_size))
        self._noise = [float(_text(imu, f"imu/{sense}/x/noise/stddev")) for sense in ("angular_velocity", "linear_acceleration")]
        self._draw = np.random.default_rng(seed)

    def hold(self) -> None:
        """Hold the base where it is: the legs hang."""
        self._hold = dart.constraint.WeldJointConstraint(self._skeleton.getBodyNode(self.base))
        self._world.getConstraintSolver().addConstraint(self._hold)

    def step(self) -> None:
        """One step of the physics."""
        for name, joint in self.joints.items():
            joint.setForce(self.effort[name])
        self._world.step()
        self.time += self.step_size

    def imu(self) -> tuple[Array, Array]:
        """Angular velocity, rad/s, and specific force, m/s^2, in the axes of the IMU."""
        body, world = self._skeleton.getBodyNode(self.imu_link), dart.dynamics.Frame.World()
        imu_from_world = np.asarray(body.getWorldTransform().rotation()).T
        rate = np.asarray(body.getAngularVelocity(world, body))
        force = np.asarray(body.getLinearAcceleration(world, body)) - imu_from_world @ self._gravity
        return rate + self._draw.normal(0.0, self._noise[0], 3), force + self._draw.normal(0.0, self._noise[1], 3)

    def truth(self) -> tuple[Array, Array, Array, Array]:
        """Place of the base in the world, its quaternion x y z w, its linear and angular velocity in its own axes."""
        body, world = self._skeleton.getBodyNode(self.base), dart.dynamics.Frame.World()
        pose = body.getWorldTransform()
        turn = dart.math.Quaternion(pose.rotation())
        linear, angular = body.getLinearVelocity(world, body), body.getAngularVelocity(world, body)
        return np.asarray(pose.translation()), np.array([turn.x(), turn.y(), turn.z(), turn.w()]), np.asarray(linear), np.asarray(angular)

    def _names(self, system: str) -> list[str]:
        plugins = (one for one in self._urdf.iter("plugin") if one.get("name") == f"gz::sim::systems::{system}")
        return [(name.text or "").strip() for plugin in plugins for name in plugin.iter("joint_name")]

    def _robot(self) -> Any:
        light = dart.dynamics.Inertia()
        light.setMass(NO_INERTIA)
        light.setMoment(np.eye(3) * NO_INERTIA)
        loader = dart.utils.DartLoader()
        loader.setOptions(dart.utils.DartLoaderOptions(defaultInertia=light))
        text = ElementTree.tostring(self._urdf, encoding="unicode")
        skeleton = loader.parseSkeletonString(text, dart.common.Uri("file:///"), dart.utils.DartResourceRetriever())
        skeleton.disableSelfCollisionCheck()
        friction = {one.get("reference"): float(_text(one, "mu1")) for one in self._urdf.findall("gazebo") if one.find("mu1") is not None}
        for k in range(skeleton.getNumBodyNodes()):
            body = skeleton.getBodyNode(k)
            for shape in (body.getShapeNode(n) for n in range(body.getNumShapeNodes())):
                if shape.hasDynamicsAspect():
                    shape.getDynamicsAspect().setFrictionCoeff(friction.get(body.getName(), 1.0))
        for k in range(skeleton.getNumJoints()):
            skeleton.getJoint(k).setLimitEnforcement(True)
        return skeleton

    def _add_ground(self, friction: float) -> None:
        ground = dart.dynamics.Skeleton("ground")
        joint, body = ground.createWeldJointAndBodyNodePair()
        shape = body.createShapeNode(dart.dynamics.BoxShape([100.0, 100.0, 1.0]))
        shape.createCollisionAspect()
        shape.createDynamicsAspect().setFrictionCoeff(friction)
        place = dart.math.Isometry3()
        place.set_translation([0.0, 0.0, -0.5])
        joint.setTransformFromParentBodyNode(place)
        self._world.addSkeleton(ground)


class GazeboStandIn(SurefootNode):
    """Topics: those of the bridge. slow_motion is Gazebo's real-time factor, upside down."""

    def __init__(self) -> None:
        super().__init__("gazebo_stand_in")
        robot = self.model.description.name
        height = float(self.declare_parameter("height", HEIGHT).value)
        self.world = GazeboWorld(robot, height, self.seed)
        self._say: dict[str, Any] = {}
        for entry in bridge_entries(robot):
            kind, topic = message_class(entry["ros_type_name"]), entry["ros_topic_name"]
            if entry["direction"] == "GZ_TO_ROS":
                self._say[topic] = self.create_publisher(kind, topic, 10)
            else:
                self.create_subscription(kind, topic, self._hearing(robot, topic), 10)
        self._steps = 0
        self.create_timer(self.world.step_size * self.slow_motion, self.timed(self._step))

    def _hearing(self, robot: str, topic: str) -> Callable[[Any], None]:
        joint = topic.removeprefix(f"/model/{robot}/joint/").removesuffix("/cmd_force")
        assert joint in self.world.effort, topic

        def hear(message: Any) -> None:
            self.world.effort[joint] = message.data

        return hear

    def _step(self, *_: object) -> None:
        world = self.world
        world.step()
        self._steps += 1
        stamp: Time = stamp_of(world.time)
        self._say["/clock"].publish(Clock(clock=stamp))
        joints = world.joints
        states = JointState(
            name=list(joints),
            position=[joint.getPosition() for joint in joints.values()],
            velocity=[joint.getVelocity() for joint in joints.values()],
            effort=list(world.effort.values()),
        )
        states.header.stamp = stamp
        if self._steps % world.imu_every == 0:
            rate, force = world.imu()
            imu = Imu(angular_velocity=vector_of(rate), linear_acceleration=vector_of(force))
            imu.header.stamp, imu.header.frame_id = stamp, world.imu_link
            self._say["/imu"].publish(imu)
        self._say["/joint_states"].publish(states)
        if self._steps % world.truth_every == 0:
            place, turn, linear, angular = world.truth()
            truth = Odometry(child_frame_id=world.base)
            truth.header.stamp, truth.header.frame_id = stamp, "world"
            truth.pose.pose.position, truth.pose.pose.orientation = point_of(place), quaternion_of(turn)
            truth.twist.twist.linear, truth.twist.twist.angular = vector_of(linear), vector_of(angular)
            self._say["/ground_truth"].publish(truth)


def main() -> None:
    """Entry point."""
    run(GazeboStandIn)


if __name__ == "__main__":
    main()

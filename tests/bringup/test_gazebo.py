# SPDX-License-Identifier: Apache-2.0
"""What the bridge to Gazebo promises is what the robot and the world there offer, and what the stack speaks."""

import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from surefoot.bringup.find import find_launch_file, refuse_without_needed
from surefoot.bringup.parser import parse_launch_file
from surefoot.errors import ConfigurationError
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.robot.load import load_robot
from surefoot.robot.locate import read_urdf, shared_directory
from surefoot.servos.buses.topic import TopicSettings
from surefoot.settings import read_settings

PAIRS = {
    "rosgraph_msgs/msg/Clock": "gz.msgs.Clock",
    "sensor_msgs/msg/Imu": "gz.msgs.IMU",
    "sensor_msgs/msg/JointState": "gz.msgs.Model",
    "nav_msgs/msg/Odometry": "gz.msgs.Odometry",
    "std_msgs/msg/Empty": "gz.msgs.Empty",
    "std_msgs/msg/Float64": "gz.msgs.Double",
}
"""Types that ros_gz_bridge turns into each other, as its own table says."""


@pytest.fixture(scope="module")
def bridge() -> list[dict[str, str]]:
    entries: list[dict[str, str]] = yaml.safe_load((shared_directory() / "config/gazebo/bridge_hyq.yaml").read_text())
    return entries


@pytest.fixture(scope="module")
def robot() -> ElementTree.Element:
    return ElementTree.fromstring(read_urdf(shared_directory() / "urdf/hyq_gazebo.urdf.xacro", {}))


@pytest.fixture(scope="module")
def world() -> ElementTree.Element:
    found = ElementTree.parse(shared_directory() / "config/gazebo/flat.sdf").getroot().find("world")
    assert found is not None
    return found


def systems(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [plugin for plugin in element.iter("plugin") if plugin.get("name") == f"gz::sim::systems::{name}"]


def text(element: ElementTree.Element, place: str) -> str:
    found = element.find(place)
    assert found is not None, place
    return (found.text or "").strip()


def test_every_entry_names_two_types_that_belong_together(bridge: list[dict[str, str]]) -> None:
    for entry in bridge:
        assert PAIRS[entry["ros_type_name"]] == entry["gz_type_name"]
        assert entry["direction"] in ("GZ_TO_ROS", "ROS_TO_GZ")
        message_class(entry["ros_type_name"])
        if entry["ros_topic_name"] in STACK_TOPICS:
            assert STACK_TOPICS[entry["ros_topic_name"]].type == entry["ros_type_name"]
    assert len({entry["ros_topic_name"] for entry in bridge}) == len(bridge)


def test_what_comes_out_of_gazebo_is_offered_there(
    bridge: list[dict[str, str]], robot: ElementTree.Element, world: ElementTree.Element
) -> None:
    (imu,) = (sensor for sensor in robot.iter("sensor") if sensor.get("type") == "imu")
    (states,), (truth,) = systems(robot, "JointStatePublisher"), systems(robot, "OdometryPublisher")
    offered = {text(imu, "topic"), text(states, "topic"), text(truth, "odom_topic"), "/clock"}
    assert {entry["gz_topic_name"] for entry in bridge if entry["direction"] == "GZ_TO_ROS"} == offered
    for needed in ("Physics", "Imu", "UserCommands", "SceneBroadcaster"):
        assert len(systems(world, needed)) == 1


def test_rates_and_frames_are_those_of_the_stack(robot: ElementTree.Element, world: ElementTree.Element) -> None:
    model = load_robot("hyq").description
    (imu,) = robot.iter("sensor")
    assert text(imu, "gz_frame_id") == model.sensors.imu_link
    assert float(text(imu, "update_rate")) == model.control.rate
    # Joint states come at every step.
    assert 1.0 / float(text(world, "physics/max_step_size")) == pytest.approx(model.control.rate)
    (states,), (truth,) = systems(robot, "JointStatePublisher"), systems(robot, "OdometryPublisher")
    assert [name.text for name in states.iter("joint_name")] == list(model.joint_names)
    assert text(truth, "robot_base_frame") == model.base
    noise = imu.find("imu/angular_velocity/x/noise/stddev")
    assert noise is not None
    assert float(noise.text or "") == model.sensors.gyroscope.standard_deviation
    # A fixed joint that is not to be lumped away, or the frame of the sensor is gone.
    kept = {element.get("reference") for element in robot.findall("gazebo") if element.find("preserveFixedJoint") is not None}
    assert kept == {"imu_joint"}


def test_every_joint_takes_the_torque_that_the_bus_sends(bridge: list[dict[str, str]], robot: ElementTree.Element) -> None:
    settings = read_settings(TopicSettings, shared_directory() / "config/buses/hyq_gazebo.yaml")
    joints = load_robot("hyq").description.joint_names
    assert [text(one, "joint_name") for one in systems(robot, "ApplyJointForce")] == list(joints)
    (output,) = settings.outputs
    sent = {output.topic.format(joint=joint) for joint in joints}
    heard = {entry["gz_topic_name"] for entry in bridge if entry["direction"] == "ROS_TO_GZ"}
    assert heard == sent
    assert heard == {entry["ros_topic_name"] for entry in bridge if entry["direction"] == "ROS_TO_GZ"}
    # The topic of the system is made of the names of model and joint.
    assert sent == {f"/model/{robot.get('name')}/joint/{joint}/cmd_force" for joint in joints}
    assert settings.states == "/joint_states"


def test_the_friction_that_the_bus_takes_away_is_that_of_the_joints(robot: ElementTree.Element) -> None:
    settings = read_settings(TopicSettings, shared_directory() / "config/buses/hyq_gazebo.yaml")
    servos = load_robot("hyq").description.servos
    dampings = [float(one.get("damping", "")) for one in robot.iter("dynamics")]
    assert len(dampings) == 12
    np.testing.assert_allclose(dampings, settings.joint_damping + servos.viscous_friction)
    # The engine takes damping into free motion and not into contacts: of a lower leg of 0.04 kg m^2 it may be no more than a part.
    assert 0.004 * settings.joint_damping < 0.5 * 0.04
    # And what is left to a torque that comes a step late may not turn the speed round.
    assert 0.004 * (settings.most_damping - settings.joint_damping) < 0.04 + 0.004 * settings.joint_damping


def test_the_robot_appears_above_the_ground() -> None:
    # A model begins with every joint at zero.
    model = load_robot("hyq")
    height = parse_launch_file(find_launch_file("gazebo"), {}, survey=True).arguments["height"].default
    assert height is not None
    lowest = model.description.foot_radius - model.feet_in_base(np.zeros(12))[:, 2].min()
    assert lowest < float(height) < lowest + 0.1


def test_the_launch_file_brings_gazebo_the_bridge_and_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    nodes: dict[str, Any] = {node.executable: node for node in parse_launch_file(find_launch_file("gazebo"), {}).nodes}
    assert {"gzserver", "parameter_bridge", "create", "servo_bridge", "inverse_dynamics"} <= nodes.keys()
    values = {name: dict(node.parameters) for name, node in nodes.items()}
    for place in (values["gzserver"]["world_sdf_file"], values["parameter_bridge"]["config_file"]):
        assert Path(place).is_file()
    assert "ApplyJointForce" in values["robot_state_publisher"]["robot_description"]
    assert values["servo_bridge"] | {"bus": "topic", "bus_file": "hyq_gazebo", "lockstep": False} == values["servo_bridge"]
    assert "-name" in nodes["create"].arguments
    # One whose end nobody notices would leave the robot blind, or without commands.
    may_end = {"create", "robot_state_publisher", "gamepad", "narrator"}
    assert {name for name, node in nodes.items() if not (node.required or node.respawn)} == may_end


def test_without_gazebo_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"no program 'gz' here.*ros-jazzy-ros-gz"):
        refuse_without_needed(find_launch_file("gazebo"))
    refuse_without_needed(find_launch_file("sim"))

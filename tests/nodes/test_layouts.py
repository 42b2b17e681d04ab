# SPDX-License-Identifier: Apache-2.0
"""The layouts for RViz, Foxglove and PlotJuggler name what there is: topics, fields, frames, markers, and ask of a topic what it offers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from surefoot.nodes import quality
from surefoot.nodes.conversions.common import ODOM
from surefoot.nodes.conversions.markers import NAMESPACES
from surefoot.nodes.markers import TOPICS
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.robot.model import RobotModel

LAYOUTS = Path(__file__).parents[2] / "config" / "layouts"
TYPES = {name: topic.type for name, topic in STACK_TOPICS.items()} | TOPICS
DISPLAYS = {
    "rviz_default_plugins/RobotModel": "std_msgs/msg/String", "rviz_default_plugins/MarkerArray": "visualization_msgs/msg/MarkerArray",
    "rviz_default_plugins/Odometry": "nav_msgs/msg/Odometry",
}  # fmt: skip
"""What a display of RViz shows, by its class."""


@pytest.fixture(scope="module")
def rviz() -> dict[str, Any]:
    manager: dict[str, Any] = yaml.safe_load((LAYOUTS / "rviz.rviz").read_text())["Visualization Manager"]
    return manager


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON document."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield key
            yield from texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from texts(entry)
    elif isinstance(value, str):
        yield value


def has_field(kind: str, path: str) -> bool:
    """Whether a message has a field such as angular_velocity.x or base_position[2]."""
    for name, index in re.findall(r"(\w+)(?:\[(\d+)\])?", path):
        fields = message_class(kind).get_fields_and_field_types() if "/" in kind else {}
        if name not in fields:
            return False
        kind = fields[name]
        if index:
            size = re.search(r"\[(\d+)\]$", kind)
            if not (size or kind.startswith("sequence<")) or (size and int(index) >= int(size[1])):
                return False
        kind = kind.replace("/", "/msg/", 1)
    return True


def test_rviz_shows_topics_that_are_there_and_asks_no_more_than_they_offer(rviz: dict[str, Any], hyq: RobotModel) -> None:
    shown = {}
    for display in rviz["Displays"]:
        topic = display.get("Topic") or display.get("Description Topic")
        if topic is None:
            continue
        name = topic["Value"]
        assert TYPES[name] == DISPLAYS[display["Class"]], name
        offered = STACK_TOPICS[name].quality(False) if name in STACK_TOPICS else {"/robot_description": quality.EVENT}.get(name)
        if topic["Reliability Policy"] == "Reliable" and offered is not None:
            assert offered.reliability == ReliabilityPolicy.RELIABLE, name
        if topic["Durability Policy"] == "Transient Local":
            assert offered is not None
            assert offered.durability == DurabilityPolicy.TRANSIENT_LOCAL, name
        shown[name] = display
    assert shown.keys() >= {"/markers", "/robot_description", "/odom"}
    assert shown["/markers"]["Namespaces"] == dict.fromkeys(NAMESPACES, True)
    assert rviz["Global Options"]["Fixed Frame"] == ODOM
    assert rviz["Views"]["Current"]["Target Frame"] == hyq.description.base


def test_foxglove_shows_topics_and_fields_that_are_there(hyq: RobotModel) -> None:
    layout = json.loads((LAYOUTS / "foxglove.json").read_text())
    named = {text for text in texts(layout) if text.startswith("/")}
    assert named >= {"/markers", "/robot_description", "/verdict", "/gait_status"}
    for text in named:
        topic, _, field = text.partition(".")
        assert topic in TYPES, text
        assert has_field(TYPES[topic], field), text
    assert layout["configById"]["3D!robot"]["followTf"] == hyq.description.base
    panels = {text for text in texts(layout["layout"]) if "!" in text}
    assert panels == layout["configById"].keys()


def test_plotjuggler_shows_fields_that_are_there() -> None:
    curves = [curve.attrib["name"] for curve in ElementTree.parse(LAYOUTS / "plotjuggler.xml").iter("curve")]
    assert len(curves) > 20
    for curve in curves:
        topic = max((name for name in TYPES if curve.startswith(f"{name}/")), key=len)
        assert has_field(TYPES[topic], curve.removeprefix(f"{topic}/").replace("/", ".")), curve


def test_a_field_that_is_not_there_is_found_out() -> None:
    assert has_field("sensor_msgs/msg/Imu", "angular_velocity.x")
    for kind, path in (("sensor_msgs/msg/Imu", "angular_velocity.w"), ("surefoot_msgs/msg/RobotState", "base_position[3]")):
        assert not has_field(kind, path)

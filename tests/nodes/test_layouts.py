# SPDX-License-Identifier: Apache-2.0
"""The layouts for RViz, Foxglove and PlotJuggler are such as those programs read, and name what there is: topics, curves, frames, markers.

The programs themselves are not here: what is held here is what their sources say of their files [PlotJuggler: ParserROS/ros_parser.cpp,
plot_docker.cpp; Foxglove's open successor Lichtblick: panels, message-path; rviz: plugins_description.xml].
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import JointState

from surefoot.gait.records import PLAN
from surefoot.nodes import quality
from surefoot.nodes.conversions.common import ODOM, stamp_of
from surefoot.nodes.conversions.markers import NAMESPACES
from surefoot.nodes.conversions.page import PageReader
from surefoot.nodes.conversions.plan import message_of_plan
from surefoot.nodes.conversions.plots import PLOTS
from surefoot.nodes.markers import TOPICS
from surefoot.nodes.parameters import NODES
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.robot.model import RobotModel
from surefoot.viewer.page.rehearsal import RehearsalShown, VerdictShown
from surefoot.viewer.page.state import CommandShown, NodeHealth, PageState, RobotShown

LAYOUTS = Path(__file__).parents[2] / "config" / "layouts"
TYPES = {name: topic.type for name, topic in STACK_TOPICS.items()} | TOPICS
RVIZ = {
    "Grid": "", "RobotModel": "std_msgs/msg/String", "TF": "", "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "Odometry": "nav_msgs/msg/Odometry", "Wrench": "geometry_msgs/msg/WrenchStamped", "Orbit": "", "MoveCamera": "", "Select": "",
    "FocusCamera": "",
}  # fmt: skip
"""Out of rviz_default_plugins, and the type of the topic that each is given."""
FOXGLOVE = {
    "3D": {"cameraState", "followMode", "followTf", "scene", "layers", "topics"},
    "Plot": {"title", "paths", "showXAxisLabels", "showYAxisLabels", "showLegend", "legendDisplay", "xAxisVal"},
    "DiagnosticSummary": {"minLevel", "pinnedIds", "hardwareIdFilter", "topicToRender", "sortByLevel", "secondsUntilStale"},
}
"""Keys that each panel knows; it passes over everything else."""
FOXGLOVE_CAMERA = {
    "distance", "perspective", "phi", "target", "targetOffset", "targetOrientation", "thetaOffset", "fovy", "near", "far",
}  # fmt: skip


@pytest.fixture(scope="module")
def rviz() -> dict[str, Any]:
    manager: dict[str, Any] = yaml.safe_load((LAYOUTS / "rviz.rviz").read_text())["Visualization Manager"]
    return manager


@pytest.fixture(scope="module")
def foxglove() -> dict[str, Any]:
    layout: dict[str, Any] = json.loads((LAYOUTS / "foxglove.json").read_text())
    return layout


@pytest.fixture
def messages(hyq: RobotModel) -> dict[str, Any]:
    """One message of each topic that a layout may name, of a robot of which everything is known."""
    state = hyq.neutral()
    shown = PageState(effort_limit=hyq.effort_limit)
    plan = message_of_plan(10.0, np.zeros(1, PLAN)[0], "walk", 0, hyq.description)
    plan.activity = plan.MOVING
    known = PageReader(hyq.description).plan(plan)
    assert known is not None
    upright = np.array((0.0, 0.0, 0.0, 1.0))
    shown.take_plan(replace(known, base_quaternion=upright, friction=np.full(4, 0.6), normal=np.tile((0.0, 0.0, 1.0), (4, 1))))
    shown.robot = robot_of(hyq, state)
    shown.command = CommandShown(state.joint_position, np.ones(12))
    shown.rehearsal = RehearsalShown(1, "walk", "trot", 9.0)
    shown.rehearsal.answer(VerdictShown(False, None, "tilt 3x", offer="trot slower", wall_seconds=0.8), 10.0)
    times = {"rate_hz": "250", "tick_us_p50": "180.5", "tick_us_p99": "300.1", "command_us_p50": "900", "command_us_p99": "1500", "x": ""}
    shown.health = {node: NodeHealth(times, "", 0.0) for node in NODES}
    made = {topic: plot.make(shown, shown.robot, stamp_of(10.0)) for topic, plot in PLOTS.items()}
    return {name: message_class(TYPES[name])() for name in TYPES if name not in made} | made


def robot_of(model: RobotModel, state: Any) -> RobotShown:
    return RobotShown(
        time=10.0, base_position=state.base_position, base_quaternion=state.base_quaternion, joint_position=state.joint_position,
        joint_effort=np.ones(12), position_covariance=np.eye(3), foot_position=model.feet_in_base(state.joint_position),
        foot_force=np.tile((20.0, 0.0, 200.0), (4, 1)), contact_probability=np.ones(4),
    )  # fmt: skip


def plotjuggler_names(topic: str, message: Any) -> Iterator[str]:
    """The curves that PlotJuggler makes of a message."""
    if isinstance(message, JointState):
        for column in ("position", "velocity", "effort"):
            yield from (f"{topic}/{name}/{column}" for name, _ in zip(message.name, getattr(message, column), strict=False))
    elif isinstance(message, DiagnosticArray):
        for status in message.status:
            for pair in status.values:
                if re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?|nan|inf", pair.value):
                    yield f"{topic}/{status.name}/{pair.key}"
    else:
        yield from fields_of(topic, message)


def fields_of(path: str, value: Any) -> Iterator[str]:
    if hasattr(value, "get_fields_and_field_types"):
        for name in value.get_fields_and_field_types():
            yield from fields_of(f"{path}/{name}", getattr(value, name))
    elif isinstance(value, bool | int | float):
        yield path


def foxglove_value(path: str, messages: dict[str, Any]) -> Any:
    """What a path of Foxglove leads to, with indices and filters by a text."""
    topic, *steps = re.split(r"\.(?![^{]*})", path)
    value = messages[topic]
    for step in steps:
        match = re.fullmatch(r'(\w+)(?:\[(\d+|:)\])?(?:\{(\w+)=="([^"]*)"\})?', step)
        assert match, f"{step} is no step of a path"
        name, index, key, wanted = match.groups()
        value = getattr(value, name)
        if key:
            (value,) = [one for one in value if getattr(one, key) == wanted]
        elif index:
            value = value[int(index)]
    return value


def plotjuggler_curves() -> list[str]:
    return [curve.attrib["name"] for curve in ElementTree.parse(LAYOUTS / "plotjuggler.xml").iter("curve")]


def test_plotjuggler_shows_curves_that_it_makes(messages: dict[str, Any]) -> None:
    curves = plotjuggler_curves()
    assert len(curves) > 40
    made = {name for topic, message in messages.items() for name in plotjuggler_names(topic, message)}
    assert set(curves) <= made, set(curves) - made


def test_foxglove_shows_numbers_that_there_are(messages: dict[str, Any], foxglove: dict[str, Any]) -> None:
    paths = [path["value"] for panel in foxglove["configById"].values() for path in panel.get("paths", ())]
    assert len(paths) > 20
    for path in paths:
        assert np.isfinite(float(foxglove_value(path, messages))), path
    for wrong in ("/plots/feet.status[9]", "/odom.pose.position", '/plots/feet.status[:]{name=="XX"}'):
        with pytest.raises((AssertionError, AttributeError, IndexError, ValueError)):
            foxglove_value(wrong, messages)


def test_all_that_is_plotted_is_on_standard_messages(foxglove: dict[str, Any]) -> None:
    named = {curve["value"].split(".")[0] for panel in foxglove["configById"].values() for curve in panel.get("paths", ())}
    named |= {max((topic for topic in TYPES if curve.startswith(f"{topic}/")), key=len) for curve in plotjuggler_curves()}
    named |= {panel["topicToRender"] for panel in foxglove["configById"].values() if "topicToRender" in panel}
    assert {topic for topic in named if TYPES[topic].startswith("surefoot")} == set()
    assert named >= set(PLOTS) - {"/plots/feet"}


def leaves(tree: dict[str, Any] | str) -> Iterator[str]:
    """The panels of a Foxglove layout, in which each split has two sides."""
    if isinstance(tree, str):
        yield tree
    else:
        assert tree["direction"] in ("row", "column")
        yield from (*leaves(tree["first"]), *leaves(tree["second"]))


def test_foxglove_knows_every_panel_and_key(foxglove: dict[str, Any], hyq: RobotModel) -> None:
    panels = foxglove["configById"]
    assert sorted(leaves(foxglove["layout"])) == sorted(panels)
    for name, panel in panels.items():
        assert set(panel) <= FOXGLOVE[name.split("!")[0]], name
        assert set(panel.get("cameraState", {})) <= FOXGLOVE_CAMERA
        shown = {layer["topic"] for layer in panel.get("layers", {}).values() if layer.get("sourceType") == "topic"}
        assert shown | set(panel.get("topics", {})) <= set(TYPES)
        assert TYPES[panel.get("topicToRender", "/diagnostics")] == "diagnostic_msgs/msg/DiagnosticArray"
    assert panels["3D!robot"]["followTf"] == hyq.description.base
    assert "/markers" in panels["3D!robot"]["topics"]


def test_plotjuggler_finds_its_tabs_and_plots() -> None:
    root = ElementTree.parse(LAYOUTS / "plotjuggler.xml").getroot()
    (main,) = root.findall("tabbed_widget")
    assert main.get("parent") == "main_window"
    for tab in main.findall("Tab"):
        (container,) = tab.findall("Container")
        (splitter,) = container.findall("DockSplitter")
        areas = splitter.findall("DockArea")
        assert int(splitter.attrib["count"]) == len(areas) == len(splitter.attrib["sizes"].split(";"))
        assert all(area.find("plot[@mode='TimeSeries']") is not None for area in areas)


def test_rviz_shows_topics_that_are_there_and_asks_no_more_than_they_offer(rviz: dict[str, Any], hyq: RobotModel) -> None:
    for thing in (*rviz["Displays"], *rviz["Tools"], rviz["Views"]["Current"], rviz["Transformation"]["Current"]):
        package, name = thing["Class"].split("/")
        assert package == "rviz_default_plugins"
        assert name in RVIZ
    shown = {}
    for display in rviz["Displays"]:
        topic = display.get("Topic") or display.get("Description Topic")
        if topic is None:
            continue
        name = topic["Value"]
        assert TYPES[name] == RVIZ[display["Class"].split("/")[1]], name
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

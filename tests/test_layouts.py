# SPDX-License-Identifier: Apache-2.0
"""Layouts for other programs are such as those programs read, and name topics and fields that there are.

The programs themselves are not here: what is held here is what their sources say of their files.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

FOLDER = Path(__file__).resolve().parent.parent / "config" / "layouts"
SEQUENCES = {"foot_": 4, "foot_position": 12, "joint_": 12, "position": 12, "velocity": 12, "effort": 12}
"""How many entries a list has at least, by how its name begins; the longest beginning counts."""
BY_JOINT = "sensor_msgs/msg/JointState"
"""Of these PlotJuggler makes a curve for each joint, by its name: a layout for every robot cannot name one [PlotJuggler, ParserROS]."""
RVIZ_CLASSES = {
    "Grid": "", "RobotModel": "std_msgs/msg/String", "TF": "tf2_msgs/msg/TFMessage", "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "Odometry": "nav_msgs/msg/Odometry", "Orbit": "", "MoveCamera": "", "Select": "", "FocusCamera": "",
}  # fmt: skip
"""Out of rviz_default_plugins, and the type that each shows [rviz, plugins_description.xml]."""
FOXGLOVE_PANELS = {"3D", "Plot", "RawMessages", "DiagnosticSummary"}
FOXGLOVE_CAMERA = {
    "distance", "perspective", "phi", "target", "targetOffset", "targetOrientation", "thetaOffset", "fovy", "near", "far",
}  # fmt: skip
"""What a 3D panel knows of its camera; it passes over everything else."""


def topics() -> dict[str, str]:
    from surefoot.nodes.markers import TOPICS
    from surefoot.nodes.stack_topics import STACK_TOPICS

    return {name: topic.type for name, topic in STACK_TOPICS.items()} | TOPICS


def reach(kind: str, steps: list[str]) -> str:
    """The type that a path of fields leads to in a message type; fails where there is no such field."""
    from surefoot.nodes.stack_topics import message_class

    for step in steps:
        match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", step)
        assert match, f"{step} is no field"
        name, index = match[1], match[2]
        fields = message_class(kind.replace("/", "/msg/") if "/msg/" not in kind else kind).get_fields_and_field_types()
        assert name in fields, f"{kind} has no {name}; it has {', '.join(fields)}"
        kind = fields[name]
        many = re.fullmatch(r"sequence<(.+)>|(.+)\[(\d+)\]", kind)
        assert bool(many) == (index is not None), f"{name} is {kind}"
        if many:
            begins = max((part for part in SEQUENCES if name.startswith(part)), key=len, default="")
            assert int(index) < int(many[3] or SEQUENCES[begins]), f"{name} is not that long"
            kind = many[1] or many[2]
    return kind


def foxglove() -> dict[str, Any]:
    layout: dict[str, Any] = json.loads((FOLDER / "foxglove.json").read_text())
    return layout


def foxglove_curves() -> list[str]:
    return [path["value"] for panel in foxglove()["configById"].values() for path in panel.get("paths", ())]


def plotjuggler_curves() -> list[str]:
    return [curve.attrib["name"] for curve in ElementTree.parse(FOLDER / "plotjuggler.xml").iter("curve")]


def test_there_are_curves() -> None:
    assert len(foxglove_curves()) > 10
    assert len(plotjuggler_curves()) > 20


@pytest.mark.parametrize("curve", sorted({*foxglove_curves(), *plotjuggler_curves()}))
def test_every_curve_is_a_number_that_there_is(curve: str) -> None:
    _, topic, *steps = re.split(r"[/.]", curve)
    assert "." in curve or topics()[f"/{topic}"] != BY_JOINT, "PlotJuggler has no such curve"
    assert re.fullmatch(r"double|float|u?int\d+|boolean|octet", reach(topics()[f"/{topic}"], steps))


def test_a_curve_that_there_is_not_is_noticed() -> None:
    for wrong in (["base_position[3]"], ["base_position"], ["base_height"], ["foot_mode[4]"], ["phase[0]"], ["header", "stamp", "seconds"]):
        with pytest.raises(AssertionError):
            reach("surefoot_msgs/msg/MotionPlan", wrong)
    assert reach("surefoot_msgs/msg/MotionPlan", ["header", "stamp", "sec"]) == "int32"


def leaves(tree: dict[str, Any] | str) -> Iterator[str]:
    """The panels of a Foxglove layout, in which each split has two sides."""
    if isinstance(tree, str):
        yield tree
    else:
        assert tree["direction"] in ("row", "column")
        yield from (*leaves(tree["first"]), *leaves(tree["second"]))


def test_foxglove_knows_every_panel() -> None:
    layout = foxglove()
    panels = layout["configById"]
    assert sorted(leaves(layout["layout"])) == sorted(panels)
    assert {name.split("!")[0] for name in panels} == FOXGLOVE_PANELS
    for panel in panels.values():
        assert set(panel.get("cameraState", {})) <= FOXGLOVE_CAMERA
        assert {panel[key] for key in ("topicPath", "topicToRender") if key in panel} <= set(topics())
        assert {layer["topic"] for layer in panel.get("layers", {}).values() if layer.get("sourceType") == "topic"} <= set(topics())


def test_plotjuggler_finds_its_tabs_and_plots() -> None:
    root = ElementTree.parse(FOLDER / "plotjuggler.xml").getroot()
    (main,) = root.findall("tabbed_widget")
    assert main.get("parent") == "main_window"
    for tab in main.findall("Tab"):
        (container,) = tab.findall("Container")
        (splitter,) = container.findall("DockSplitter")
        areas = splitter.findall("DockArea")
        assert int(splitter.attrib["count"]) == len(areas) == len(splitter.attrib["sizes"].split(";"))
        assert all(area.find("plot[@mode='TimeSeries']") is not None for area in areas)


def test_rviz_knows_every_class_and_shows_what_it_can() -> None:
    manager = yaml.safe_load((FOLDER / "rviz.rviz").read_text())["Visualization Manager"]
    things = [*manager["Displays"], *manager["Tools"], manager["Views"]["Current"], manager["Transformation"]["Current"]]
    for thing in things:
        package, name = thing["Class"].split("/")
        assert package == "rviz_default_plugins"
        topic = thing.get("Topic", thing.get("Description Topic", {})).get("Value")
        assert topic is None or topics()[topic] == RVIZ_CLASSES[name], thing
        assert name in RVIZ_CLASSES
    assert manager["Global Options"]["Fixed Frame"] == "odom"


def test_rviz_and_foxglove_show_the_markers_that_are_made() -> None:
    from surefoot.nodes.conversions.markers import NAMESPACES

    displays = yaml.safe_load((FOLDER / "rviz.rviz").read_text())["Visualization Manager"]["Displays"]
    (markers,) = [display for display in displays if display["Class"].endswith("MarkerArray")]
    assert markers["Topic"]["Value"] == "/markers"
    assert set(markers["Namespaces"]) == set(NAMESPACES)
    scenes = [panel["topics"] for panel in foxglove()["configById"].values() if "topics" in panel]
    assert all(set(scene) <= set(topics()) for scene in scenes)
    assert any("/markers" in scene for scene in scenes)

# SPDX-License-Identifier: Apache-2.0
"""Layouts for other programs name topics and fields that there are. The programs themselves are not here."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from surefoot.recording.definitions import definition_of

FOLDER = Path(__file__).resolve().parent.parent / "config" / "layouts"


def topics() -> dict[str, str]:
    from surefoot.nodes.markers import TOPICS
    from surefoot.nodes.stack_topics import STACK_TOPICS

    return {name: topic.type for name, topic in STACK_TOPICS.items()} | TOPICS


def curves() -> list[tuple[str, str]]:
    """Topic and first field of every curve."""
    foxglove = json.loads((FOLDER / "foxglove.json").read_text())["configById"].values()
    paths = [path["value"] for panel in foxglove for path in panel.get("paths", ())]
    paths += [panel["topicPath"] for panel in foxglove if "topicPath" in panel]
    found = [(path.split(".")[0], path.split(".")[1] if "." in path else "") for path in paths]
    for curve in ElementTree.parse(FOLDER / "plotjuggler.xml").iter("curve"):
        _, topic, field, *_ = curve.attrib["name"].split("/")
        found.append((f"/{topic}", field))
    return [(topic, re.sub(r"\[\d+\]", "", field)) for topic, field in found]


@pytest.mark.parametrize(("topic", "field"), sorted(set(curves())))
def test_every_curve_is_of_a_field_that_there_is(topic: str, field: str) -> None:
    definition = definition_of(topics()[topic])[0].split("=" * 80)[0]
    assert not field or re.search(rf"^[\w/\[\]]+ +{field}\b", definition, re.MULTILINE), definition


def test_rviz_shows_topics_that_there_are() -> None:
    layout = yaml.safe_load((FOLDER / "rviz.rviz").read_text())["Visualization Manager"]
    named = [display.get("Topic", display.get("Description Topic", {})).get("Value") for display in layout["Displays"]]
    assert {name for name in named if name} <= set(topics())
    assert layout["Global Options"]["Fixed Frame"] == "odom"


def test_rviz_and_foxglove_show_the_markers_that_are_made() -> None:
    from surefoot.nodes.conversions.markers import NAMESPACES

    displays = yaml.safe_load((FOLDER / "rviz.rviz").read_text())["Visualization Manager"]["Displays"]
    (markers,) = [display for display in displays if display["Class"].endswith("MarkerArray")]
    assert markers["Topic"]["Value"] == "/markers"
    assert set(markers["Namespaces"]) == set(NAMESPACES)
    scenes = [panel["topics"] for panel in json.loads((FOLDER / "foxglove.json").read_text())["configById"].values() if "topics" in panel]
    assert all(set(scene) <= set(topics()) for scene in scenes)
    assert any("/markers" in scene for scene in scenes)

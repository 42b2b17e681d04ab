# SPDX-License-Identifier: Apache-2.0
"""The command line that a node is started with."""

import sys
from pathlib import Path

import pytest

from surefoot.bringup import command
from surefoot.bringup.command import node_process
from surefoot.bringup.description import NodeDescription
from surefoot.bringup.errors import LaunchFileError, Origin

ORIGIN = Origin(Path("a.launch.xml"), 3)


@pytest.fixture(autouse=True)
def known_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "node_names", lambda: ("simulator", "teleop"))


def test_whole_command() -> None:
    node = NodeDescription(
        "surefoot",
        "teleop",
        ORIGIN,
        name="driver",
        namespace="dog",
        arguments=("--fast",),
        parameters=(("robot", "7"), Path("/p.yaml"), ("rate", 5.0)),
        remappings=(("joy", "/joy"),),
        environment=(("A", "b"),),
    )
    process = node_process(node)
    assert process.label == "dog/driver"
    assert process.command[:4] == (sys.executable, "-m", "surefoot.nodes.teleop", "--fast")
    assert " ".join(process.command[4:]) == (
        '--ros-args -r __node:=driver -r __ns:=/dog -p robot:="7" --params-file /p.yaml -p rate:=5.0 -r joy:=/joy'
    )
    assert process.environment["A"] == "b"


@pytest.mark.parametrize(
    ("package", "executable", "words"),
    [("joy", "joy_node", ["a.launch.xml:3", "joy", "surefoot"]), ("surefoot", "simulater", ["a.launch.xml:3", "did you mean 'simulator'"])],
)
def test_refusal(package: str, executable: str, words: list[str]) -> None:
    with pytest.raises(LaunchFileError) as refusal:
        node_process(NodeDescription(package, executable, ORIGIN))
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize(("duration", "may_finish"), [(0.0, False), (5.0, True)])
def test_a_node_with_a_duration_may_finish(duration: float, may_finish: bool) -> None:
    assert node_process(NodeDescription("surefoot", "simulator", ORIGIN, parameters=(("duration", duration),))).may_finish is may_finish

# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.bringup.find import find_launch_file
from surefoot.bringup.parser import parse_launch_file
from surefoot.cli.app import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "70000"), (["--commands", "maybe"], "maybe"), (["--robot", "hyk"], "did you mean 'hyq'"),
        (["--world", "moon"], "moon"), (["--token", "abc"], "3 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_a_node_starts(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("story", "pad"), [("", True), ("demo", False)])
def test_a_launched_page_has_no_gamepad_beside_a_scripted_one_and_comes_back(story: str, pad: bool) -> None:
    arguments = {"view": "true", "world": "ice_ahead", "story": story}
    (node,) = [node for node in parse_launch_file(find_launch_file("sim"), arguments).nodes if node.executable == "view"]
    given = dict(parameter for parameter in node.parameters if not isinstance(parameter, Path))
    assert (given["pad"], given["world"]) == (pad, "ice_ahead")
    assert node.respawn
    assert "host" not in given


def test_by_default_there_is_none() -> None:
    assert "view" not in [node.executable for node in parse_launch_file(find_launch_file("sim"), {}).nodes]


@pytest.mark.parametrize("body", ["sim", "robot"])
def test_markers_are_said_where_they_are_asked_for_and_only_there(body: str) -> None:
    for given, there in (({}, False), ({"markers": "true"}, True)):
        nodes = {node.executable: node for node in parse_launch_file(find_launch_file(body), {"robot": "hyq"} | given).nodes}
        assert ("markers" in nodes) == there
    assert nodes["markers"].respawn


def test_markers_know_the_ground_of_a_simulation() -> None:
    arguments = {"markers": "true", "world": "steps"}
    (node,) = [node for node in parse_launch_file(find_launch_file("sim"), arguments).nodes if node.executable == "markers"]
    assert dict(parameter for parameter in node.parameters if not isinstance(parameter, Path))["world"] == "steps"


def test_a_report_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "no such run" in capsys.readouterr().err

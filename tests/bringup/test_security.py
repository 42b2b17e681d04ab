# SPDX-License-Identifier: Apache-2.0
"""`security:=true` reaches every node, and nothing does where it is not asked for."""

from pathlib import Path

import pytest

from surefoot.bringup.command import node_process
from surefoot.bringup.description import NodeDescription
from surefoot.bringup.find import find_launch_file
from surefoot.bringup.parser import parse_launch_file
from surefoot.errors import ConfigurationError
from surefoot.security import ENABLE, KEYSTORE, STRATEGY, enclave_of

VARIABLES = {ENABLE, STRATEGY, KEYSTORE}


def nodes(file: str | Path, **arguments: str) -> list[NodeDescription]:
    if file == "robot":
        arguments["robot"] = "links"
    return parse_launch_file(find_launch_file(file) if isinstance(file, str) else file, arguments).nodes


def environments(file: str | Path, **arguments: str) -> list[dict[str, str]]:
    """What of security the process of each node gets beside the shell's."""
    processes = [node_process(node) for node in nodes(file, **arguments)]
    return [{name: value for name, value in process.environment.items() if name in VARIABLES} for process in processes]


@pytest.mark.parametrize("file", ["sim", "robot", "replay", "tune"])
def test_it_is_off_by_default_and_the_shell_is_left_alone(file: str) -> None:
    found = environments(file)
    assert found
    assert all(one == {} for one in found)


@pytest.mark.parametrize("file", ["sim", "robot", "replay", "tune"])
def test_switched_on_it_reaches_every_node(file: str) -> None:
    on = {ENABLE: "true", STRATEGY: "Enforce"}
    assert all(one == on for one in environments(file, security="true")), "the keystore is that of the shell"
    with_keys = environments(file, security="true", keystore="/keys", security_strategy="Permissive")
    assert with_keys
    assert all(one == {ENABLE: "true", STRATEGY: "Permissive", KEYSTORE: "/keys"} for one in with_keys)


def test_only_what_there_is_can_be_asked_for() -> None:
    for name in ("security", "security_strategy"):
        with pytest.raises(ConfigurationError, match=f"value of {name}: 'yes'"):
            nodes("robot", **{name: "yes"})


def test_the_enclave_of_a_node_is_among_the_arguments_of_its_process() -> None:
    for node in nodes("sim", view="true", record="true"):
        assert enclave_of(node_process(node).command) == f"/surefoot/{node.executable}"


def test_variables_that_are_set_hold_from_there_on_and_groups_give_them_back(tmp_path: Path) -> None:
    """As under `ros2 launch`; what a node sets for itself comes last."""
    file, inner = tmp_path / "test.launch.xml", tmp_path / "inner.launch.xml"
    inner.write_text('<launch><set_env name="A" value="inner"/></launch>')
    own = '<node pkg="surefoot" exec="teleop"><env name="A" value="own"/></node>'
    node, set_a = '<node pkg="surefoot" exec="teleop"/>', '<set_env name="A" value="{}"/>'
    file.write_text(
        f'<launch>{node}<group>{set_a.format("group")}{node}</group>{node}<include file="$(dirname)/inner.launch.xml"/>{node}{own}'
        f'<set_env name="A" value="not" if="false"/>{node}</launch>'
    )
    found = [dict(one.environment) for one in nodes(file)]
    assert found == [{}, {"A": "group"}, {}, {"A": "inner"}, {"A": "own"}, {"A": "inner"}]

# SPDX-License-Identifier: Apache-2.0
"""The policy of SROS 2 allows what the nodes say and hear, and nothing else."""

import json
import os
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

import pytest

from surefoot.bringup.find import find_launch_file, launch_names
from surefoot.bringup.parser import parse_launch_file
from surefoot.nodes.parameters import NODES
from surefoot.nodes.security_policy import EVERY_NODE, HEALTH, RIGHTS, SERVICES, TYPES, policy
from surefoot.robot.locate import shared_directory
from surefoot.security import ENABLE, ENCLAVES, KEYSTORE, POLICY, STRATEGY, enclave_of

ROOT = Path(__file__).resolve().parents[2]
Said = dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def said(told_bag: Path, tmp_path_factory: pytest.TempPathFactory) -> Said:
    """By node: what it says, hears, serves, calls, does and asks."""
    words = [str(ROOT / "tests" / "helpers" / "said_by_nodes.py"), str(tmp_path_factory.mktemp("bags")), str(told_bag), *RIGHTS]
    environment = os.environ | {"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF", "PYTHONPATH": str(ROOT / "src" / "surefoot")}
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False, timeout=350)
    assert done.returncode == 0, done.stderr[-3000:]
    found: Said = json.loads(done.stdout.splitlines()[-1])
    return found


def of_process(said: Said, name: str, kind: str) -> set[str]:
    return {one for node in (name, *RIGHTS[name].also) for one in said.get(node, {}).get(kind, ())}


def test_every_node_has_its_enclave_and_no_other() -> None:
    assert set(RIGHTS) == set(NODES)


@pytest.mark.timeout(400)
def test_each_may_say_and_hear_what_it_does_and_nothing_else(said: Said) -> None:
    assert set(said) == {node for name, rights in RIGHTS.items() for node in (name, *rights.also)}
    for name, rights in RIGHTS.items():
        for kind, right, sometimes in (
            ("says", (*rights.says, *EVERY_NODE, HEALTH), rights.may_say), ("hears", rights.hears, rights.may_hear),
            ("does", rights.does, ()), ("asks", rights.asks, ()), ("calls", rights.calls, ()),
        ):  # fmt: skip
            found = of_process(said, name, kind)
            beyond = [one for one in found if not any(fnmatchcase(one, allowed) for allowed in (*right, *sometimes))]
            assert beyond == [], f"{name} {kind} what it may not"
            superfluous = [one for one in right if not any(fnmatchcase(it, one) for it in found)]
            assert superfluous == [], f"{name} may more than it {kind}"


def test_they_serve_what_every_node_does_alone_and_those_beside_them_nothing(said: Said) -> None:
    for name, rights in RIGHTS.items():
        assert said[name]["serves"] == [f"/{name}/{service}" for service in SERVICES]
        for quiet in rights.also:
            assert said[quiet]["serves"] == []
            assert said[quiet]["says"] == ["/parameter_events"]


def test_the_file_is_what_is_made_of_the_table() -> None:
    assert (shared_directory() / POLICY).read_text(encoding="utf-8") == policy(), "python -m surefoot.nodes.security_policy makes it"


def test_it_is_read_as_sros_2_does() -> None:
    """By its schema: enclaves with their profiles, in these rules with these rights; who has none of its own only looks."""
    root = ElementTree.fromstring((shared_directory() / POLICY).read_text(encoding="utf-8"))
    assert (root.tag, root.get("version")) == ("policy", "0.2.0")
    rights = {"topics": {"publish", "subscribe"}, "services": {"reply", "request"}, "actions": {"call", "execute"}}
    for profile in root.iterfind("enclaves/enclave/profiles/profile"):
        assert set(profile.attrib) == {"ns", "node"}
        for rule in profile:
            assert set(rule.attrib) <= rights[rule.tag]
            assert set(rule.attrib.values()) == {"ALLOW"}
            assert {one.tag for one in rule} == {rule.tag.removesuffix("s")}
            assert all(one.text and one.text[0] in "/~" for one in rule)
    looks = root.find("enclaves/enclave[@path='/']")
    assert looks is not None
    assert {one.text for one in looks.iterfind(".//topics[@publish]/topic")} == set(EVERY_NODE)
    assert looks.find(".//actions") is None
    assert looks.find(".//services[@request]") is None
    assert {one.text for one in looks.iterfind(".//service")} == {f"/*/{TYPES}"}
    commands = [one.get("path") for one in root.iterfind("enclaves/enclave") if "/servo_command" in
                {topic.text for topic in one.iterfind(".//topics[@publish]/topic")}]  # fmt: skip
    assert commands == [f"{ENCLAVES}/inverse_dynamics"], "one alone commands"


@pytest.mark.parametrize("name", launch_names())
def test_launch_files_give_each_node_its_enclave(name: str) -> None:
    arguments = {"robot": "links"} if name == "robot" else {}
    description = parse_launch_file(find_launch_file(name), arguments)
    for node in description.nodes:
        if node.package == "surefoot":
            assert enclave_of(node.ros_arguments) == f"{ENCLAVES}/{node.executable}", name


@pytest.mark.timeout(200)
def test_a_node_that_cannot_be_as_secure_as_it_is_asked_to_ends_before_it_speaks(tmp_path: Path) -> None:
    environment = os.environ | {ENABLE: "true", STRATEGY: "Enforce", KEYSTORE: str(tmp_path)}
    words = [sys.executable, "-m", "surefoot.nodes.narrator", "--ros-args", "--enclave", f"{ENCLAVES}/narrator"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=150)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert "security" in done.stderr or "keystore" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""Small launch files with their right answers, and their right refusals."""

from pathlib import Path

import pytest

from surefoot.bringup.errors import LaunchFileError
from surefoot.bringup.parser import parse_launch_file
from surefoot.errors import ConfigurationError, UnknownNameError

OTHER = """<launch>
  <arg name="robot" default="links"/>
  <arg name="extra" default="none"/>
  <node pkg="surefoot" exec="simulator" name="$(var robot)-$(var extra)"/>
</launch>"""


OTHER_FILE = "$(dirname)/other.launch.xml"
LET_OUT, LET_IN = '<let name="a" value="out"/>', '<let name="a" value="in"/>'


def write(directory: Path, body: str) -> Path:
    (directory / "other.launch.xml").write_text(OTHER)
    path = directory / "test.launch.xml"
    path.write_text(f"<launch>\n{body}\n</launch>")
    return path


def node(attributes: str = "", children: str = "") -> str:
    return f'<node pkg="surefoot" exec="teleop" {attributes}>{children}</node>'


NODE_A = node('name="$(var a)"')
ROBOT = '<arg name="robot" default="hyq" description="which"><choice value="hyq"/><choice value="links"/></arg>'

NAMES = [
    ("argument_default", ROBOT + node('name="$(var robot)"'), {}, ["hyq"]),
    ("argument_given", ROBOT + node('name="$(var robot)"'), {"robot": "links"}, ["links"]),
    ("default_from_argument", ROBOT + '<arg name="a" default="$(var robot)_b"/>' + NODE_A, {"robot": "links"}, ["links_b"]),
    ("let", '<let name="a" value="x"/><let name="a" value="$(var a)y"/>' + NODE_A, {}, ["xy"]),
    ("if", node('name="a" if="true"') + node('name="b" if="0"'), {}, ["a"]),
    ("unless", node('name="a" unless="$(var r)"') + node('name="b" unless="False"'), None, ["b"]),
    ("group_scopes", LET_OUT + "<group>" + LET_IN + NODE_A + "</group>" + NODE_A, {}, ["in", "out"]),
    ("group_unscoped", LET_OUT + '<group scoped="false">' + LET_IN + "</group>" + NODE_A, {}, ["in"]),
    ("group_if", '<group if="false">' + node() + "</group>" + node('name="b"'), {}, ["b"]),
    ("include_default", '<include file="' + OTHER_FILE + '"/>', {}, ["links-none"]),
    ("include_argument", '<include file="' + OTHER_FILE + '"><arg name="extra" value="e"/></include>', {}, ["links-e"]),
    ("include_let", '<include file="' + OTHER_FILE + '"><let name="extra" value="e"/></include>', {}, ["links-e"]),
    ("include_shares_variables", ROBOT + '<include file="' + OTHER_FILE + '"/>' + node('name="$(var extra)"'), {}, ["hyq-none", "none"]),
    ("argument_of_include_given", '<include file="' + OTHER_FILE + '"/>', {"extra": "given"}, ["links-given"]),
    ("include_unless", '<include file="$(dirname)/missing.launch.xml" unless="1"/>', {}, []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "arguments", "names"), [case[1:] for case in NAMES], ids=[case[0] for case in NAMES])
def test_nodes(tmp_path: Path, body: str, arguments: dict[str, str] | None, names: list[str]) -> None:
    if arguments is None:
        body, arguments = '<arg name="r"/>' + body, {"r": "true"}
    assert [found.name for found in parse_launch_file(write(tmp_path, body), arguments).nodes] == names


def test_everything_of_a_node(tmp_path: Path) -> None:
    (tmp_path / "parameters.yaml").write_text("{}")
    body = node(
        'name="driver" namespace="dog" args="--fast \'two words\'" respawn="true" respawn_delay="0.5" output="log" on_exit="shutdown"',
        '<param name="rate" value="500"/><param from="$(dirname)/parameters.yaml"/><param name="robot" value="7" type="str"/>'
        '<remap from="joy" to="/pad/joy"/><env name="A" value="$(dirname)"/>',
    )
    (found,) = parse_launch_file(write(tmp_path, body), {}).nodes
    assert (found.package, found.executable, found.name, found.namespace) == ("surefoot", "teleop", "driver", "dog")
    assert found.arguments == ("--fast", "two words")
    assert found.parameters == (("rate", 500), tmp_path / "parameters.yaml", ("robot", "7"))
    assert found.remappings == (("joy", "/pad/joy"),)
    assert found.environment == (("A", str(tmp_path)),)
    assert (found.respawn, found.respawn_delay, found.shown, found.required) == (True, 0.5, False, True)


REFUSALS = [
    ("unknown_element", "<executable cmd='ls'/>", {}, ["test.launch.xml:2", "<executable>", "<node>"]),
    ("unknown_attribute", node('machine="robot"'), {}, ["test.launch.xml:2", "'machine'"]),
    ("unknown_child", node("", "<rosparam/>"), {}, ["<rosparam>", "<param>"]),
    ("line", "\n\n" + node('prio="1"'), {}, ["test.launch.xml:4"]),
    ("prefix", node('launch-prefix="gdb"'), {}, ["launch-prefix"]),
    ("no_pkg", '<node exec="teleop"/>', {}, ["'pkg'"]),
    ("output", node('output="mail"'), {}, ["mail", "screen"]),
    ("delay", node('respawn_delay="-1"'), {}, ["-1", "0 or more"]),
    ("delay_nan", node('respawn_delay="nan"'), {}, ["nan"]),
    ("respawn", node('respawn="maybe"'), {}, ["maybe"]),
    ("param_type", node("", '<param name="rate" value="fast" type="int"/>'), {}, ["rate", "fast", "int"]),
    ("param_without_value", node("", '<param name="rate"/>'), {}, ["'value'"]),
    ("param_file", node("", '<param from="/no/such.yaml"/>'), {}, ["/no/such.yaml"]),
    ("condition", node('if="maybe"'), {}, ["if", "maybe"]),
    ("both_conditions", node('if="1" unless="0"'), {}, ["both"]),
    ("missing_argument", '<arg name="robot"/>', {}, ["robot:=VALUE"]),
    ("choice", ROBOT, {"robot": "hyk"}, ["hyk", "hyq", "links", "did you mean"]),
    ("unknown_argument", ROBOT, {"rebot": "hyq"}, ["rebot", "did you mean 'robot'"]),
    ("misspelt_and_missing", '<arg name="robot"/>', {"robto": "hyq"}, ["robto", "did you mean 'robot'"]),
    ("include_missing", '<include file="$(dirname)/missing.launch.xml"/>', {}, ["no such launch file", "missing.launch.xml"]),
    ("include_python", '<include file="a.launch.py"/>', {}, ["only XML"]),
    ("include_itself", '<include file="$(dirname)/test.launch.xml"/>', {}, ["includes itself"]),
    ("include_unknown_argument", '<include file="' + OTHER_FILE + '"><arg name="robto" value="x"/></include>', {}, ["robto", "robot"]),
    ("text", "hello", {}, ["text between", "hello"]),
    ("not_xml", "<node", {}, ["not XML", "test.launch.xml:3"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "arguments", "words"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS])
def test_refusal(tmp_path: Path, body: str, arguments: dict[str, str], words: list[str]) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        parse_launch_file(write(tmp_path, body), arguments)
    for word in words:
        assert word in str(refusal.value)


def test_refusal_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "bad.launch.xml").write_text("<launch>\n<bad/></launch>")
    with pytest.raises(LaunchFileError) as refusal:
        parse_launch_file(write(tmp_path, '<include file="$(dirname)/bad.launch.xml"/>'), {})
    assert (refusal.value.origin.file.name, refusal.value.origin.line) == ("bad.launch.xml", 2)


def test_survey_lists_arguments_without_needing_them(tmp_path: Path) -> None:
    body = '<arg name="must" description="has to be given"/>' + ROBOT + '<include file="' + OTHER_FILE + '" if="$(var must)"/>'
    arguments = parse_launch_file(write(tmp_path, body), {}, survey=True).arguments
    assert list(arguments) == ["must", "robot", "extra"]
    assert arguments["must"].default is None
    assert (arguments["robot"].default, arguments["robot"].choices) == ("hyq", ("hyq", "links"))


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nothing here"):
        parse_launch_file(tmp_path / "nothing here.launch.xml", {})


def test_unknown_argument_is_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as refusal:
        parse_launch_file(write(tmp_path, ROBOT), {"x": "1"})
    assert refusal.value.known == ["robot"]

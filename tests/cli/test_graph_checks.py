# SPDX-License-Identifier: Apache-2.0
"""What a graph is given is looked up before anything starts, and refused with what would be right."""

import os
import termios
from pathlib import Path

import pytest
import yaml

from surefoot.bringup.description import NodeDescription
from surefoot.bringup.errors import LaunchFileError, Origin
from surefoot.bringup.find import find_launch_file
from surefoot.bringup.parser import parse_launch_file
from surefoot.bringup.values import ParameterValue
from surefoot.cli.graph_checks import check_graph
from surefoot.errors import SurefootError
from surefoot.robot.locate import find_robot
from surefoot.servos.buses import find_bus_file

ORIGIN = Origin(Path("own.launch.xml"), 12)


def node(executable: str, *files: Path, name: str | None = None, namespace: str | None = None, **values: ParameterValue) -> NodeDescription:
    return NodeDescription("surefoot", executable, ORIGIN, name=name, namespace=namespace, parameters=(*files, *values.items()))


def launched(file: str, **arguments: str) -> set[str]:
    """Check the graph of a launch file; what would be started."""
    named = {"robot": "hyq"} if file == "robot" else {}
    nodes = parse_launch_file(find_launch_file(file), named | arguments).nodes
    check_graph(nodes)
    return {node.executable for node in nodes}


def refusal_of(*nodes: NodeDescription) -> str:
    with pytest.raises(SurefootError) as refusal:
        check_graph(nodes)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("sim", {}),
        ("sim", {"story": "demo", "world": "ice_ahead", "motors": "diamond", "controller": "coulomb_lcp"}),
        ("sim", {"view": "true", "record": "true", "gamepad": "true", "layout": "xbox"}),
        ("robot", {}),
        ("robot", {"bus": "topic", "bus_file": "hyq_ros2_control"}),
        ("robot", {"robot": "links", "layout": "ps5"}),
        ("robot", {"bus": "simulated", "path_follower": "true"}),
        ("tune", {}),
        ("gazebo", {}),
    ],
)
def test_what_can_be_used_is_let_through(file: str, arguments: dict[str, str]) -> None:
    assert {"state_estimator", "gait_planner", "inverse_dynamics", "servo_bridge"} <= launched(file, **arguments)


@pytest.mark.parametrize(
    ("file", "arguments", "words"),
    [
        ("sim", {"robot": "hyqq"}, ("unknown robot 'hyqq'", "did you mean 'hyq'")),
        ("sim", {"world": "iceland"}, ("unknown world 'iceland'", "ice_ahead")),
        ("sim", {"motors": "small_servos"}, ("unknown motors 'small_servos'", "did you mean 'small_servo'")),
        ("sim", {"story": "demmo"}, ("unknown story 'demmo'", "did you mean 'demo'")),
        ("sim", {"layout": "nintendo"}, ("unknown gamepad layout 'nintendo'", "xbox")),
        ("sim", {"controller": "two_stage"}, ("inverse_dynamics", "unknown controller 'two_stage'", "compiled", "two_stage_qp")),
        ("sim", {"controller": "joint_pid+stabilizer"}, ("unknown feedback 'stabilizer'", "stabiliser")),
        ("sim", {"controller_every": "0"}, ("controller_every", "greater than or equal to 1", "0")),
        ("sim", {"seed": "-1"}, ("seed", "greater than or equal to 0", "-1")),
        ("sim", {"view": "true", "view_port": "70000"}, ("port", "65535", "70000")),
        ("robot", {"controller": "coulomb_lcp"}, ("'coulomb_lcp' may not drive motors",)),
        ("robot", {"bus": "dynamixl"}, ("unknown bus 'dynamixl'", "did you mean 'dynamixel'")),
        ("robot", {"bus": "dynamixel"}, ("bus 'dynamixel' without a bus_file", "port: missing", "joints: missing")),
        ("robot", {"bus": "dynamixel", "bus_file": "links"}, ("unknown bus file 'links'", "links_dynamixel")),
        ("robot", {"bus": "dynamixel", "bus_file": "/no/such.yaml"}, ("/no/such.yaml",)),
        ("robot", {"bus": "dynamixel", "bus_file": "go2_unitree"}, ("go2_unitree", "not one of bus 'dynamixel'", "bus:=unitree")),
        ("robot", {"bus_file": "links_dynamixel"}, ("links_dynamixel", "not one of bus 'topic'", "bus:=dynamixel")),
        ("robot", {"bus": "unitree", "bus_file": "go2_unitree"}, ("FR_hip_joint", "another robot")),
        ("replay", {}, ("bag:=FOLDER",)),
        ("replay", {"bag": "/no/such_bag"}, ("no such bag", "/no/such_bag")),
        ("replay", {"bag": "x", "topic_map": "/no/such_map.yaml"}, ("/no/such_map.yaml",)),
    ],
)
def test_what_there_is_not_is_named_with_what_there_is(file: str, arguments: dict[str, str], words: tuple[str, ...]) -> None:
    with pytest.raises(SurefootError) as refusal:
        launched(file, **arguments)
    for word in words:
        assert word in str(refusal.value)


def test_a_bus_file_without_a_bus_is_refused_with_the_bus_that_goes_with_it() -> None:
    text = refusal_of(node("servo_bridge", bus_file="links_dynamixel", robot="links", lockstep=False))
    assert "without a bus" in text
    assert "bus:=dynamixel" in text


def test_a_serial_port_is_looked_at_before_anything_starts_on_it(tmp_path: Path) -> None:
    there, port = os.openpty()
    file = tmp_path / "bus.yaml"

    def launch_on(name: str) -> set[str]:
        file.write_text(find_bus_file("links_dynamixel").read_text().replace("/dev/ttyUSB0", name))
        return launched("robot", robot="links", bus="dynamixel", bus_file=str(file))

    before = termios.tcgetattr(port)
    assert "servo_bridge" in launch_on(os.ttyname(port))
    assert termios.tcgetattr(port) == before, "it is looked at, and set by whoever drives the servos"
    with pytest.raises(SurefootError, match=r"serial port /dev/not_there cannot be used: No such file or directory\. Is it plugged in"):
        launch_on("/dev/not_there")
    with pytest.raises(SurefootError, match="cannot be used: it is no serial port"):
        launch_on("/dev/null")
    os.close(port)
    os.close(there)


def test_topics_of_a_driver_have_to_be_names(tmp_path: Path) -> None:
    file = tmp_path / "driver.yaml"
    output = {"topic": "/efforts of mine", "message": "array", "interfaces": ["torque"]}
    file.write_text(yaml.safe_dump({"outputs": [output]}))
    assert "'/efforts of mine'" in refusal_of(node("servo_bridge", bus="topic", bus_file=str(file), lockstep=False))


def test_a_gait_set_and_a_default_gait_are_looked_up(tmp_path: Path) -> None:
    values = yaml.safe_load(find_robot("hyq").read_text())
    urdf = str((find_robot("hyq").parent / values["urdf"]).resolve())
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(values | {"urdf": urdf, "gait_set": "hyk"}))
    assert "unknown gait set 'hyk'; did you mean 'hyq'?" in refusal_of(node("teleop", robot=str(file)))
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(values | {"urdf": urdf, "default_gait": "wlak"}))
    assert "unknown gait 'wlak'; did you mean 'walk'?" in refusal_of(node("teleop", robot=str(other)))


def test_a_parameter_that_a_node_does_not_have_is_refused_where_it_stands() -> None:
    with pytest.raises(LaunchFileError, match=r"own\.launch\.xml:12: .*'pad_lokstep'.*did you mean 'pad_lockstep'"):
        check_graph([node("teleop", pad_lokstep=True)])
    with pytest.raises(LaunchFileError, match=r"duration.*valid number.*'soon'"):
        check_graph([node("simulator", duration="soon")])


def test_parameters_of_others_are_theirs() -> None:
    check_graph([node("teleop", **{"use_sim_time": True, "qos_overrides./joy.depth": 3, "gait.period": 0.5})])
    check_graph([NodeDescription("ros_gz_sim", "create", ORIGIN, parameters=(("robot", "no_robot_of_ours"),))])


@pytest.mark.parametrize("section", ["teleop", "/teleop", "/**", "/dog/driver", "dog/driver", "/*/driver"])
def test_a_parameter_file_is_looked_into(tmp_path: Path, section: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump({section: {"ros__parameters": {"layout": "nintendo"}}}))
    named = {"name": "driver", "namespace": "dog"} if "driver" in section else {}
    assert "'nintendo'" in refusal_of(node("teleop", file, **named))  # type: ignore[arg-type]
    # What stands behind the file wins.
    check_graph([node("teleop", file, **named, layout="ps4")])  # type: ignore[arg-type]


def test_what_is_for_another_node_of_the_same_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("dog:\n  teleop:\n    ros__parameters: {layout: nintendo}\nrecorder:\n  ros__parameters: {split_megabytes: 3}\n")
    check_graph([node("gait_planner", file), node("teleop", file)])
    assert "'nintendo'" in refusal_of(node("teleop", file, namespace="dog"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("telop: {ros__parameters: {layout: ps4}}", ("'telop'", "did you mean 'teleop'")),
        ("teleop: {ros_parameters: {layout: ps4}}", ("no parameter file", "ros__parameters")),
        ("teleop: {ros__parameters: {layuot: ps4}}", ("'layuot'", "did you mean 'layout'")),
        ("layout: ps4", ("no parameter file",)),
        ("- 3", ("no parameter file",)),
        ("{", ("not YAML",)),
    ],
)
def test_a_parameter_file_that_is_none(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(text)
    refusal = refusal_of(node("teleop", file))
    for word in (*words, "own.yaml") if "layuot" not in text else words:
        assert word in refusal


def test_a_bag_is_never_written_over(tmp_path: Path) -> None:
    assert "exists already" in refusal_of(node("recorder", bag=str(tmp_path)))
    (tmp_path / "file").write_text("")
    assert "is not a folder" in refusal_of(node("recorder", directory=str(tmp_path / "file")))
    check_graph([node("recorder", bag=str(tmp_path / "new"))])


def test_a_file_of_config_that_is_wrong_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from surefoot.cli import graph_names

    monkeypatch.setitem(graph_names.FILES, "teleop", (("gait_planner.yaml", graph_names.OperatorSettings),))
    assert "gait_planner.yaml" in refusal_of(node("teleop"))


def test_a_graph_that_cannot_be_as_secure_as_it_is_asked_to_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(SurefootError, match="security is asked for"):
        launched("sim", security="true", keystore=str(tmp_path))

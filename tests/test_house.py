# SPDX-License-Identifier: Apache-2.0
"""The arrows of the house, who may speak ROS, and files that other tools have to be able to read."""

import ast
from pathlib import Path
from xml.etree import ElementTree

import pytest

from surefoot.bringup.command import node_names
from surefoot.bringup.find import launch_names
from surefoot.bringup.parser import parse_launch_file

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "surefoot" / "surefoot"

BASE = {path.stem for path in PACKAGE.glob("*.py")}
GROUND = {"robot", "terrain", "contact"}
MOTION = GROUND | {"gait", "inverse_dynamics"}
POLICY = MOTION | {"locomotion"}
LIBRARY = POLICY | {"traces", "estimation", "servos", "teleop", "simulation"}
ABOVE = LIBRARY | {"evaluation", "recording", "bringup", "viewer"}

ARROWS: dict[str, set[str]] = {
    "environment": set(),
    "robot": set(),
    "terrain": {"robot"},
    "contact": {"robot", "terrain"},
    "gait": GROUND,
    "inverse_dynamics": GROUND,
    "locomotion": MOTION,
    "estimation": MOTION,
    "servos": MOTION,
    "teleop": MOTION,
    "simulation": {"robot", "terrain", "contact", "servos"},
    "traces": POLICY | {"simulation", "servos"},
    "evaluation": LIBRARY | {"recording"},
    "recording": LIBRARY,
    "bringup": {"robot"},
    "viewer": LIBRARY | {"evaluation", "recording"},
    "nodes": ABOVE,
    "cli": ABOVE | {"nodes"},
}

MESSAGE_PACKAGES = {
    "action_msgs", "builtin_interfaces", "diagnostic_msgs", "geometry_msgs", "nav_msgs", "rcl_interfaces", "rosgraph_msgs", "sensor_msgs",
    "std_msgs", "std_srvs", "surefoot_msgs", "tf2_msgs", "trajectory_msgs", "visualization_msgs",
}  # fmt: skip
SPEAKS_ROS = {"nodes", "recording"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Absolute names of all modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0] if path.parent != PACKAGE else ""


@pytest.mark.parametrize("room", sorted(ARROWS))
def test_arrows_point_down(room: str) -> None:
    wrong = []
    for path in (PACKAGE / room).rglob("*.py"):
        targets = {name.split(".")[1] for name in imported(path) if name.startswith("surefoot.")}
        wrong += [f"{path.relative_to(ROOT)} imports surefoot.{target}" for target in targets - ARROWS[room] - BASE - {room, "__version__"}]
    assert wrong == []


def test_there_is_no_circle_among_the_arrows() -> None:
    done: set[str] = set()
    while ready := {room for room, targets in ARROWS.items() if room not in done and targets <= done}:
        done |= ready
    assert done == set(ARROWS)


def test_every_room_has_its_arrows() -> None:
    assert {room_of(path) for path in MODULES} - {""} <= set(ARROWS)


def test_only_nodes_and_recordings_speak_ros() -> None:
    speakers = {room_of(path) for path in MODULES if {name.split(".")[0] for name in imported(path)} & (MESSAGE_PACKAGES | {"rclpy"})}
    assert speakers <= SPEAKS_ROS


def test_the_maker_of_the_environment_needs_nothing_but_python() -> None:
    import sys

    for path in (PACKAGE / "environment").glob("*.py"):
        roots = {name.split(".")[0] for name in imported(path)} - {"surefoot"}
        assert roots <= set(sys.stdlib_module_names), path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_are_short_and_licensed(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines[0] == "# SPDX-License-Identifier: Apache-2.0"
    assert len(lines) <= 400


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("package.xml")), ids=lambda path: path.parent.name)
def test_package_xml(path: Path) -> None:
    package = ElementTree.parse(path).getroot()
    assert (package.tag, package.get("format")) == ("package", "3")
    assert package.findtext("name") == path.parent.name
    assert package.findtext("license") == "Apache-2.0"
    assert package.findtext("version") == "0.1.0"
    assert package.findtext("export/build_type") in ("ament_cmake", "ament_python")


@pytest.mark.parametrize("name", launch_names())
def test_launch_file(name: str) -> None:
    # A real robot has to be named.
    description = parse_launch_file(ROOT / "launch" / f"{name}.launch.xml", {"robot": "links"} if name == "robot" else {})
    # That of security is only included. Only Gazebo has a body that is not ours.
    ours = set() if name == "security" else {"surefoot"}
    others = {"ros_gz_sim", "ros_gz_bridge", "robot_state_publisher"} if name == "gazebo" else set()
    assert {node.package for node in description.nodes} == ours | others
    assert all(argument.description for argument in description.arguments.values())


def test_simulation_starts_the_whole_graph() -> None:
    sim = ROOT / "launch" / "sim.launch.xml"
    graph = {"simulator", "state_estimator", "gait_planner", "inverse_dynamics", "servo_bridge", "particle_trace", "teleop", "narrator"}
    assert {node.executable for node in parse_launch_file(sim, {}).nodes} == graph
    with_story = {node.executable: node for node in parse_launch_file(sim, {"story": "demo", "realtime": "true", "seed": "7"}).nodes}
    assert set(with_story) == graph | {"scripted_pad"}
    assert ("lockstep", False) in with_story["simulator"].parameters
    assert ("seed", 7) in with_story["particle_trace"].parameters
    assert ("story", "demo") in with_story["scripted_pad"].parameters
    assert ("pad_lockstep", False) in with_story["teleop"].parameters


@pytest.mark.parametrize(("arguments", "waits"), [({}, False), ({"story": "demo"}, True), ({"story": "demo", "realtime": "true"}, False)])
def test_teleop_waits_for_a_scripted_pad_in_lockstep(arguments: dict[str, str], waits: bool) -> None:
    nodes = {node.executable: node for node in parse_launch_file(ROOT / "launch" / "sim.launch.xml", arguments).nodes}
    assert ("pad_lockstep", waits) in nodes["teleop"].parameters
    assert ("lockstep", arguments.get("realtime") != "true") in nodes["teleop"].parameters


def test_every_node_has_its_executable_for_a_workspace() -> None:
    scripts = {path.name: path for path in (ROOT / "src" / "surefoot" / "scripts").iterdir()}
    assert set(scripts) == set(node_names())
    for name, path in scripts.items():
        assert f"from surefoot.nodes.{name} import main" in path.read_text()
        assert path.stat().st_mode & 0o111, f"{path} is not executable"

# SPDX-License-Identifier: Apache-2.0
"""The images have what the code in them imports, and what the compose file says to the launcher is understood. None is built for it."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from surefoot.bringup.find import find_launch_file
from surefoot.bringup.parser import parse_launch_file

TOP = Path(__file__).parents[2]
PACKAGES = TOP / "src/surefoot"
OPTIONAL = {"cyclonedds", "dartpy", "example_robot_data", "placo", "pyarrow"}
"""With environments or installations of their own."""
NEVER_DRAWS = {"glfw", "pyopengl"}
"""That MuJoCo names, and does without where MUJOCO_GL is `disable`."""
ROS = re.compile(
    r"rclpy|ament_index_python|surefoot_msgs|(builtin|rcl)_interfaces|std_srvs|rosidl_(parser|runtime_py)"
    r"|(action|diagnostic|geometry|nav|rosgraph|sensor|std|trajectory|visualization)_msgs"
)
"""In ros-jazzy-ros-core, or built in the image."""


def module_files(folder: str) -> set[str]:
    return {".".join(path.relative_to(PACKAGES).with_suffix("").parts) for path in (PACKAGES / folder).rglob("*.py")}


def named(node: ast.AST) -> list[str]:
    """Modules that a piece of code imports, wherever it does."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    if isinstance(node, ast.Call) and node.args and "import_module" in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
        word = getattr(node.args[0], "value", "")
        return [word] if word and isinstance(word, str) else []
    return []


def foreign_imports(modules: Iterable[str]) -> set[str]:
    """Packages of others that modules import, and those that they import."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        place = PACKAGES / module.replace(".", "/")
        file = next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)
        if module in seen or file is None:
            continue
        seen.add(module)
        for name in (name for node in ast.walk(ast.parse(file.read_text())) for name in named(node)):
            if name.split(".")[0] == "surefoot":
                waiting.append(name)
            else:
                found.add(name.split(".")[0])
    return found - set(sys.stdlib_module_names) - OPTIONAL


def on_the_robot() -> set[str]:
    """Modules of a robot's nodes, of whatever its servos hang on, and of what one uses beside it."""
    wanted = {"robot": "links", "markers": "true", "path_follower": "true"}
    nodes = {f"surefoot.nodes.{node.executable}" for node in parse_launch_file(find_launch_file("robot"), wanted).nodes}
    return nodes | module_files("surefoot/servos") | {"surefoot.cli.servos", "surefoot.cli.preflight", "surefoot.cli.bag"}


def brought(image: str) -> tuple[set[str], set[str]]:
    """Distributions that the wheel list of an image has, and names that its Debian packages go by in Python."""
    text = (TOP / "docker" / image).read_text()
    (command,) = re.findall(r"grep .*?requirements\.lock(?= >)", text.replace("\\\n", " "))
    for file in ("requirements.lock", "docker/from_the_distribution.txt"):
        command = re.sub(rf"(?<=\s){Path(file).name}\b", str(TOP / file), command)
    lines = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()
    debian = re.findall(r"\b(?:python3|ros-jazzy)-([a-z0-9-]+)", text)
    return {canonicalize_name(line.split("==")[0]) for line in lines}, {name.replace("-", "_") for name in debian}


def needed_in_turn(distribution: str) -> set[str]:
    """A distribution with all that it needs, in Python 3.12."""
    found: set[str] = set()
    waiting = [canonicalize_name(distribution)]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        try:
            needs = [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:
            continue
        python = {"python_version": "3.12", "python_full_version": "3.12.3", "extra": ""}
        waiting += [canonicalize_name(need.name) for need in needs if need.marker is None or need.marker.evaluate(python)]
    return found


@pytest.mark.parametrize("image", ["Dockerfile", "robot.Dockerfile"])
def test_everything_that_an_image_imports_is_in_it(image: str) -> None:
    imports = foreign_imports(module_files("surefoot") if image == "Dockerfile" else on_the_robot())
    assert {"serial", "dynamixel_sdk", "sdl2", "mujoco", "numba", "tf2_msgs"} <= imports
    wheels, debian = brought(image)
    may_lack = NEVER_DRAWS if "MUJOCO_GL=disable" in (TOP / "docker" / image).read_text() else set()
    distributions = packages_distributions()
    missing = set()
    for name in imports:
        if name in debian or ROS.fullmatch(name):
            continue
        needed = set().union(*map(needed_in_turn, distributions.get(name, [name])))
        missing |= {f"{one}, for {name}" for one in needed - wheels - may_lack if one.replace("-", "_") not in debian}
    assert not missing
    # Loaded by PySDL2 alone.
    assert "pysdl2-dll" in wheels


def interpolated(text: str, variables: dict[str, str]) -> str:
    """As compose fills in ${NAME}, ${NAME:-without} and ${NAME:+with}, from the inside out."""

    def value(found: re.Match[str]) -> str:
        name, how, word = found.groups()
        have = variables.get(name, "")
        return have if not how else (word if have else "") if how == ":+" else have or word

    while (filled := re.sub(r"\$\{(\w+)(?:(:[-+])([^${}]*))?\}", value, text)) != text:
        text = filled
    return text


A_ROBOT = {"ROBOT": "links", "BUS": "dynamixel", "BUS_FILE": "/bags/bus.yaml", "SERVO_PORT": "/dev/ttyUSB0"}


@pytest.mark.parametrize("variables", [{}, A_ROBOT])
def test_what_the_compose_file_says_to_the_launcher_is_understood(variables: dict[str, str]) -> None:
    services = yaml.safe_load(interpolated((TOP / "docker/compose.yaml").read_text(), variables))["services"]
    for service in services.values():
        assert (TOP / service["build"]["dockerfile"]).is_file()
        program, verb, package, file, *words = service["command"].split()
        assert (program, verb, package) == ("ros2", "launch", "surefoot_bringup")
        assert all(re.fullmatch(r"\w+:=.+", word) for word in words), "the launcher of ROS refuses a name without a value"
        given = dict(word.split(":=", 1) for word in words)
        known = parse_launch_file(find_launch_file(file.removesuffix(".launch.xml")), given, survey=True).arguments
        assert given.keys() <= known.keys()
        assert not service.get("privileged")
    robot = services["robot"]
    assert ("bus_file:=/bags/bus.yaml" in robot["command"]) == bool(variables)
    assert robot["devices"] == [variables.get("SERVO_PORT", "/dev/null")]

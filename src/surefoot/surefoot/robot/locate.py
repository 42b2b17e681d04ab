# SPDX-License-Identifier: Apache-2.0
"""Where robots are written down, and how their URDF is read."""

import os
import sys
from pathlib import Path

import xacro
from xacro import XacroException

from surefoot.errors import ConfigurationError, RobotDescriptionError, UnknownNameError
from surefoot.robot.description import RobotDescription
from surefoot.settings import is_path_to_yaml

EXTRA = "extra:"
"""Prefix of a URDF path inside the optional robot data, such as 'extra:go2_description/urdf/go2.urdf'."""


def shared_directory() -> Path:
    """The directory that holds config/ and urdf/: the repository, or the installed share of surefoot_bringup.

    Raises:
        ConfigurationError: neither is there.
    """
    candidates = list(Path(__file__).resolve().parents)
    prefixes = [Path(prefix) for prefix in (*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix) if prefix]
    candidates += [prefix / "share" / "surefoot_bringup" for prefix in prefixes]
    for candidate in candidates:
        if (candidate / "config" / "robots").is_dir():
            return candidate
    raise ConfigurationError(
        "no config/robots above the package and no share/surefoot_bringup in AMENT_PREFIX_PATH; "
        "run inside the repository or source the workspace that holds surefoot_bringup"
    )


def robot_names() -> tuple[str, ...]:
    """Names of the robots in config/robots."""
    return tuple(sorted(path.stem for path in (shared_directory() / "config" / "robots").glob("*.yaml")))


def find_robot(name_or_path: str) -> Path:
    """The YAML file of a robot.

    Args:
        name_or_path: a name out of robot_names(), or a path that ends in .yaml or .yml.

    Raises:
        UnknownNameError: naming the robots that there are.
        ConfigurationError: the path leads to no file.
    """
    if path := _file_at(name_or_path, f"a robot is one of {', '.join(robot_names())} or a path to a YAML file"):
        return path
    if name_or_path not in robot_names():
        raise UnknownNameError("robot", name_or_path, robot_names(), "A path to your own robot.yaml works as well.")
    return shared_directory() / "config" / "robots" / f"{name_or_path}.yaml"


def find_gait_set(name_or_path: str) -> Path:
    """The YAML file of a gait set.

    Args:
        name_or_path: a name in config/gaits, or a path that ends in .yaml or .yml.

    Raises:
        UnknownNameError: naming the sets that there are.
        ConfigurationError: the path leads to no file.
    """
    path = _file_at(name_or_path, "a gait set is the name of one in config/gaits or a path, from the robot's file")
    return path or find_configuration("gait set", "gaits", name_or_path)


def _file_at(name_or_path: str, else_words: str) -> Path | None:
    """The file of a path to YAML; None of what is a name. Raises ConfigurationError: there is no file; else_words say what would do."""
    if not is_path_to_yaml(name_or_path):
        return None
    path = Path(name_or_path).expanduser()
    if not path.is_file():
        raise ConfigurationError(f"no such file: {path}; {else_words}")
    return path.resolve()


def find_configuration(kind: str, folder: str, name_or_path: str) -> Path:
    """A file of a kind: a path, or a name in a folder of config/.

    Args:
        kind: what it is, for the error, as in "story".
        folder: in config/.
        name_or_path: a path to a YAML file, or the name of one in the folder, without its ending.

    Raises:
        UnknownNameError: neither, with the names that would be right.
    """
    directory = shared_directory() / "config" / folder
    if (path := Path(name_or_path)).is_file():
        return path
    if not (path := directory / f"{name_or_path}.yaml").is_file():
        raise UnknownNameError(kind, name_or_path, (file.stem for file in directory.glob("*.yaml")))
    return path


def find_urdf(description: RobotDescription, robot_file: Path) -> Path:
    """The URDF or xacro that a description names.

    Args:
        description: the robot's YAML, read.
        robot_file: where that YAML lies; relative paths start there.

    Raises:
        ConfigurationError: the file, or the optional robot data, is not there.
    """
    if description.urdf.startswith(EXTRA):
        path = _extra_directory(description.name) / description.urdf.removeprefix(EXTRA)
    else:
        path = robot_file.parent / Path(description.urdf).expanduser()
    if not path.is_file():
        raise ConfigurationError(f"{robot_file}: urdf: no such file: {path}")
    return path.resolve()


def read_urdf(path: Path, arguments: dict[str, str]) -> str:
    """The URDF's text, with xacro processed where the name ends in .xacro.

    Raises:
        RobotDescriptionError: xacro refuses the file.
        ConfigurationError: arguments for a file that is not xacro.
    """
    if path.suffix != ".xacro":
        if arguments:
            raise ConfigurationError(f"xacro_arguments ({', '.join(arguments)}) mean nothing to {path}, which is not a .xacro file")
        return path.read_text()
    try:
        document = xacro.process_file(str(path), mappings=dict(arguments))
    except (XacroException, OSError, ValueError) as error:
        raise RobotDescriptionError(f"{path}: xacro: {error}") from error
    return str(document.toprettyxml(indent="  "))


def _extra_directory(robot: str) -> Path:
    place = Path("cmeel.prefix") / "share" / "example-robot-data" / "robots"
    for entry in sys.path:
        if (Path(entry) / place).is_dir():
            return Path(entry) / place
    raise ConfigurationError(
        f"robot '{robot}' needs the optional robot data: ./surefoot install robots (or: pip install example-robot-data==6.0.0)"
    )

# SPDX-License-Identifier: Apache-2.0
"""Launch files by name."""

from pathlib import Path

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import shared_directory

SUFFIX = ".launch.xml"

NOT_HERE = {
    "gazebo": "the robot has no body in Gazebo yet; `surefoot launch sim` gives it one in MuJoCo. Gazebo itself comes with ROS 2: "
    "sudo apt-get install ros-jazzy-ros-gz (Harmonic) or ros-kilted-ros-gz (Ionic)",
}
"""Launch files that people look for, and what there is in their place."""


def launch_names() -> tuple[str, ...]:
    """Names of the launch files that there are."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in (shared_directory() / "launch").glob(f"*{SUFFIX}")))


def find_launch_file(name_or_path: str) -> Path:
    """The launch file of a name or path.

    Raises:
        UnknownNameError: naming the launch files that there are.
        ConfigurationError: the path leads to no file.
    """
    if name_or_path.endswith(".xml"):
        path = Path(name_or_path).expanduser()
        if path.is_file():
            return path.resolve()
        if "/" in name_or_path or name_or_path.removesuffix(SUFFIX) not in launch_names():
            raise ConfigurationError(f"no such launch file: {path}. By name there are: {', '.join(launch_names())}")
    name = name_or_path.removesuffix(SUFFIX)
    if name in NOT_HERE and name not in launch_names():
        raise ConfigurationError(f"launch file '{name}': {NOT_HERE[name]}")
    if name not in launch_names():
        raise UnknownNameError("launch file", name, launch_names(), "A path to a *.launch.xml works as well.")
    return shared_directory() / "launch" / f"{name}{SUFFIX}"

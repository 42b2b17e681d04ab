# SPDX-License-Identifier: Apache-2.0
"""Launch files by name."""

import shutil
from pathlib import Path

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import shared_directory

SUFFIX = ".launch.xml"

NEEDED = {
    "gazebo": (
        "gz",
        "Gazebo, and ros_gz, which joins it to ROS 2. On Ubuntu with ROS 2: sudo apt-get install ros-jazzy-ros-gz (Harmonic) or "
        "ros-kilted-ros-gz (Ionic); docker/gazebo.Dockerfile is meant to have both. Without: `surefoot launch sim`, in MuJoCo",
    ),
}
"""Launch files that need a program which does not come with Surefoot: its name, and how to get it."""


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
    if name not in launch_names():
        raise UnknownNameError("launch file", name, launch_names(), "A path to a *.launch.xml works as well.")
    return shared_directory() / "launch" / f"{name}{SUFFIX}"


def refuse_without_needed(path: Path) -> None:
    """Raises ConfigurationError where a launch file needs a program that is not installed, and says how to get it."""
    program, how = NEEDED.get(path.name.removesuffix(SUFFIX), ("", ""))
    if program and shutil.which(program) is None:
        raise ConfigurationError(f"launch file '{path.name.removesuffix(SUFFIX)}': there is no program '{program}' here. It needs {how}")

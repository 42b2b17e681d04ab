# SPDX-License-Identifier: Apache-2.0
"""What the machine must bring before an environment can be made."""

import importlib.util
import os
import platform
import shutil
import sys
import sysconfig
from pathlib import Path


def missing_requirements() -> list[str]:
    """Everything that this machine lacks, each with the command that mends it where one is known."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return [
            f"the ROS 2 packages on PyPI exist for Linux on x86_64 only, and this is {platform.system()} on {platform.machine()}. "
            "Use a ROS 2 workspace here: colcon build, then ros2 launch surefoot_bringup sim.launch.xml"
        ]
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    missing: list[tuple[str, str]] = []
    compilers = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    if not any(shutil.which(compiler) for compiler in compilers if compiler):
        missing.append(("a C++ compiler (g++)", "g++"))
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        missing.append((f"the headers of {sys.executable} (Python.h)", f"{python}-dev"))
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        missing.append((f"venv and ensurepip of {sys.executable}", f"{python}-venv"))
    if not missing:
        return []
    return [f"missing: {', '.join(what for what, _ in missing)}.", install_command([package for _, package in missing])]


def install_command(packages: list[str]) -> str:
    """The line that installs Debian packages, or words for other systems."""
    if shutil.which("apt-get"):
        prefix = "" if os.geteuid() == 0 else "sudo "
        return f"Install it with:  {prefix}apt-get update && {prefix}apt-get install {' '.join(packages)}"
    return f"Install it with the package manager of this system (on Debian the packages are called {' '.join(packages)})."

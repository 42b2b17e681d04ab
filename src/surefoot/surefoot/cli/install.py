# SPDX-License-Identifier: Apache-2.0
"""`surefoot install PART`: optional parts of the environment."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from surefoot.errors import SurefootError, UnknownNameError
from surefoot.robot.locate import shared_directory


@dataclass(frozen=True)
class Part:
    """Something that can be added.

    Attributes:
        lock: file of its requirements.
        apart: in an environment of its own, because it brings libraries that cannot be loaded beside ours.
    """

    lock: str
    apart: bool = False


PARTS = {
    "robots": Part("requirements-robots.lock"),
    "placo": Part("requirements-placo.lock", apart=True),
    "unitree": Part("requirements-unitree.lock"),
    "dart": Part("requirements-dart.lock"),
}


def install(part: Annotated[str, typer.Argument(help=f"One of: {', '.join(PARTS)}.")]) -> None:
    """Add an optional part to the environment.

    robots: URDF files of HyQ, ANYmal, Solo12, A1, Go1, Go2 and B1 (430 MB).

    placo: a whole-body controller in C++ that `surefoot bench id` measures itself against (590 MB).

    unitree: Cyclone DDS, for the bus of robots that speak Unitree's messages (30 MB).

    dart: Gazebo's engine, which the files for Gazebo are tested on where there is no Gazebo (60 MB).
    """
    if part not in PARTS:
        raise UnknownNameError("part", part, PARTS)
    python, lock = sys.executable, shared_directory() / PARTS[part].lock
    if PARTS[part].apart:
        environment = Path(sys.prefix) / "peers" / part
        _run(part, lock, [python, "-m", "venv", "--clear", str(environment)])
        python = str(environment / "bin" / "python")
    _run(part, lock, [python, "-m", "pip", "install", "--no-deps", "--disable-pip-version-check", "-r", str(lock)])


def _run(part: str, lock: Path, command: list[str]) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        raise SurefootError(f"{part} could not be installed from {lock}; the lines above tell why")

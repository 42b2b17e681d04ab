# SPDX-License-Identifier: Apache-2.0
"""`surefoot install PART`: optional parts of the environment."""

import subprocess
import sys
from typing import Annotated

import typer

from surefoot.errors import SurefootError, UnknownNameError
from surefoot.robot.locate import shared_directory

PARTS = {"robots": "requirements-robots.lock"}


def install(part: Annotated[str, typer.Argument(help=f"One of: {', '.join(PARTS)}.")]) -> None:
    """Add an optional part to the environment.

    robots: URDF files of HyQ, ANYmal, Solo12, A1, Go1, Go2 and B1 (430 MB).
    """
    if part not in PARTS:
        raise UnknownNameError("part", part, PARTS)
    lock = shared_directory() / PARTS[part]
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--disable-pip-version-check", "-r", str(lock)]
    if subprocess.run(command, check=False).returncode != 0:
        raise SurefootError(f"{part} could not be installed from {lock}; the lines above tell why")

# SPDX-License-Identifier: Apache-2.0
"""`surefoot drive`: drive the robot from the keyboard of a terminal."""

import sys
from typing import Annotated

import typer

from surefoot.robot.load import load_robot
from surefoot.security import enclave_words
from surefoot.teleop.terminal import Terminal


def drive(
    robot: Annotated[str, typer.Option(help="A name in config/robots, or a path to a robot.yaml.")] = "hyq",
) -> None:
    """Drive the robot from this terminal; the keys are shown.

    The graph has to run already: `surefoot launch sim realtime:=true` in another terminal. A driving key counts while it repeats; the
    robot stops when it is let go, when this ends, and when the terminal is closed.
    """
    # What can be refused is refused before a node starts.
    Terminal().close()
    load_robot(robot)
    from surefoot.nodes.keyboard import main

    sys.argv = ["keyboard", "--ros-args", *enclave_words("keyboard"), "-p", f"robot:={robot}"]
    main()

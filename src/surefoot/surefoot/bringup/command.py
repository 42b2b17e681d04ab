# SPDX-License-Identifier: Apache-2.0
"""From the description of a node to the process that runs it."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.bringup.description import NodeDescription
from surefoot.bringup.errors import LaunchFileError
from surefoot.bringup.values import as_yaml
from surefoot.errors import UnknownNameError

PACKAGE = "surefoot"

FINISHES = frozenset({"replayer"})
"""Nodes whose work has an end."""


@dataclass(frozen=True)
class ProcessDescription:
    """One process to start and to look after.

    Attributes:
        label: its name in the output and in reports.
        command: program and arguments.
        environment: variables that it gets on top of the launcher's own.
        respawn: start it again whenever it ends by itself, respawn_delay seconds later.
        required: its end ends everything, even with code 0. (Without respawn a failure always does.)
        may_finish: its end with code 0 ends everything too, and is no failure.
        shown: forward its output; otherwise its last lines are shown when it fails.
    """

    label: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    respawn: bool = False
    respawn_delay: float = 0.0
    required: bool = False
    may_finish: bool = False
    shown: bool = True


def node_names() -> tuple[str, ...]:
    """The nodes of Surefoot that `exec` can name."""
    directory = Path(__file__).resolve().parent.parent / "nodes"
    return tuple(sorted(path.stem for path in directory.glob("*.py") if "\ndef main(" in path.read_text()))


def node_process(node: NodeDescription) -> ProcessDescription:
    """The process of one node. One of those that FINISHES names, or that is given a `duration`, is one that may finish.

    Raises:
        LaunchFileError: another package than ours, or a node that we do not have.
    """
    if node.package != PACKAGE:
        raise LaunchFileError(
            node.origin,
            f"pkg='{node.package}': only the nodes of '{PACKAGE}' can be started without a ROS 2 workspace; in one: "
            f"ros2 launch surefoot_bringup {node.origin.file.name}",
        )
    if node.executable not in node_names():
        raise LaunchFileError(node.origin, str(UnknownNameError("node", node.executable, node_names())))
    ros_arguments = list(node.ros_arguments)
    if node.name:
        ros_arguments += ["-r", f"__node:={node.name}"]
    if node.namespace:
        ros_arguments += ["-r", f"__ns:=/{node.namespace.strip('/')}"]
    for parameter in node.parameters:
        if isinstance(parameter, Path):
            ros_arguments += ["--params-file", str(parameter)]
        else:
            ros_arguments += ["-p", f"{parameter[0]}:={as_yaml(parameter[1])}"]
    for source, target in node.remappings:
        ros_arguments += ["-r", f"{source}:={target}"]
    command = (sys.executable, "-m", f"surefoot.nodes.{node.executable}", *node.arguments, "--ros-args", *ros_arguments)
    return ProcessDescription(
        label="/".join(part for part in ((node.namespace or "").strip("/"), node.name or node.executable) if part),
        command=command,
        environment={"PYTHONUNBUFFERED": "1", **dict(node.environment)},
        respawn=node.respawn,
        respawn_delay=node.respawn_delay,
        required=node.required,
        may_finish=node.executable in FINISHES
        or any(parameter[0] == "duration" and parameter[1] for parameter in node.parameters if not isinstance(parameter, Path)),
        shown=node.shown,
    )

# SPDX-License-Identifier: Apache-2.0
"""What a launch file says, with everything substituted."""

from dataclasses import dataclass, field
from pathlib import Path

from surefoot.bringup.errors import Origin
from surefoot.bringup.values import ParameterValue


@dataclass(frozen=True)
class ArgumentDescription:
    """One declared launch argument. default: as it is written, substitutions and all; None where a value must be given."""

    name: str
    default: str | None
    description: str
    choices: tuple[str, ...]
    origin: Origin


@dataclass(frozen=True)
class NodeDescription:
    """One node to start. parameters: files and (name, value) pairs in their order; later ones win."""

    package: str
    executable: str
    origin: Origin
    name: str | None = None
    namespace: str | None = None
    arguments: tuple[str, ...] = ()
    ros_arguments: tuple[str, ...] = ()
    parameters: tuple[Path | tuple[str, ParameterValue], ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    respawn: bool = False
    respawn_delay: float = 0.0  # s
    shown: bool = True
    required: bool = False


@dataclass
class LaunchDescription:
    """The arguments that a launch file and its includes declare, and the nodes that it starts."""

    arguments: dict[str, ArgumentDescription] = field(default_factory=dict)
    nodes: list[NodeDescription] = field(default_factory=list)

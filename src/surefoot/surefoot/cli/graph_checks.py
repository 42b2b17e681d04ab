# SPDX-License-Identifier: Apache-2.0
"""What a graph is given by name, looked up before any of its processes starts: what cannot be used is refused with what would be right."""

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from surefoot.bringup.command import PACKAGE
from surefoot.bringup.description import NodeDescription
from surefoot.bringup.errors import LaunchFileError
from surefoot.cli.graph_names import check_given
from surefoot.errors import ConfigurationError, SurefootError, UnknownNameError
from surefoot.nodes.parameters import NODES, NodeParameters
from surefoot.security import check_security, enclave_of
from surefoot.settings import check_settings, read_yaml

OF_OTHERS = ("use_sim_time", "start_type_description_service", "qos_overrides.*", "gait.*")
"""Parameters that are not described in `nodes.parameters`: those of the middleware, and those of the gait that runs."""
VALUES = "ros__parameters"


class GivenNode(NamedTuple):
    """A node with its parameters, checked. named: those that were given and are not left to their defaults."""

    executable: str
    parameters: NodeParameters
    named: frozenset[str]


def check_graph(nodes: Sequence[NodeDescription]) -> None:
    """Look at everything that the nodes of a graph are given: parameters, the robots, worlds, buses, bags, … that these name, and keys.

    Raises:
        SurefootError: saying what cannot be used, and what would be right.
    """
    for node in nodes:
        check_security(os.environ | dict(node.environment), [enclave_of(node.ros_arguments)])
    ours = [node for node in nodes if node.package == PACKAGE and node.executable in NODES]
    _check_sections(ours)
    for node in ours:
        given = _given(node)
        try:
            check_given(given.executable, given.parameters, given.named)
        except LaunchFileError:
            raise
        except SurefootError as error:
            raise ConfigurationError(f"{node.executable} cannot start: {error}") from error


def _given(node: NodeDescription) -> GivenNode:
    """Parameters of a node as it will see them. Raises LaunchFileError."""
    values: dict[str, Any] = {}
    for parameter in node.parameters:
        if isinstance(parameter, Path):
            values |= _values_for(node, parameter)
        else:
            values[parameter[0]] = parameter[1]
    kind = NODES[node.executable]
    described = {name: value for name, value in values.items() if not _is_one_of(name, OF_OTHERS)}
    try:
        for name in described:
            if name not in kind.model_fields:
                raise UnknownNameError(f"parameter of {node.executable}", name, kind.model_fields)
        parameters = check_settings(kind, described, f"parameters of {node.executable}")
    except ConfigurationError as error:
        raise LaunchFileError(node.origin, str(error)) from error
    return GivenNode(node.executable, parameters, frozenset(described))


def _check_sections(nodes: Sequence[NodeDescription]) -> None:
    """Refuse a part of a parameter file that is for no node: neither for one of this graph, nor for one that another graph could have."""
    names = {name for node in nodes for name in (_full_name(node), node.name or node.executable)}
    for file, origin in {parameter: node.origin for node in nodes for parameter in node.parameters if isinstance(parameter, Path)}.items():
        for section in _sections(file):
            if not any(_is_for(section, name) or _is_for(section.rpartition("/")[2], name) for name in (*names, *NODES)):
                raise LaunchFileError(origin, f"{file}: {UnknownNameError('node', section, {*names, *NODES})}")


def _values_for(node: NodeDescription, file: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for section, content in _sections(file).items():
        if _is_for(section, _full_name(node)):
            values |= _flat(content)
    return values


def _sections(file: Path) -> dict[str, Mapping[str, Any]]:
    """A parameter file of ROS: values by the nodes that they are for. Raises ConfigurationError where it is none."""
    document = read_yaml(file)
    result: dict[str, Mapping[str, Any]] = {}

    def collect(place: str, content: Any) -> None:
        if not isinstance(content, Mapping):
            raise ConfigurationError(f"{file} is no parameter file, NODE: {{{VALUES}: {{NAME: VALUE}}}}; it has {place or content!r}")
        for name, inner in content.items():
            if name == VALUES and place and isinstance(inner, Mapping):
                result[place] = inner
            else:
                collect(f"{place.rstrip('/')}/{str(name).strip('/')}" if place else str(name), inner)

    collect("", document)
    return result


def _flat(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in content.items():
        values |= _flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return values


def _full_name(node: NodeDescription) -> str:
    return "/".join(part for part in ((node.namespace or "").strip("/"), node.name or node.executable) if part)


def _is_for(section: str, name: str) -> bool:
    pattern = section.strip("/")
    return fnmatchcase(name, pattern.replace("**", "*"))


def _is_one_of(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)

# SPDX-License-Identifier: Apache-2.0
"""The <node> element and its children."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from surefoot.bringup.description import NodeDescription
from surefoot.bringup.elements import Element
from surefoot.bringup.errors import LaunchFileError
from surefoot.bringup.values import ParameterValue, parameter_value
from surefoot.errors import ConfigurationError

Substitute = Callable[[str], str]

ATTRIBUTES = ("pkg", "exec", "name", "namespace", "args", "ros_args", "respawn", "respawn_delay", "output", "on_exit", "launch-prefix")
SHOWN_OUTPUTS = ("screen", "both")


def parse_node(
    element: Element, substitute: Substitute, conditions: tuple[str, ...], environment: Mapping[str, str] = MappingProxyType({})
) -> NodeDescription:
    """Read one <node>.

    Args:
        element: it.
        substitute: what makes its substitutions.
        conditions: attributes that were looked at already.
        environment: of all nodes from here on; that of the node itself comes after it.

    Raises:
        LaunchFileError: with file and line.
    """
    element.check((*ATTRIBUTES, *conditions), ("param", "remap", "env"))
    text = {name: substitute(value) for name, value in element.attributes.items() if name not in conditions}
    if text.get("launch-prefix"):
        raise LaunchFileError(element.origin, "launch-prefix is not supported here; under `ros2 launch` it is")
    _one_of(element, "output", text.get("output", "screen"), (*SHOWN_OUTPUTS, "log"))
    _one_of(element, "on_exit", text.get("on_exit", "shutdown"), ("shutdown",))
    for child in (*element.children_named("env"), *element.children_named("remap")):
        child.check(("name", "value") if child.tag == "env" else ("from", "to"))
    element.require("pkg")
    element.require("exec")
    delay = _typed(element, "respawn_delay", text.get("respawn_delay", "0.0"), "float")
    if not isinstance(delay, float) or not 0.0 <= delay < float("inf"):
        raise LaunchFileError(element.origin, f"respawn_delay is {delay}; it has to be 0 or more seconds")
    return NodeDescription(
        package=text["pkg"],
        executable=text["exec"],
        origin=element.origin,
        name=text.get("name"),
        namespace=text.get("namespace"),
        arguments=tuple(shlex.split(text.get("args", ""))),
        ros_arguments=tuple(shlex.split(text.get("ros_args", ""))),
        parameters=tuple(_parameter(child, substitute) for child in element.children_named("param")),
        remappings=tuple((substitute(child.require("from")), substitute(child.require("to"))) for child in element.children_named("remap")),
        environment=(
            *environment.items(),
            *((substitute(child.require("name")), substitute(child.require("value"))) for child in element.children_named("env")),
        ),
        respawn=bool(_typed(element, "respawn", text.get("respawn", "false"), "bool")),
        respawn_delay=delay,
        shown=text.get("output", "screen") in SHOWN_OUTPUTS,
        required="on_exit" in text,
    )


def _parameter(element: Element, substitute: Substitute) -> Path | tuple[str, ParameterValue]:
    element.check(("name", "value", "type", "from"))
    if "from" in element.attributes:
        if len(element.attributes) > 1:
            raise LaunchFileError(element.origin, "<param> has 'from' together with other attributes")
        path = Path(substitute(element.attributes["from"]))
        if not path.is_file():
            raise LaunchFileError(element.origin, f"no such parameter file: {path}")
        return path.resolve()
    name = substitute(element.require("name"))
    value = substitute(element.require("value"))
    return name, _typed(element, f"parameter {name}", value, element.attributes.get("type"))


def _typed(element: Element, what: str, value: str, type_name: str | None) -> ParameterValue:
    try:
        return parameter_value(value, type_name)
    except ConfigurationError as error:
        raise LaunchFileError(element.origin, f"{what}: {error}") from error


def _one_of(element: Element, attribute: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise LaunchFileError(element.origin, f"{attribute}='{value}' is not supported here. Known: {', '.join(known)}")

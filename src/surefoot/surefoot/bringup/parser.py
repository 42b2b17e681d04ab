# SPDX-License-Identifier: Apache-2.0
"""Launch files in ROS 2 XML, read into a description.

The subset: arg, let, set_env, include, group, node with param, remap and env; if and unless; the substitutions of `substitutions`.
Variables, those of the environment as well, behave as under `ros2 launch`: an included file shares them with the file that includes it, and
<group> gives them back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.bringup.description import ArgumentDescription, LaunchDescription
from surefoot.bringup.elements import Element, read_elements
from surefoot.bringup.errors import LaunchFileError
from surefoot.bringup.node_parser import parse_node
from surefoot.bringup.substitutions import Substituter
from surefoot.bringup.values import condition
from surefoot.errors import ConfigurationError, UnknownNameError

ACTIONS = ("arg", "let", "set_env", "include", "group", "node")
CONDITIONS = ("if", "unless")


def parse_launch_file(path: Path, arguments: Mapping[str, str], survey: bool = False) -> LaunchDescription:
    """Read a launch file and all that it includes.

    Args:
        path: the file.
        arguments: values for launch arguments, by name.
        survey: only look which arguments there are: none is missed, and no value is refused.

    Raises:
        LaunchFileError: something outside of the subset, or wrong, with file and line.
        UnknownNameError: an argument that nothing declares.
        ConfigurationError: a file that cannot be read.
    """
    path = path.resolve()
    parser = _Parser(survey, dict(arguments))
    try:
        parser.file(path)
    except LaunchFileError:
        # A misspelt argument is often why another one is missing: it is the better thing to name.
        if not survey:
            _refuse_unknown(arguments, parse_launch_file(path, {}, survey=True))
        raise
    _refuse_unknown(arguments, parser.description)
    return parser.description


def _refuse_unknown(arguments: Mapping[str, str], description: LaunchDescription) -> None:
    for name in arguments:
        if name not in description.arguments:
            raise UnknownNameError("launch argument", name, description.arguments)


@dataclass
class _Parser:
    survey: bool
    variables: dict[str, str]
    description: LaunchDescription = field(default_factory=LaunchDescription)
    open_files: tuple[Path, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    def file(self, path: Path) -> None:
        root = read_elements(path)
        root.check((), ACTIONS)
        before, self.open_files = self.open_files, (*self.open_files, path)
        self.actions(root.children)
        self.open_files = before

    def actions(self, elements: list[Element]) -> None:
        for element in elements:
            substitute = Substituter(self.variables, element.origin)
            if self._wanted(element, substitute):
                getattr(self, f"_{element.tag}")(element, substitute)

    def _wanted(self, element: Element, substitute: Substituter) -> bool:
        found = [name for name in CONDITIONS if name in element.attributes]
        if len(found) == 2:
            raise LaunchFileError(element.origin, f"<{element.tag}> has both 'if' and 'unless'")
        if not found or self.survey:
            return True
        try:
            holds = condition(substitute(element.attributes[found[0]]))
        except LaunchFileError:
            raise
        except ConfigurationError as error:
            raise LaunchFileError(element.origin, f"{found[0]}: {error}") from error
        return holds == (found[0] == "if")

    def _arg(self, element: Element, substitute: Substituter) -> None:
        element.check(("name", "default", "description", *CONDITIONS), ("choice",))
        name, default = element.require("name"), element.attributes.get("default")
        for choice in element.children:
            choice.check(("value",))
        choices = tuple(choice.require("value") for choice in element.children)
        self.description.arguments.setdefault(
            name, ArgumentDescription(name, default, element.attributes.get("description", ""), choices, element.origin)
        )
        if name not in self.variables:
            if default is None and not self.survey:
                meant = element.attributes.get("description", "")
                words = f"the launch argument '{name}' has no default: give {name}:=VALUE" + (f", {meant}" if meant else "")
                raise LaunchFileError(element.origin, words)
            self.variables[name] = substitute(default or "")
        if choices and self.variables[name] not in choices and not self.survey:
            raise LaunchFileError(element.origin, str(UnknownNameError(f"value of {name}:", self.variables[name], choices)))

    def _let(self, element: Element, substitute: Substituter) -> None:
        element.check(("name", "value", *CONDITIONS))
        self.variables[substitute(element.require("name"))] = substitute(element.require("value"))

    def _set_env(self, element: Element, substitute: Substituter) -> None:
        element.check(("name", "value", *CONDITIONS))
        self.environment[substitute(element.require("name"))] = substitute(element.require("value"))

    def _include(self, element: Element, substitute: Substituter) -> None:
        element.check(("file", *CONDITIONS), ("arg", "let"))
        path = Path(substitute(element.require("file")))
        if not path.name.endswith(".xml"):
            raise LaunchFileError(element.origin, f"only XML launch files can be included here, not {path}")
        if not path.is_file():
            raise LaunchFileError(element.origin, f"no such launch file: {path}")
        if path.resolve() in self.open_files:
            raise LaunchFileError(element.origin, f"{path} includes itself")
        given = {}
        for child in element.children:
            child.check(("name", "value"))
            given[substitute(child.require("name"))] = substitute(child.require("value"))
        self.variables.update(given)
        self.file(path.resolve())
        for child_name in given:
            if child_name not in self.description.arguments:
                unknown = UnknownNameError("launch argument", child_name, self.description.arguments)
                raise LaunchFileError(element.origin, f"{path.name}: {unknown}")

    def _group(self, element: Element, substitute: Substituter) -> None:
        element.check(("scoped", *CONDITIONS), ACTIONS)
        before, environment = dict(self.variables), dict(self.environment)
        self.actions(element.children)
        if element.attributes.get("scoped", "true").lower() not in ("false", "0"):
            self.variables.clear()
            self.variables.update(before)
            self.environment = environment

    def _node(self, element: Element, substitute: Substituter) -> None:
        if not self.survey:
            self.description.nodes.append(parse_node(element, substitute, CONDITIONS, self.environment))

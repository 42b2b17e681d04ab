# SPDX-License-Identifier: Apache-2.0
"""XML read into elements that know their line."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from surefoot.bringup.errors import LaunchFileError, Origin
from surefoot.errors import ConfigurationError


@dataclass
class Element:
    """One element of a launch file."""

    tag: str
    attributes: dict[str, str]
    origin: Origin
    children: list["Element"] = field(default_factory=list)

    def require(self, attribute: str) -> str:
        """The text of an attribute that must be there. Raises LaunchFileError."""
        if attribute not in self.attributes:
            raise LaunchFileError(self.origin, f"<{self.tag}> needs the attribute '{attribute}'")
        return self.attributes[attribute]

    def check(self, attributes: Collection[str], children: Collection[str] = ()) -> None:
        """Refuse what is not among the known attributes and children. Raises LaunchFileError."""
        for name in self.attributes:
            if name not in attributes:
                known = ", ".join(sorted(attributes)) or "none"
                raise LaunchFileError(self.origin, f"<{self.tag}> has the attribute '{name}', which is not supported here. Known: {known}")
        for child in self.children:
            if child.tag not in children:
                known = ", ".join(f"<{tag}>" for tag in sorted(children)) or "nothing"
                raise LaunchFileError(child.origin, f"<{child.tag}> inside <{self.tag}> is not supported here. Known: {known}")

    def children_named(self, tag: str) -> list["Element"]:
        """The children with this tag, in their order."""
        return [child for child in self.children if child.tag == tag]


def read_elements(path: Path) -> Element:
    """Read a launch file.

    Raises:
        ConfigurationError: there is no such file.
        LaunchFileError: it is not XML, has text between its elements, or its root is not <launch>.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"cannot read the launch file {path}: {error.strerror}") from error
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[Element] = []
    roots: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, Origin(path, parser.CurrentLineNumber))
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def text_between(content: str) -> None:
        if content.strip():
            raise LaunchFileError(Origin(path, parser.CurrentLineNumber), f"text between elements has no meaning: {content.strip()!r}")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.CharacterDataHandler = text_between
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise LaunchFileError(Origin(path, error.lineno), f"not XML: {expat.errors.messages[error.code]}") from error
    if roots[0].tag != "launch":
        raise LaunchFileError(roots[0].origin, f"the outermost element is <{roots[0].tag}>, not <launch>")
    return roots[0]

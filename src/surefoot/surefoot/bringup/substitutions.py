# SPDX-License-Identifier: Apache-2.0
"""Substitutions: `$(var x)`, `$(env NAME default)`, `$(find-pkg-share package)`, `$(dirname)`, `$(equals a b)`, `$(not-equals a b)`,
`$(command 'program words')`.

They can stand inside of one another.
"""

import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.bringup.errors import LaunchFileError, Origin
from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.locate import shared_directory

OUR_PACKAGE = "surefoot_bringup"


@dataclass(frozen=True)
class Substituter:
    """Replaces substitutions in the text of one element.

    Args:
        variables: launch arguments and <let> values in force.
        origin: where the text stands.
    """

    variables: Mapping[str, str]
    origin: Origin
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def __call__(self, text: str) -> str:
        """The text with all substitutions made.

        Raises:
            LaunchFileError: unknown substitution, unknown name, or text that ends inside of a substitution.
        """
        value, end = _Reader(text, self._substitute, self._fail).read(0, stop="")
        assert end == len(text)
        return value

    def _substitute(self, name: str, arguments: list[str]) -> str:
        known: dict[str, tuple[Callable[..., str], int, int]] = {
            "var": (self._variable, 1, 2),
            "env": (self._environment, 1, 2),
            "find-pkg-share": (self._share, 1, 1),
            "dirname": (self._directory, 0, 0),
            "command": (self._command, 1, 1),
            "equals": (_equals, 2, 2),
            "not-equals": (lambda left, right: "false" if _equals(left, right) == "true" else "true", 2, 2),
        }
        if name not in known:
            raise self._fail(f"the substitution $({name} …) is not supported here. Known: {', '.join(sorted(known))}")
        work, least, most = known[name]
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise self._fail(f"$({name} …) takes {wanted} arguments, not {len(arguments)}")
        return work(*arguments)

    def _variable(self, name: str, *default: str) -> str:
        if name in self.variables:
            return self.variables[name]
        if default:
            return default[0]
        raise LaunchFileError(self.origin, str(UnknownNameError("launch argument", name, self.variables, "Declare it with <arg> above.")))

    def _environment(self, name: str, *default: str) -> str:
        if name in self.environment:
            return self.environment[name]
        if default:
            return default[0]
        raise self._fail(f"the environment variable {name} is not set; set it, or write $(env {name} default)")

    def _share(self, package: str) -> str:
        if package != OUR_PACKAGE:
            raise self._fail(f"$(find-pkg-share {package}): only {OUR_PACKAGE} is known here")
        try:
            return str(shared_directory())
        except ConfigurationError as error:
            raise self._fail(str(error)) from error

    def _directory(self) -> str:
        return str(self.origin.file.parent)

    def _command(self, line: str) -> str:
        """What a program prints. One that fails, or complains, is an error, as under `ros2 launch`."""
        # Programs of this environment are found though nobody activated it.
        path = os.pathsep.join((str(Path(sys.executable).parent), self.environment.get("PATH", os.defpath)))
        try:
            done = subprocess.run(shlex.split(line), capture_output=True, text=True, check=False, env={**self.environment, "PATH": path})
        except (OSError, ValueError) as error:
            raise self._fail(f"$(command {line!r}) cannot be run: {error}") from error
        if done.returncode or done.stderr:
            raise self._fail(f"$(command {line!r}) ended with exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def _fail(self, problem: str) -> LaunchFileError:
        return LaunchFileError(self.origin, problem)


def _equals(left: str, right: str) -> str:
    """As under `ros2 launch`: two conditions or two numbers compare by what they mean, anything else by its letters."""
    truths = {"true": True, "1": True, "false": False, "0": False}
    if left.lower() in truths and right.lower() in truths:
        return str(truths[left.lower()] == truths[right.lower()]).lower()
    try:
        return str(math.isclose(float(left), float(right))).lower()
    except ValueError:
        return str(left == right).lower()


@dataclass(frozen=True)
class _Reader:
    """Walks over a text, following the grammar of the launch front end: arguments are parted by single spaces and may be quoted."""

    text: str
    substitute: Callable[[str, list[str]], str]
    fail: Callable[[str], LaunchFileError]

    def read(self, start: int, stop: str) -> tuple[str, int]:
        """Text up to one of the stop characters (or to the end), with substitutions made; and the place of the stop."""
        parts: list[str] = []
        place = start
        while place < len(self.text) and self.text[place] not in stop:
            if self.text.startswith("$(", place):
                part, place = self.read_substitution(place)
            elif self.text[place] == "\\" and place + 1 < len(self.text):
                part, place = self.text[place + 1], place + 2
            else:
                part, place = self.text[place], place + 1
            parts.append(part)
        return "".join(parts), place

    def read_substitution(self, start: int) -> tuple[str, int]:
        """The value of the substitution that starts here, and the place after it."""
        name = re.compile(r"[A-Za-z][A-Za-z0-9_-]*").match(self.text, start + 2)
        if name is None:
            raise self.fail(f"'{self.text[start:]}' is not a substitution: a name has to follow '$('")
        arguments: list[str] = []
        place = name.end()
        while self.text.startswith(" ", place):
            quote = self.text[place + 1 : place + 2]
            if quote and quote in "'\"":
                value, place = self.read(place + 2, stop=quote)
                place += 1
            else:
                value, place = self.read(place + 1, stop=" )")
            arguments.append(value)
        if not self.text.startswith(")", place):
            raise self.fail(f"'{self.text[start:]}' does not close its '$('")
        return self.substitute(name[0], arguments), place + 1

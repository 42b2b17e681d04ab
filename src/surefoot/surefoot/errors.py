# SPDX-License-Identifier: Apache-2.0
"""The one family of errors that Surefoot raises on purpose."""

from collections.abc import Iterable
from difflib import get_close_matches


class SurefootError(Exception):
    """Something that a person can mend. The message names the thing, its value, the limit and the way out."""


class ConfigurationError(SurefootError):
    """A file, key or argument that cannot be used as it stands."""


class UnknownNameError(ConfigurationError):
    """A name that nothing answers to.

    Attributes:
        kind: what was looked for, as in "gait".
        name: the name that was given.
        known: the names that would have been right.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = get_close_matches(name, self.known, n=1)
        guess = f"; did you mean '{near[0]}'?" if near else ""
        tail = f" {hint}" if hint else ""
        super().__init__(f"unknown {kind} '{name}'{guess or '.'} Known: {', '.join(self.known) or 'none'}.{tail}")


class RobotDescriptionError(ConfigurationError):
    """A robot description that cannot be a robot."""


class SensorError(SurefootError):
    """Sensor data that cannot be what it says it is."""

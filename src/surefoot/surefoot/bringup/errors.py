# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a launch file, and where."""

from dataclasses import dataclass
from pathlib import Path

from surefoot.errors import ConfigurationError


@dataclass(frozen=True)
class Origin:
    """A place in a launch file."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class LaunchFileError(ConfigurationError):
    """A launch file that asks for something wrong, or for something outside of the subset.

    Attributes:
        origin: the place.
    """

    def __init__(self, origin: Origin, problem: str) -> None:
        self.origin = origin
        super().__init__(f"{origin}: {problem}")

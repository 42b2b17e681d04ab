# SPDX-License-Identifier: Apache-2.0
"""Configurations that a bag is replayed with: parameters of nodes, and values in the files of config/."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

import surefoot.settings
from surefoot.errors import ConfigurationError
from surefoot.settings import Settings, read_settings


class Configuration(Settings):
    """What is to be other than it was recorded."""

    parameters: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Of nodes, by the node's name."""
    files: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Values in files of config/, by the file's name, such as estimator.yaml; what is not named stays."""


class Sweep(Settings):
    """Configurations by name, the first of them the one that the others are compared with."""

    configurations: dict[str, Configuration] = Field(min_length=1)


def read_sweep(path: Path) -> Sweep:
    """Read the file of a sweep. Raises ConfigurationError."""
    return read_settings(Sweep, path)


@contextmanager
def changed_files(changes: dict[str, dict[str, Any]]) -> Iterator[None]:
    """While this is open, files of config/ read as if they held other values.

    Raises:
        ConfigurationError: at the end, a file that nobody read: its change could not take effect.
    """
    read, seen = surefoot.settings.read_yaml, set()

    def read_changed(path: Path) -> Any:
        values = read(path)
        if path.name not in changes:
            return values
        seen.add(path.name)
        return _merged(values, changes[path.name])

    surefoot.settings.read_yaml = read_changed
    try:
        yield
    finally:
        surefoot.settings.read_yaml = read
    if unread := changes.keys() - seen:
        raise ConfigurationError(f"none of the nodes that are replayed read {', '.join(sorted(unread))}: a change there does nothing")


def _merged(values: Any, changes: Any) -> Any:
    if isinstance(values, dict) and isinstance(changes, dict):
        return values | {key: _merged(values.get(key), value) for key, value in changes.items()}
    return changes

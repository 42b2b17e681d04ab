# SPDX-License-Identifier: Apache-2.0
"""YAML files read into typed, range-checked objects; every problem of a file is named at once."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from surefoot.errors import ConfigurationError


class Settings(BaseModel):
    """Base of everything that is read from YAML: no unknown keys, no infinite numbers, no changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)


SettingsType = TypeVar("SettingsType", bound=Settings)


def is_path_to_yaml(name_or_path: str) -> bool:
    """Whether what may be the name of something in config/ or a path to a file of one's own is the path."""
    return name_or_path.endswith((".yaml", ".yml"))


def read_yaml(path: Path) -> Any:
    """Read one YAML document.

    Raises:
        ConfigurationError: the file is missing or is not YAML.
    """
    try:
        return yaml.safe_load(path.read_text())
    except FileNotFoundError as error:
        raise ConfigurationError(f"no such file: {path}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path} is not YAML: {error}") from error


def check_settings(kind: type[SettingsType], values: Any, origin: str) -> SettingsType:
    """Turn plain values into settings.

    Args:
        kind: the settings class.
        values: a mapping as YAML gives it.
        origin: where the values came from, for the message.

    Raises:
        ConfigurationError: naming every unknown, missing and out-of-range key, with the value that was given.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems = []
        for item in error.errors():
            place = ".".join(str(part) for part in item["loc"]) or "(whole file)"
            if item["type"] == "extra_forbidden":
                problems.append(f"{place}: unknown key")
            elif item["type"] == "missing":
                problems.append(f"{place}: missing")
            else:
                problems.append(f"{place}: {item['msg']}, not {item['input']!r}")
        raise ConfigurationError(f"{origin}: " + "; ".join(problems)) from error


def read_settings(kind: type[SettingsType], path: Path) -> SettingsType:
    """Read a YAML file into settings. Raises ConfigurationError, see check_settings."""
    return check_settings(kind, read_yaml(path), str(path))


def key_values(words: Iterable[str]) -> dict[str, Any]:
    """Values by key from words like `key=value`, as YAML understands the values. Raises ConfigurationError."""
    values = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise ConfigurationError(f"'{word}' is not KEY=VALUE")
        try:
            values[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise ConfigurationError(f"the value in '{word}' is not YAML: {error}") from error
    return values

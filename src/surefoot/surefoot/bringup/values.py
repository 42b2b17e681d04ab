# SPDX-License-Identifier: Apache-2.0
"""Types of what stands in a launch file: parameters by the rules of YAML or by their `type`, conditions by true and false."""

import json
from collections.abc import Callable

import yaml

from surefoot.errors import ConfigurationError

Scalar = bool | int | float | str
ParameterValue = Scalar | list[bool] | list[int] | list[float] | list[str]

_SCALARS: dict[str, type[bool] | type[int] | type[float] | type[str]] = {"bool": bool, "int": int, "float": float, "str": str}
TYPE_NAMES = (*_SCALARS, *(f"list_of_{name}" for name in _SCALARS))


def parameter_value(text: str, type_name: str | None = None) -> ParameterValue:
    """What a node gets for the text of a parameter.

    Args:
        text: the text, substitutions made.
        type_name: one of TYPE_NAMES, or None to go by the rules of YAML 1.1, as the ROS 2 front end does.

    Raises:
        ConfigurationError: the text is not of that type, or is nothing that a parameter can hold.
    """
    if type_name is None:
        return _checked(_from_yaml(text), text) if text else ""
    if type_name not in TYPE_NAMES:
        raise ConfigurationError(f"unknown parameter type '{type_name}'. Known: {', '.join(TYPE_NAMES)}")
    if type_name.startswith("list_of_"):
        items = _from_yaml(text)
        wanted = _SCALARS[type_name.removeprefix("list_of_")]
        if not isinstance(items, list) or any(type(item) is not wanted for item in items):
            raise ConfigurationError(f"'{text}' is not a {type_name}")
        return _checked(items, text)
    convert: dict[str, Callable[[str], Scalar]] = {"bool": _boolean, "int": int, "float": float, "str": str}
    try:
        return convert[type_name](text)
    except ValueError as error:
        raise ConfigurationError(f"'{text}' is not of type {type_name}") from error


def condition(text: str) -> bool:
    """Whether a condition holds: true, 1, false or 0, in any case. Raises ConfigurationError."""
    word = text.strip().lower()
    if word not in ("true", "1", "false", "0"):
        raise ConfigurationError(f"'{text}' is not a condition: it has to be true, 1, false or 0")
    return word in ("true", "1")


def as_yaml(value: ParameterValue) -> str:
    """A value as the command line of a node takes it, with its type kept."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(as_yaml(item) for item in value)}]"
    return str(yaml.safe_dump(value)).splitlines()[0]


def _boolean(text: str) -> bool:
    value = {"1": True, "0": False}.get(text, _from_yaml(text))
    if not isinstance(value, bool):
        raise ValueError(text)
    return value


def _from_yaml(text: str) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"'{text}' cannot be read as YAML; for a string, write type=\"str\"") from error


def _checked(value: object, text: str) -> ParameterValue:
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list) and value and type(value[0]) in _SCALARS.values() and len({type(item) for item in value}) == 1:
        return value
    raise ConfigurationError(
        f"'{text}' is neither a bool, int, float, string nor a list with one of these types throughout; for a string, write type=\"str\""
    )

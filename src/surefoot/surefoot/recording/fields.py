# SPDX-License-Identifier: Apache-2.0
"""Messages as flat rows of named values."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

Value = float | int | bool | str


def flat(message: Any) -> dict[str, Value]:
    """Every number and text in a message by its path, such as pose.pose.position.x or joint_position[3].

    Values that stand beside names are called by them: position.LF_haa of a JointState, foot_force.LF_foot.0 of three values for each name.
    """
    return dict(_walk(message, ""))


def _walk(value: Any, path: str) -> Iterator[tuple[str, Value]]:
    if (own := _fields(value)) is not None:
        names = _names_in(value, own)
        for name in own:
            child, place = getattr(value, name), f"{path}.{name}" if path else name
            labels = names.get(_kind(name), names.get("", ()))
            if not labels and len(names) == 1 and _is_list(child) and len(child) == len(*names.values()):
                # The only names that there are, and as many values.
                labels = next(iter(names.values()))
            if labels and _is_list(child) and not _is_text(child) and len(child) and len(child) % len(labels) == 0:
                yield from _named(child, place, labels)
            else:
                yield from _walk(child, place)
    elif _is_list(value):
        for number, child in enumerate(value):
            yield from _walk(child, f"{path}[{number}]")
    elif isinstance(value, np.generic):
        yield path, value.item()
    else:
        yield path, value


def _named(values: Sequence[Any], path: str, labels: tuple[str, ...]) -> Iterator[tuple[str, Value]]:
    width = len(values) // len(labels)
    for number, child in enumerate(values):
        label = f"{path}.{labels[number // width]}"
        yield from _walk(child, label if width == 1 else f"{label}.{number % width}")


def _fields(value: Any) -> tuple[str, ...] | None:
    """The names of the fields of a message, decoded by either library; None for what is none."""
    if is_dataclass(value):
        return tuple(field.name for field in fields(value) if field.name != "__msgtype__")
    if hasattr(value, "get_fields_and_field_types"):
        return tuple(value.get_fields_and_field_types())
    return None


def _names_in(message: Any, own: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Lists of names in a message by what they name: joint_names the joints, name everything."""
    result = {}
    for field in own:
        child = getattr(message, field)
        if field in ("name", "names") or field.endswith("_names"):
            names = tuple(str(entry) for entry in child) if _is_list(child) else ()
            if names and len(set(names)) == len(names):
                result[_kind(field) if "_" in field else ""] = names
    return result


def _kind(name: str) -> str:
    return name.split("_")[0]


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray | array)


def differing(a: dict[str, Value], b: dict[str, Value]) -> Iterator[tuple[str, Value | None, Value | None]]:
    """Paths at which two flat messages differ, with both values; None where one has none. Two NaN are the same."""
    for path in (*a, *(path for path in b if path not in a)):
        left, right = a.get(path), b.get(path)
        if left != right and not (left != left and right != right):
            yield path, left, right


def _is_text(values: Any) -> bool:
    return len(values) > 0 and isinstance(values[0], str)

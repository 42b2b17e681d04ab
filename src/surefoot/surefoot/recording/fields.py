# SPDX-License-Identifier: Apache-2.0
"""Messages as flat rows of named values."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

Value = float | int | bool | str

_PACKED, _LISTS = (np.ndarray, array), (list, tuple)


def flat(message: Any) -> dict[str, Value]:
    """Every number and text in a message by its path, such as pose.pose.position.x or joint_position[3].

    Values that stand beside names are called by them: position.LF_haa of a JointState, foot_force.LF_foot.0 of three values for each name.
    """
    return dict(_walk(message, ""))


class Row(NamedTuple):
    """A flat message: its paths, as `flat` calls them, and a value for each. Of messages that are built alike they are one tuple."""

    paths: tuple[str, ...]
    values: list[Value]


class Flattener:
    """Makes rows of many messages: the paths, which cost far more than the values, are worked out once for all that are built alike.

    Args:
        before: paths of values that stand in front of each row.
    """

    def __init__(self, before: tuple[str, ...] = ()) -> None:
        self._before = before
        self._paths: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def row(self, message: Any, before: Sequence[Value] = ()) -> Row:
        """The row of a message, behind the values that stand in front of it."""
        values: list[Value] = list(before)
        built: list[Any] = [type(message)]
        _collect(message, values, built)
        key = tuple(built)
        if key not in self._paths:
            self._paths[key] = (*self._before, *(path for path, _ in _walk(message, "")))
        return Row(self._paths[key], values)


def _collect(message: Any, values: list[Value], built: list[Any]) -> None:
    """Add the values of a message in the order of its paths, and what these depend on: how long its lists are, and which names it gives."""
    for name in _fields(message) or ():
        child = getattr(message, name)
        if _is_list(child):
            built.append(tuple(map(str, child)) if _gives_names(name) else len(child))
        if isinstance(child, _PACKED):
            values.extend(child.tolist())
        elif isinstance(child, _LISTS):
            for entry in child:
                if _fields(entry) is not None:
                    _collect(entry, values, built)
                else:
                    values.append(entry.item() if isinstance(entry, np.generic) else entry)
        elif _fields(child) is not None:
            _collect(child, values, built)
        else:
            values.append(child.item() if isinstance(child, np.generic) else child)


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


_FIELDS: dict[type, tuple[str, ...] | None] = {}


def _fields(value: Any) -> tuple[str, ...] | None:
    """The names of the fields of a message, decoded by either library; None for what is none."""
    kind = type(value)
    if kind not in _FIELDS:
        _FIELDS[kind] = _fields_of(kind)
    return _FIELDS[kind]


def _fields_of(kind: Any) -> tuple[str, ...] | None:
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.name != "__msgtype__")
    if hasattr(kind, "get_fields_and_field_types"):
        return tuple(kind.get_fields_and_field_types())
    return None


def _names_in(message: Any, own: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Lists of names in a message by what they name: joint_names the joints, name everything."""
    result = {}
    for field in own:
        child = getattr(message, field)
        if _gives_names(field):
            names = tuple(str(entry) for entry in child) if _is_list(child) else ()
            if names and len(set(names)) == len(names):
                result[_kind(field) if "_" in field else ""] = names
    return result


def _gives_names(field: str) -> bool:
    return field in ("name", "names") or field.endswith("_names")


def _kind(name: str) -> str:
    return name.split("_")[0]


def _is_list(value: Any) -> bool:
    return isinstance(value, _LISTS + _PACKED)


def differing(a: dict[str, Value], b: dict[str, Value]) -> Iterator[tuple[str, Value | None, Value | None]]:
    """Paths at which two flat messages differ, with both values; None where one has none. Two NaN are the same."""
    for path in (*a, *(path for path in b if path not in a)):
        left, right = a.get(path), b.get(path)
        if left != right and not (left != left and right != right):
            yield path, left, right


def _is_text(values: Any) -> bool:
    return len(values) > 0 and isinstance(values[0], str)

# SPDX-License-Identifier: Apache-2.0
"""Messages as bytes that are equal where the messages are: over the wire the gaps between aligned values hold whatever was there before."""

import marshal
from array import array
from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

_VERSION = 2
"""Of marshal's format: the last one in which equal values give equal bytes."""

_ITSELF = frozenset({float, bool, int, str, bytes, list, array, np.ndarray})
"""Types that marshal writes by their value; those that lie in memory as their bytes."""


class _Leaves(NamedTuple):
    """What a type of message is made of: its values in a row, and which of these are lists of messages, or of anything else."""

    values: Callable[[Any], tuple[Any, ...]]
    nested: tuple[int, ...]
    lists: tuple[int, ...]


_LEAVES: dict[type, _Leaves] = {}


def canonical(message: Any) -> bytes:
    """Every value of a message, to the last bit, NaN included."""
    return marshal.dumps(_plain(message), _VERSION)


def _plain(message: Any) -> list[Any]:
    kind = type(message)
    if kind not in _LEAVES:
        _LEAVES[kind] = _leaves(kind)
    leaves = _LEAVES[kind]
    values = list(leaves.values(message))
    for place in leaves.nested:
        values[place] = [_plain(entry) for entry in values[place]]
    for place in leaves.lists:
        if not _ITSELF.issuperset(map(type, values[place])):
            values[place] = [_value(entry) for entry in values[place]]
    # One look at all of them: to ask each value for its type would cost as much as the rest.
    if not _ITSELF.issuperset(map(type, values)):
        values = [_value(value) for value in values]
    return values


def _value(value: Any) -> Any:
    """A value that is written otherwise than an equal one of the type that comes over the wire."""
    if type(value) in _ITSELF:
        return value
    if isinstance(value, np.generic):
        return value.item()
    for base in (float, int, str):
        if isinstance(value, base):  # such as a member of an enumeration
            return base(value)
    return list(value)


def _leaves(kind: type) -> _Leaves:
    """Of the type of a message."""
    places: list[str] = []
    nested: list[int] = []
    lists: list[int] = []

    def walk(message: Any, before: str) -> None:
        for name, described in message.get_fields_and_field_types().items():
            # Past the property of the same name, which is a call of its own for each value.
            place = f"{before}_{name}"
            value = getattr(message, name)
            if hasattr(value, "get_fields_and_field_types"):
                walk(value, f"{place}.")
                continue
            if isinstance(value, list):
                (nested if "/" in described else lists).append(len(places))
            places.append(place)

    walk(kind(), "")
    if len(places) == 1:
        # With one name only, an attrgetter gives the value without a tuple around it.
        single = attrgetter(places[0])
        return _Leaves(lambda message: (single(message),), tuple(nested), tuple(lists))
    return _Leaves(attrgetter(*places) if places else lambda message: (), tuple(nested), tuple(lists))

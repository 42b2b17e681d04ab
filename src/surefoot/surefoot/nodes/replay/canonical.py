# SPDX-License-Identifier: Apache-2.0
"""Messages as bytes that are equal where the messages are: over the wire the gaps between aligned values hold whatever was there before."""

import marshal
from array import array
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

_VERSION = 2
"""Of marshal's format: the last one in which equal values give equal bytes."""

_ITSELF = (float, bool, int, str, bytes)
_VALUES: dict[type, Callable[[Any], Any]] = {array: array.tobytes, np.ndarray: lambda values: values.tobytes()}
_FIELDS: dict[type, Callable[[Any], tuple[Any, ...]]] = {}


def canonical(message: Any) -> bytes:
    """Every value of a message, to the last bit, NaN included."""
    return marshal.dumps(_plain(message), _VERSION)


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _ITSELF:
        return value
    if kind in _VALUES:
        return _VALUES[kind](value)
    if kind is list or kind is tuple:
        return [_plain(entry) for entry in value]
    if kind not in _FIELDS:
        if isinstance(value, np.generic):
            return value.item()
        for base in (float, int, str):
            if isinstance(value, base):  # such as a member of an enumeration
                return base(value)
        names = kind.get_fields_and_field_types()
        # With one name only, an attrgetter gives the value without a tuple around it.
        _FIELDS[kind] = attrgetter(*names) if len(names) > 1 else lambda message: tuple(getattr(message, name) for name in names)
    return [_plain(entry) for entry in _FIELDS[kind](value)]

# SPDX-License-Identifier: Apache-2.0
"""Serialized messages that become garbage without being read: by the million, where reading each one first would take too long."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message, serialize_message

from surefoot.nodes.faults.messages import STRANGE, change, stamp_in, with_stamp

_HEAD = 4
"""Bytes that say how the rest is written; places are counted from behind them."""

_MARK = 7.25e77
"""A number that no message has by chance; as one of single precision it is the largest that `change` makes."""
_SINGLE = np.float32(3e38)

_STRANGE = np.array(STRANGE)
_NUMBERS = tuple(struct.pack("<d", value) for value in STRANGE)
_WORDS = tuple(struct.pack("<I", value) for value in (0, 1, 3, 13, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1))
_PIECES = (_NUMBERS, _WORDS, tuple(bytes((value,)) for value in range(256)))
"""What is written over what is there: each at places that are whole multiples of its length, where numbers of that length lie."""

MOST_PLACES = 12
SHARES = (0.02, 0.2, 1.0)
"""Of the numbers of a message, that become others."""
STAMPED_OFF = 0.1
"""Share of the messages with other numbers of which the stamp is another too."""


@dataclass(frozen=True)
class Places:
    """Where the numbers of one serialized message lie, in units of their size, from behind its head.

    Attributes:
        doubles, singles: of double and of single precision.
        stamped: whether it begins with a header.
    """

    doubles: NDArray[np.intp]
    singles: NDArray[np.intp]
    stamped: bool

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self.doubles.size or self.singles.size)

    @classmethod
    def of(cls, data: bytes, kind: Any) -> "Places":
        """Those of a message of a type."""
        message = deserialize_message(data, kind)
        change(message, lambda value: _MARK, lambda value: value)
        marked = bytes(serialize_message(message))
        doubles, singles = (_values(marked, kind) for kind in (np.float64, np.float32))
        fields = kind.get_fields_and_field_types()
        return cls(np.flatnonzero(doubles == _MARK), np.flatnonzero(singles == _SINGLE), next(iter(fields), "") == "header")


def _values(data: bytes | bytearray, kind: Any) -> Any:
    size = np.dtype(kind).itemsize
    return np.frombuffer(data, kind, (len(data) - _HEAD) // size, _HEAD)


def with_other_numbers(data: bytes, places: Places, generator: np.random.Generator) -> bytes:
    """A copy of a serialized message in which some numbers are none, absurd, or a bit off, and now and then its stamp.

    Args:
        data: a message.
        places: of its numbers.
        generator: draws which and how.
    """
    made, share = bytearray(data), SHARES[int(generator.integers(len(SHARES)))]
    for values, there in ((_values(made, np.float64), places.doubles), (_values(made, np.float32), places.singles)):
        if not there.size:
            continue
        hit = there[generator.random(there.size) < share]
        hit = hit if hit.size else there[generator.integers(there.size, size=1)]
        with np.errstate(all="ignore"):
            near = values[hit] * 10.0 ** generator.normal(size=hit.size) + generator.normal(size=hit.size)
            values[hit] = np.where(generator.random(hit.size) < 0.7, _STRANGE[generator.integers(_STRANGE.size, size=hit.size)], near)
    if places.stamped and generator.random() < STAMPED_OFF:
        off = generator.normal() * 10.0 ** generator.uniform(-3.0, 6.0)
        return with_stamp(bytes(made), float(np.clip(stamp_in(data) + off, -(2.0**31), 2.0**31 - 1.0)))
    return bytes(made)


def with_other_bytes(data: bytes, generator: np.random.Generator) -> bytes:
    """A copy of a serialized message with other bytes in a few places; now and then it ends too early, or goes on too long.

    That is what a program with another idea of a type puts on the wire: numbers become some that are none, lengths of lists and of words
    others, words others. Many of these cannot be read any more.

    Args:
        data: a message.
        generator: draws where and what.
    """
    made = bytearray(data)
    pieces = _PIECES[int(generator.integers(len(_PIECES)))]
    size = len(pieces[0])
    places = (len(made) - _HEAD) // size
    if places > 0:
        many = int(generator.integers(1, MOST_PLACES + 1))
        for place, piece in zip(generator.integers(places, size=many), generator.integers(len(pieces), size=many), strict=True):
            begin = _HEAD + size * int(place)
            made[begin : begin + size] = pieces[int(piece)]
    how = generator.random()
    if how < 0.05:
        del made[int(generator.integers(len(made) + 1)) :]
    elif how < 0.1:
        made += generator.bytes(int(generator.integers(1, 64)))
    return bytes(made)

# SPDX-License-Identifier: Apache-2.0
"""Stamps, vectors and names, as messages have them."""

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Quaternion, Vector3
from numpy.typing import NDArray

from surefoot.errors import SensorError

Array = NDArray[np.float64]

ODOM = "odom"


def stamp_of(seconds: float) -> Time:
    """A stamp, rounded to the nanosecond."""
    nanoseconds = round(seconds * 1e9)
    return Time(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


def seconds_of(stamp: Time) -> float:
    """Seconds of a stamp."""
    return nanoseconds_of(stamp) * 1e-9


def nanoseconds_of(stamp: Time) -> int:
    """Nanoseconds of a stamp."""
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def vector_of(values: Array) -> Vector3:
    """A Vector3 of (3,)."""
    return Vector3(x=float(values[0]), y=float(values[1]), z=float(values[2]))


def point_of(values: Array) -> Point:
    """A Point of (3,)."""
    return Point(x=float(values[0]), y=float(values[1]), z=float(values[2]))


def quaternion_of(values: Array) -> Quaternion:
    """A Quaternion of x y z w."""
    return Quaternion(x=float(values[0]), y=float(values[1]), z=float(values[2]), w=float(values[3]))


def array_of(message: Vector3 | Point) -> Array:
    """(3,) of a Vector3 or Point."""
    return np.array((message.x, message.y, message.z))


def array_of_quaternion(message: Quaternion) -> Array:
    """x y z w."""
    return np.array((message.x, message.y, message.z, message.w))


def doubles(values: Array) -> "array[float]":
    """The values in the form in which a message takes them without looking at each."""
    return array("d", values.tobytes())


class Order:
    """Brings the values of a message into the order of the description, by name; the order of a message is remembered.

    Args:
        kind: of the names, for the error.
        names: in the order of the description.
    """

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        self._kind, self._names = kind, tuple(names)
        self._given: tuple[str, ...] | None = None
        self._places: list[int] = []
        self._index: slice | NDArray[np.intp] = slice(None)

    def places(self, given: Sequence[str]) -> list[int]:
        """Index into the message for each name of the description; what `values` goes by from here on.

        Raises:
            SensorError: a name is missing, unknown or doubled.
        """
        order = tuple(given)
        if order != self._given:
            if sorted(order) != sorted(self._names):
                raise SensorError(f"{self._kind} names are {', '.join(order) or 'none'}; needed are {', '.join(self._names)}, once each")
            self._given, self._places = order, [order.index(name) for name in self._names]
            self._index = slice(None) if order == self._names else np.array(self._places)
        return self._places

    def values(self, what: str, values: Sequence[float], width: int = 1) -> Array:
        """Values in the order of the description, (n,), or (n, width) for a width over 1.

        Args:
            what: they are, for the error.
            values: one for each name of the message, or width of them.

        Raises:
            SensorError: there are not as many values as the names need.
        """
        names = len(self._names)
        if len(values) != width * names:
            raise SensorError(f"{what}: {len(values)} values for {names} names" + (f" of {width} each" if width > 1 else ""))
        ours = np.array(values, dtype=np.float64)
        return ours[self._index] if width == 1 else ours.reshape(-1, width)[self._index]

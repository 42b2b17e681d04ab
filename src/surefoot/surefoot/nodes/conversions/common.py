# SPDX-License-Identifier: Apache-2.0
"""Stamps, vectors and names, as messages have them."""

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
    return (int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)) * 1e-9


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


def by_name(what: str, values: Sequence[float], places: Sequence[int], width: int = 1) -> Array:
    """Values of a message in the order of the description, (n,), or (n, width) for a width over 1.

    Args:
        what: they are, for the error.
        values: one for each name of the message.
        places: index into them for each name of the description, see Order.
        width: how many values a name has.

    Raises:
        SensorError: there are not as many values as the names need.
    """
    if len(values) != width * len(places):
        raise SensorError(f"{what}: {len(values)} values for {len(places)} names" + (f" of {width} each" if width > 1 else ""))
    array = np.array(values, dtype=np.float64)
    return array[places] if width == 1 else array.reshape(-1, width)[places]


class Order:
    """Places of names in a message, remembered while the message keeps its order.

    Args:
        kind: of the names, for the error.
        names: in the order of the description.
    """

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        self._kind, self._names = kind, tuple(names)
        self._given: tuple[str, ...] | None = None
        self._places: list[int] = []

    def places(self, given: Sequence[str]) -> list[int]:
        """Index into the message for each name of the description.

        Raises:
            SensorError: a name is missing, unknown or doubled.
        """
        order = tuple(given)
        if order != self._given:
            if sorted(order) != sorted(self._names):
                raise SensorError(f"{self._kind} names are {', '.join(order) or 'none'}; needed are {', '.join(self._names)}, once each")
            self._given, self._places = order, [order.index(name) for name in self._names]
        return self._places

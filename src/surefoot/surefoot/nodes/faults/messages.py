# SPDX-License-Identifier: Apache-2.0
"""Serialized messages that go wrong on their way: as `evaluation.faults.taps` wants them."""

import struct
from array import array
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message

_STAMP = struct.Struct("<iI")
"""Of a header, behind the four bytes that say how the rest is written; ROS 2 writes little endian on every machine that it runs on."""

STRANGE = (*(sign * size for sign in (1.0, -1.0) for size in (0.0, 1e-320, 1.0, 3.2, 1e3, 1e9, 1e300, float("inf"))), float("nan"))
"""Of which numbers may be and should not be."""

TRIES = 10
"""Of making garbage that differs from what it was made from."""

UNSOUND = (float("nan"), float("inf"), float("-inf"), 1e300)

SAID_FIRST = {
    "Imu": "linear_acceleration", "FootForces": "forces", "RobotState": "base_position", "QuaternionStamped": "quaternion",
    "MotionPlan": "base_position", "JointState": "position", "ServoCommand": "position", "Joy": "axes",
}  # fmt: skip
"""The field that a wrong message is wrong in."""

WRONG_NUMBERS = {"OperatorCommand": ("request", 77), "RobotMode": ("mode", 77)}
"""Those that carry no measured number are wrong in what they ask for."""


def stamp_in(data: bytes) -> float:
    """header.stamp of a serialized message that begins with a header, s."""
    seconds, nanoseconds = _STAMP.unpack_from(data, 4)
    return float(seconds + 1e-9 * nanoseconds)


def with_stamp(data: bytes, stamp: float) -> bytes:
    """The same message with another header.stamp, s."""
    nanoseconds = round(stamp * 1e9)
    changed = bytearray(data)
    _STAMP.pack_into(changed, 4, *divmod(nanoseconds, 1_000_000_000))
    return bytes(changed)


def spoiler(kind: Any) -> Callable[[bytes, np.random.Generator], bytes]:
    """Of messages of a type: every number in them becomes one that is none, and every small whole number one that means nothing."""

    def spoil(data: bytes, generator: np.random.Generator) -> bytes:
        message = deserialize_message(data, kind)
        change(message, lambda value: float(generator.choice(UNSOUND)), lambda value: int(generator.integers(100, 255)))
        return bytes(serialize_message(message))

    return spoil


def falsifier(kind: Any) -> Callable[[bytes], bytes]:
    """Of messages of a type: sound and wrong, a quarter more and a bit."""

    def falsify(data: bytes) -> bytes:
        message = deserialize_message(data, kind)
        if kind.__name__ in WRONG_NUMBERS:
            setattr(message, *WRONG_NUMBERS[kind.__name__])
        else:
            name = SAID_FIRST[kind.__name__]
            setattr(message, name, _changed(getattr(message, name), lambda value: 1.25 * value + 0.05, lambda value: value))
        return bytes(serialize_message(message))

    return falsify


def garbled(message: Any, generator: np.random.Generator) -> Any:
    """A copy of a message that is garbage here and there: numbers, small whole numbers, lengths of lists, and its stamp.

    It may come out as it was, where there is little in it that can be garbage.

    Args:
        message: sound.
        generator: draws what.
    """
    for _ in range(TRIES):
        made = _garbled(message, generator)
        if made != message:
            break
    return made


def _garbled(message: Any, generator: np.random.Generator) -> Any:
    made, share = deepcopy(message), float(generator.choice((0.02, 0.2, 1.0)))

    def number(value: float) -> float:
        if generator.random() >= share:
            return value
        return float(generator.choice(STRANGE)) if generator.random() < 0.7 else value * 10.0 ** generator.normal() + generator.normal()

    def whole(value: int) -> int:
        return int(generator.integers(0, 256)) if generator.random() < share else value

    if generator.random() < 0.8:
        change(made, number, whole)
    if generator.random() < 0.2:
        _cut(made, generator)
    if generator.random() < 0.2 and hasattr(made, "header"):
        off = generator.normal() * 10.0 ** generator.uniform(-3.0, 6.0)
        stamp = made.header.stamp.sec + 1e-9 * made.header.stamp.nanosec + off
        made.header.stamp.sec = int(np.clip(np.floor(stamp), -(2**31), 2**31 - 1))
        made.header.stamp.nanosec = int(1e9 * (stamp % 1.0)) % 1_000_000_000
    return made


def _cut(message: Any, generator: np.random.Generator) -> None:
    """Shorten one list of a message, or double it."""
    lists = [name for name, kind in message.get_fields_and_field_types().items() if kind.startswith("sequence")]
    if lists:
        name = str(generator.choice(lists))
        values = getattr(message, name)
        setattr(message, name, values[: int(generator.integers(0, len(values) + 1))] if generator.random() < 0.5 else values + values)


def change(message: Any, number: Callable[[float], float], whole: Callable[[int], int]) -> None:
    """Change every number of a message, and every small whole number, but those of its header, by two functions."""
    for name, type_name in message.get_fields_and_field_types().items():
        if name != "header" and "int32" not in type_name:
            setattr(message, name, _changed(getattr(message, name), number, whole))


def _changed(value: Any, number: Callable[[float], float], whole: Callable[[int], int]) -> Any:
    """A field with its numbers changed; single precision knows no 1e300."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return whole(value)
    if isinstance(value, array):
        if value.typecode in "fd":
            most = 3e38 if value.typecode == "f" else np.inf
            return array(value.typecode, [x if not abs(x) < np.inf else float(np.clip(x, -most, most)) for x in map(number, value)])
        return array(value.typecode, map(whole, value)) if value.typecode == "B" else value
    if isinstance(value, np.ndarray):
        return np.array([number(x) for x in value], value.dtype) if value.dtype.kind == "f" else value
    if isinstance(value, list | tuple):
        return [_changed(one, number, whole) for one in value]
    if isinstance(value, bytes):
        return bytes(map(whole, value))
    change(value, number, whole)
    return value

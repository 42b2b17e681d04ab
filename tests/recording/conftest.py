# SPDX-License-Identifier: Apache-2.0
"""Bags that are written here, message by message."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings

SECOND = 1_000_000_000
BEGIN = 1_700_000_000 * SECOND
VECTOR = Topic("/vector", "geometry_msgs/msg/Vector3", "float64 x\nfloat64 y\nfloat64 z\n")
STAMPED = Topic(
    "/stamped",
    "test_msgs/msg/Stamped",
    "std_msgs/Header header\nstring[] joint_names\nfloat64[] joint_position\n"
    + "=" * 80
    + "\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
    + "=" * 80
    + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n",
)


def vector(x: float, y: float = 0.0, z: float = 0.0) -> bytes:
    """A serialized Vector3."""
    return b"\x00\x01\x00\x00" + struct.pack("<3d", x, y, z)


def stamped(seconds: float, positions: tuple[float, ...], garbage: bytes = b"\x00") -> bytes:
    """A serialized message with a stamp, joints a and b, and gaps that hold anything."""
    nanoseconds = round(seconds * SECOND)
    head = struct.pack("<iI", nanoseconds // SECOND, nanoseconds % SECOND) + struct.pack("<I", 1) + b"\0"
    head += garbage * (-len(head) % 4)
    names = struct.pack("<I", 2)
    for name in (b"a\0", b"b\0"):
        names += struct.pack("<I", len(name)) + name + garbage * 2
    body = head + names + struct.pack("<I", len(positions))
    body += garbage * (-len(body) % 8)
    return b"\x00\x01\x00\x00" + body + struct.pack(f"<{len(positions)}d", *positions)


@pytest.fixture
def write_bag(tmp_path: Path) -> Callable[..., Path]:
    """Writes a bag with vectors at 100 Hz whose x counts, and gives its folder."""

    def write(name: str = "bag", count: int = 300, settings: WriterSettings | None = None, close: bool = True) -> Path:
        writer = BagWriter(tmp_path / name, settings or WriterSettings(keep_free=0))
        writer.add_topic(VECTOR)
        for k in range(count):
            time = BEGIN + k * SECOND // 100
            writer.write(RawMessage(VECTOR.name, VECTOR.type, vector(float(k)), time, time, k))
        if close:
            writer.close()
        return tmp_path / name

    return write


@pytest.fixture
def vector_topic() -> Topic:
    return VECTOR


@pytest.fixture
def stamped_topic() -> Topic:
    return STAMPED


@pytest.fixture
def vector_bytes() -> Callable[..., bytes]:
    return vector


@pytest.fixture
def write_stamped(tmp_path: Path) -> Callable[..., Path]:
    """Writes a bag with stamped messages out of (seconds, positions), and gives its folder."""

    def write(name: str, samples: list[tuple[float, tuple[float, ...]]], garbage: bytes = b"\x00") -> Path:
        writer = BagWriter(tmp_path / name, WriterSettings(keep_free=0))
        writer.add_topic(STAMPED)
        for seconds, positions in samples:
            time = BEGIN + round(seconds * SECOND)
            writer.write(RawMessage(STAMPED.name, STAMPED.type, stamped(seconds, positions, garbage), time, time))
        writer.close()
        return tmp_path / name

    return write

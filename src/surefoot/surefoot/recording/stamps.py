# SPDX-License-Identifier: Apache-2.0
"""The time of the sample that a message is about, read without reading the message."""

import struct

_LITTLE, _BIG = struct.Struct("<iI"), struct.Struct(">iI")


def has_header(definition: str) -> bool:
    """Whether messages of a definition begin with a std_msgs/Header."""
    for line in definition.splitlines():
        words = line.split("#")[0].split()
        if line.startswith("==="):
            return False
        if len(words) >= 2 and "=" not in words[0] and "=" not in words[1] and (len(words) < 3 or not words[2].startswith("=")):
            return words[0] in ("std_msgs/Header", "std_msgs/msg/Header", "Header")
    return False


def stamp_of(data: bytes) -> int:
    """header.stamp of a serialized message that begins with a header, ns; 0 where the message is too short to have one."""
    if len(data) < 12:
        return 0
    seconds, nanoseconds = (_LITTLE if data[1] & 1 else _BIG).unpack_from(data, 4)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)

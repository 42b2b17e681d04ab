# SPDX-License-Identifier: Apache-2.0
"""Reads messages of a bag, each exactly as the middleware would, several times as fast.

The wheels make a message by calling its constructor, which makes every default only to have it replaced, and import the module of each part
anew. Here a function is written for each type that puts the values where they belong. What it does not understand, the middleware reads.
[OMG DDSI-RTPS 2.5, clause 10, XCDR1]
"""

import struct
import sys
from array import array
from collections.abc import Callable
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from rosidl_parser.definition import AbstractSequence, Array, BasicType, BoundedSequence, NamespacedType, UnboundedString

LITTLE_ENDIAN = b"\x00\x01"
"""How the bytes of a message begin whose numbers begin with their lowest byte; two more follow that say nothing."""
HEAD = 4

CODES = {
    "boolean": "?", "int8": "b", "uint8": "B", "char": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
    "uint64": "Q", "float": "f", "double": "d", "octet": "c",
}  # fmt: skip
"""Of values, in struct, array and NumPy."""

Reader = Callable[[bytes], Any]
_READERS: dict[type, Reader | None] = {}


def read_message(data: bytes, kind: Any) -> Any:
    """A message out of its bytes.

    Args:
        data: as they went over the wire.
        kind: class of the message.

    Raises:
        RuntimeError: the bytes are not those of such a message; see rclpy.
    """
    if kind not in _READERS:
        _READERS[kind] = _reader(kind)
    reader = _READERS[kind]
    if reader is not None and data[:2] == LITTLE_ENDIAN:
        try:
            return reader(data[HEAD:])
        except (ValueError, struct.error):
            pass  # the middleware says what is wrong with them, or makes something of them all the same
    return deserialize_message(data, kind)


class NotForUs(Exception):
    """A type that is left to the middleware."""


def _reader(kind: Any) -> Reader | None:
    if sys.byteorder != "little":
        return None
    try:
        return _Source().function_of(kind)
    except NotForUs:
        return None


class _Source:
    """Writes the function for a type. In it d is what is read, o the place in it.

    Numbers stand at multiples of their size: what is known of the place is that it is `_rest` more than a multiple of `_aligned`.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = "    "
        self._names: dict[str, Any] = {"array": array, "frombuffer": np.frombuffer, "new": object.__new__}
        self._numbers = count()
        self._format, self._targets = "", list[str]()
        self._aligned, self._rest = 8, 0

    def function_of(self, kind: Any) -> Reader:
        """Takes the bytes of a message without their head. Raises NotForUs; the function ValueError or struct.error."""
        self._message("m", kind)
        self._flush()
        self._say("if o > len(d): raise ValueError")
        self._say("return m")
        made: Reader = self._made("read", "def read(d):\n    o = 0")
        return made

    def _part_of(self, kind: Any) -> Any:
        """Takes bytes and a place of which nothing is known, and gives the message and the place behind it."""
        self._aligned, self._rest = 1, 0
        self._message("m", kind)
        self._flush()
        self._say("return m, o")
        return self._made("part", "def part(d, o):")

    def _made(self, name: str, head: str) -> Any:
        exec("\n".join((head, *self._lines)), self._names)
        return self._names[name]

    def _say(self, line: str) -> None:
        self._lines.append(self._indent + line)

    def _name(self, value: Any = None) -> str:
        name = f"v{next(self._numbers)}"
        if value is not None:
            self._names[name] = value
        return name

    def _flush(self) -> None:
        """Read the numbers that were put together."""
        if self._format:
            together = struct.Struct(f"<{self._format}")
            if self._targets:
                self._say(f"{', '.join(self._targets)}, = {self._name(together.unpack_from)}(d, o)")
            self._say(f"o += {together.size}")
        self._format, self._targets = "", []

    def _align(self, size: int) -> None:
        if size <= self._aligned:
            pad = -self._rest % size
            self._format += f"{pad}x" if pad else ""
            self._rest = (self._rest + pad) % self._aligned
        else:
            self._flush()
            self._say(f"o = o + {size - 1} & {-size}")
            self._aligned, self._rest = size, 0

    def _stands(self, aligned: int) -> None:
        """What is known of the place behind something of any length."""
        self._aligned, self._rest = aligned, 0

    def _message(self, target: str, kind: Any) -> None:
        fields = dict(zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True))
        if not fields:
            raise NotForUs  # there is a byte in its place
        self._say(f"{target} = new({self._name(kind)})")
        if "_check_fields" in kind.__slots__:
            self._say(f"{target}._check_fields = {kind()._check_fields}")
        for name, described in fields.items():
            self._value(f"{target}._{name}", described)

    def _value(self, target: str, described: Any) -> None:
        if isinstance(described, BasicType):
            self._number(target, described)
        elif isinstance(described, UnboundedString):
            self._texts(target, None)
        elif isinstance(described, NamespacedType):
            part = self._name()
            self._message(part, _class_of(described))
            self._say(f"{target} = {part}")
        elif isinstance(described, Array):
            self._array(target, described.value_type, described.size)
        elif isinstance(described, AbstractSequence):
            self._sequence(target, described)
        else:
            raise NotForUs

    def _number(self, target: str, described: BasicType) -> None:
        code = _code(described)
        size = struct.calcsize(f"<{code}")
        self._align(size)
        self._format += code
        self._targets.append(target)
        self._rest = (self._rest + size) % self._aligned

    def _array(self, target: str, described: Any, length: int) -> None:
        if isinstance(described, NamespacedType):
            self._flush()
            self._parts(target, described, str(length))
            return
        if not isinstance(described, BasicType) or _code(described) in "?c":
            raise NotForUs
        kind = np.dtype(_code(described))
        self._align(kind.itemsize)
        self._flush()
        # An array of its own, which can be written into.
        self._say(f"{target} = frombuffer(d, {self._name(kind)}, {length}, o).copy()")
        self._say(f"o += {length * kind.itemsize}")
        self._rest = (self._rest + length * kind.itemsize) % self._aligned

    def _sequence(self, target: str, described: AbstractSequence) -> None:
        value = described.value_type
        if isinstance(value, UnboundedString):
            self._texts(target, described)
            return
        self._align(4)
        self._flush()
        self._say(f"n, = {self._name(struct.Struct('<I').unpack_from)}(d, o)")
        self._say("o += 4")
        most = f"min({described.maximum_size}, len(d))" if isinstance(described, BoundedSequence) else "len(d)"
        self._say(f"if n > {most}: raise ValueError")
        if isinstance(value, NamespacedType):
            self._parts(target, value, "n")
        elif isinstance(value, BasicType):
            code = _code(value)
            size = struct.calcsize(f"<{code}")
            if size > 4:
                # Where there is none of them, there is no gap before them either.
                self._say(f"if n: o = o + {size - 1} & {-size}")
            self._say(f"e = o + {size} * n")
            made = {"?": "[b != 0 for b in d[o:e]]", "c": "[d[k : k + 1] for k in range(o, e)]"}.get(code, f"array('{code}', d[o:e])")
            self._say(f"{target} = {made}")
            self._say("o = e")
            self._stands(min(size, 4))
        else:
            raise NotForUs

    def _parts(self, target: str, described: NamespacedType, length: str) -> None:
        part = self._name(_Source()._part_of(_class_of(described)))
        self._say(f"{target} = []")
        self._say(f"for _ in range({length}):")
        self._say(f"    part, o = {part}(d, o)")
        self._say(f"    {target}.append(part)")
        self._stands(1)

    def _texts(self, target: str, sequence: AbstractSequence | None) -> None:
        """One text, or a row of them. Names are the same in message after message: what begins with the bytes of the last ones is them."""
        if isinstance(sequence, BoundedSequence):
            raise NotForUs
        self._align(4)
        self._flush()
        bytes_before, value_before = self._name([b"\0\0\0\0"] if sequence else [b"\1\0\0\0\0"]), self._name([[] if sequence else ""])
        self._say(f"if d.startswith({bytes_before}[0], o): o += len({bytes_before}[0])")
        self._say("else:")
        self._say("    b = o")
        self._say(f"    {value_before}[0], o = {self._name(_read_texts if sequence else _read_text)}(d, o)")
        self._say(f"    {bytes_before}[0] = d[b:o]")
        self._say(f"{target} = {value_before}[0]{'.copy()' if sequence else ''}")
        self._stands(1)


def _class_of(described: NamespacedType) -> Any:
    return getattr(import_module(".".join(described.namespaces)), described.name)


def _code(described: BasicType) -> str:
    if described.typename not in CODES:
        raise NotForUs
    return CODES[described.typename]


_LENGTH = struct.Struct("<I").unpack_from


def _read_text(data: bytes, place: int) -> tuple[str, int]:
    (length,) = _LENGTH(data, place)
    begin, end = place + 4, place + 4 + length
    if not 0 < length <= len(data) - begin or data.find(0, begin, end) != end - 1:
        raise ValueError  # no end, or another one in its middle
    return data[begin : end - 1].decode(errors="replace"), end


def _read_texts(data: bytes, place: int) -> tuple[list[str], int]:
    (length,) = _LENGTH(data, place)
    place += 4
    if length > len(data):
        raise ValueError
    texts = []
    for _ in range(length):
        text, place = _read_text(data, place + 3 & -4)
        texts.append(text)
    return texts, place

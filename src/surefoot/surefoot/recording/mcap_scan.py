# SPDX-License-Identifier: Apache-2.0
"""Reads an MCAP file from its beginning, as far as it is whole: the end of a file that was cut off is not needed."""

import struct
import zlib
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

import lz4.frame
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, AttachmentIndex, Channel, Chunk, ChunkIndex, MessageIndex, Metadata, MetadataIndex, Schema

from surefoot.recording.errors import BagError
from surefoot.recording.mcap_index import MAGIC, NO_TIME, FileIndex
from surefoot.recording.types import RawMessage

_HEAD = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<HIQQ")
_HEAD_AND_MESSAGE = struct.Struct("<BQHIQQ")
_IS_MESSAGE = int(Opcode.MESSAGE)
_UNREADABLE = (McapError, ValueError, struct.error, EOFError, RuntimeError, zstandard.ZstdError, MemoryError)


@dataclass
class Scan:
    """What was found on the way.

    Attributes:
        index: of everything that is whole.
        end: offset behind the last whole record of data, where an ending can be put.
        complete: the file has its ending.
        left_out: what cannot be read in the middle of the file, in words.
        broken_off: where it breaks off, in words; empty if it does not.
        attachments: by name.
        with_places: whether it is asked where each message stands.
        places: of the messages in the newest chunk, by channel: log time, ns, and offset.
    """

    index: FileIndex = field(default_factory=FileIndex)
    end: int = 0
    complete: bool = False
    left_out: list[str] = field(default_factory=list)
    broken_off: str = ""
    attachments: dict[str, bytes] = field(default_factory=dict)
    places: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    with_places: bool = True

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong with the file, in words."""
        return [*self.left_out, self.broken_off] if self.broken_off else self.left_out


def scan_messages(
    path: Path, scan: Scan, start: int = 0, stop: int = NO_TIME, topics: Collection[str] | None = None
) -> Iterator[RawMessage]:
    """The messages of a file in the order in which they stand there.

    Args:
        path: of the file.
        scan: is filled on the way, and is whole when the iterator is exhausted.
        start, stop: log times between which messages are wanted, ns, stop left out. What is outside of them is read and counted all the
            same: topics may be announced there.
        topics: that are wanted; None: all.

    Raises:
        BagError: the file is no MCAP file, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield from _messages(file, path, scan, _Wish(start, stop, topics))
    except OSError as error:
        raise BagError(f"{path} cannot be read: {error.strerror}") from error


class _Wish(NamedTuple):
    """Which messages are wanted."""

    start: int
    stop: int
    topics: Collection[str] | None

    def has(self, message: RawMessage) -> bool:
        return self.start <= message.log_time < self.stop and (self.topics is None or message.topic in self.topics)


def _messages(file: BinaryIO, path: Path, scan: Scan, wish: _Wish) -> Iterator[RawMessage]:
    _check_magic(file, path)
    size, index, indexes_wanted = path.stat().st_size, scan.index, False
    scan.end = len(MAGIC)
    while True:
        begin, head = file.tell(), file.read(_HEAD.size)
        if not head:
            scan.broken_off = f"{path.name} has no end: it was cut off after {begin} bytes, or is still being written"
            return
        if len(head) < _HEAD.size or begin + _HEAD.size + _HEAD.unpack(head)[1] > size:
            scan.broken_off = f"{path.name} breaks off in the middle of a record, {begin} bytes from its beginning"
            return
        opcode, length = _HEAD.unpack(head)
        if opcode in (Opcode.DATA_END, Opcode.FOOTER):
            scan.complete = _has_ending(file, size)
            if not scan.complete:
                scan.broken_off = f"{path.name} breaks off in its summary, {size} bytes from its beginning"
            return
        content = file.read(length)
        try:
            if opcode == Opcode.CHUNK:
                indexes_wanted = yield from _chunk(content, begin, scan, wish)
            elif opcode == Opcode.MESSAGE_INDEX and indexes_wanted:
                _message_index(content, begin, length, index)
            elif opcode == Opcode.MESSAGE:
                message = _message(content, 0, len(content), index)
                channel = _MESSAGE.unpack_from(content)[0]
                index.counts[channel] = index.counts.get(channel, 0) + 1
                index.start, index.end = min(index.start, message.log_time), max(index.end, message.log_time)
                if wish.has(message):
                    yield message
            else:
                _other(opcode, content, begin, scan)
        except _UNREADABLE as error:
            indexes_wanted = False
            scan.left_out.append(f"{path.name}: what begins {begin} bytes from the beginning cannot be read and is left out ({error})")
        scan.end = begin + _HEAD.size + length


def _check_magic(file: BinaryIO, path: Path) -> None:
    found = file.read(len(MAGIC))
    if found == MAGIC:
        return
    if not found:
        raise BagError(f"{path} is empty: nothing was recorded, or its disk was full from the beginning")
    raise BagError(f"{path} is no MCAP file: it begins with {found!r}, not with {MAGIC!r}")


def _has_ending(file: BinaryIO, size: int) -> bool:
    file.seek(max(0, size - len(MAGIC)))
    return file.read() == MAGIC


def _chunk(content: bytes, begin: int, scan: Scan, wish: _Wish) -> Generator[RawMessage, None, bool]:
    """The messages of a chunk; returns whether its indexes are to be noted."""
    chunk = Chunk.read(ReadDataStream(BytesIO(content)))
    entry = ChunkIndex(
        chunk_length=_HEAD.size + len(content),
        chunk_start_offset=begin,
        compression=chunk.compression,
        compressed_size=len(chunk.data),
        message_start_time=chunk.message_start_time,
        message_end_time=chunk.message_end_time,
        message_index_length=0,
        message_index_offsets={},
        uncompressed_size=chunk.uncompressed_size,
    )
    data, place = _uncompressed(chunk), 0
    counts: dict[int, int] = {}
    places: dict[int, list[tuple[int, int]]] = {}
    kinds: dict[int, tuple[str, str] | None] = {}
    found: list[RawMessage] = []
    wanted = chunk.message_end_time >= wish.start and chunk.message_start_time < wish.stop
    while place < len(data):
        if data[place] == _IS_MESSAGE:
            _, length, channel, sequence, log_time, publish_time = _HEAD_AND_MESSAGE.unpack_from(data, place)
            place += _HEAD.size
            counts[channel] = counts.get(channel, 0) + 1
            if scan.with_places:
                places.setdefault(channel, []).append((log_time, place - _HEAD.size))
            if wanted:
                if channel not in kinds:
                    kinds[channel] = _kind_if_wanted(channel, scan.index, wish)
                kind = kinds[channel]
                if kind is not None and wish.start <= log_time < wish.stop:
                    content = data[place + _MESSAGE.size : place + length]
                    found.append(RawMessage(*kind, content, log_time, publish_time or log_time, sequence))
        else:
            opcode, length = _HEAD.unpack_from(data, place)
            place += _HEAD.size
            _other(opcode, data[place : place + length], begin, scan)
            kinds.clear()
        place += length
    scan.index.add_chunk(entry, counts)
    scan.places = places
    yield from found
    return scan.with_places


def _kind_if_wanted(channel: int, index: FileIndex, wish: _Wish) -> tuple[str, str] | None:
    """Topic and type of a channel, None where nobody wants it. Raises ValueError for one that was never announced."""
    kind = _kind(channel, index)
    return kind if wish.topics is None or kind[0] in wish.topics else None


def _kind(channel: int, index: FileIndex) -> tuple[str, str]:
    if channel not in index.channels:
        raise ValueError(f"a message of channel {channel}, which was never announced")
    known = index.channels[channel]
    schema = index.schemas.get(known.schema_id)
    return known.topic, "" if schema is None else schema.name


def _uncompressed(chunk: Chunk) -> bytes:
    data: bytes
    if chunk.compression == "zstd":
        data = zstandard.decompress(chunk.data, chunk.uncompressed_size)
    elif chunk.compression == "lz4":
        data = lz4.frame.decompress(chunk.data)
    elif chunk.compression == "":
        data = chunk.data
    else:
        raise ValueError(f"its compression '{chunk.compression}' is not known here")
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise ValueError("its checksum is wrong")
    return data


def _message(data: bytes, place: int, length: int, index: FileIndex) -> RawMessage:
    channel, sequence, log_time, publish_time = _MESSAGE.unpack_from(data, place)
    content = data[place + _MESSAGE.size : place + length]
    return RawMessage(*_kind(channel, index), content, log_time, publish_time or log_time, sequence)


def _message_index(content: bytes, begin: int, length: int, index: FileIndex) -> None:
    entry = index.chunks[-1]
    entry.message_index_offsets[MessageIndex.read(ReadDataStream(BytesIO(content))).channel_id] = begin
    entry.message_index_length += _HEAD.size + length


def _other(opcode: int, content: bytes, begin: int, scan: Scan) -> None:
    stream, length = ReadDataStream(BytesIO(content)), _HEAD.size + len(content)
    if opcode == Opcode.SCHEMA:
        schema = Schema.read(stream)
        scan.index.schemas[schema.id] = schema
    elif opcode == Opcode.CHANNEL:
        channel = Channel.read(stream)
        scan.index.channels[channel.id] = channel
    elif opcode == Opcode.ATTACHMENT:
        attachment = Attachment.read(stream)
        scan.attachments[attachment.name] = attachment.data
        scan.index.attachments.append(
            AttachmentIndex(
                offset=begin,
                length=length,
                create_time=attachment.create_time,
                log_time=attachment.log_time,
                data_size=len(attachment.data),
                name=attachment.name,
                media_type=attachment.media_type,
            )
        )
    elif opcode == Opcode.METADATA:
        scan.index.metadata.append(MetadataIndex(offset=begin, length=length, name=Metadata.read(stream).name))

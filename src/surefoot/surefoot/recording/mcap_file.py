# SPDX-License-Identifier: Apache-2.0
"""One MCAP file that is written piece by piece, each piece whole or not at all.

The writer of the mcap package gives its chunks away when they are full, whatever their age, and leaves half a chunk behind when the disk is
full. This one is told when to give a chunk away, and takes back what did not fit.
"""

import contextlib
import os
import struct
import zlib
from collections import defaultdict
from pathlib import Path

import zstandard
from mcap.opcode import Opcode
from mcap.records import Attachment, AttachmentIndex, Channel, Chunk, ChunkIndex, Header, Schema

from surefoot.recording.errors import RecordingStopped
from surefoot.recording.mcap_index import MAGIC, FileIndex, encoded, message_indexes
from surefoot.recording.syncing import Syncing, sync_data
from surefoot.recording.types import Topic

BEGINNING = MAGIC + encoded(Header(profile="ros2", library="surefoot"))
COMPRESSION = "zstd"
LEVEL = 1
_MESSAGE = struct.Struct("<BQHIQQ")
_MESSAGE_HEAD = 22  # bytes of a message record before its data


class McapFile:
    """A new file. Nothing of it waits in this process but the chunk in hand.

    Args:
        path: of the file; it must not exist.

    Raises:
        RecordingStopped: from every method that writes, when the disk takes no more.
        OSError: the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.index = path, FileIndex()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self._whole, self._synced = 0, 0
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        self._schemas: dict[str, int] = {}
        self._chunk = bytearray()
        self._places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        try:
            self._append(BEGINNING)
        except RecordingStopped:
            # A file without a beginning is none.
            self.abandon()
            path.unlink(missing_ok=True)
            raise

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self._whole

    @property
    def waiting(self) -> int:
        """Bytes in the chunk in hand, not compressed."""
        return len(self._chunk)

    def add_topic(self, topic: Topic, quality: str) -> int:
        """A number for a topic, to write its messages by.

        Args:
            topic: the topic.
            quality: its offered qualities as the text that rosbag2 keeps beside a channel.
        """
        if topic.type not in self._schemas:
            number = len(self._schemas) + 1
            encoding = "ros2msg" if topic.definition else ""
            schema = Schema(id=number, data=topic.definition.encode(), encoding=encoding, name=topic.type)
            self._schemas[topic.type] = number
            self.index.schemas[number] = schema
            self._chunk += encoded(schema)
        number = len(self.index.channels) + 1
        metadata = {"offered_qos_profiles": quality, "topic_type_hash": topic.hash}
        schema_number = self._schemas[topic.type]
        channel = Channel(id=number, topic=topic.name, message_encoding="cdr", metadata=metadata, schema_id=schema_number)
        self.index.channels[number] = channel
        self._chunk += encoded(channel)
        return number

    def add_message(self, channel: int, data: bytes, log_time: int, publish_time: int, sequence: int) -> int:
        """Take one message into the chunk in hand, and give the size of that, bytes; times in ns."""
        chunk = self._chunk
        self._places[channel].append((log_time, len(chunk)))
        chunk += _MESSAGE.pack(Opcode.MESSAGE, _MESSAGE_HEAD + len(data), channel, sequence & 0xFFFFFFFF, log_time, publish_time)
        chunk += data
        return len(chunk)

    def flush(self) -> None:
        """Give the chunk in hand to the operating system, from where the death of this process cannot take it back."""
        if not self._chunk:
            return
        data = self._compressor.compress(bytes(self._chunk))
        start = min((min(places)[0] for places in self._places.values()), default=0)
        end = max((max(places)[0] for places in self._places.values()), default=0)
        chunk = encoded(
            Chunk(
                compression=COMPRESSION,
                data=data,
                message_start_time=start,
                message_end_time=end,
                uncompressed_crc=zlib.crc32(self._chunk),
                uncompressed_size=len(self._chunk),
            )
        )
        begin = self._whole
        indexes, offsets = message_indexes(self._places, begin + len(chunk))
        self._append(chunk + indexes)
        entry = ChunkIndex(
            chunk_length=len(chunk),
            chunk_start_offset=begin,
            compression=COMPRESSION,
            compressed_size=len(data),
            message_start_time=start,
            message_end_time=end,
            message_index_length=len(indexes),
            message_index_offsets=offsets,
            uncompressed_size=len(self._chunk),
        )
        self.index.add_chunk(entry, {channel: len(places) for channel, places in self._places.items()})
        self._new_chunk()

    def attach(self, name: str, media_type: str, data: bytes, time: int) -> None:
        """Put a whole file into this one; time in ns."""
        record = encoded(Attachment(create_time=time, log_time=time, name=name, media_type=media_type, data=data))
        begin = self._whole
        self._append(record)
        self.index.attachments.append(
            AttachmentIndex(
                offset=begin, length=len(record), create_time=time, log_time=time, data_size=len(data), name=name, media_type=media_type
            )
        )

    def sync(self, syncing: Syncing) -> None:
        """Have what was given away brought to the disk, from where a loss of power cannot take it back. Raises OSError."""
        if self._file >= 0 and self._synced != self._whole:
            syncing.ask(self._file)
            self._synced = self._whole

    def close(self, syncing: Syncing | None = None) -> None:
        """Write the end; again does nothing. On a full disk the file stays without, and stays readable. Raises OSError, too.

        Args:
            syncing: that waits for the disk; None: this does.
        """
        if self._file < 0:
            return
        try:
            self.flush()
            self._append(self.index.ending(self._whole))
            if syncing is None:
                sync_data(self._file)
            else:
                self.sync(syncing)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Leave the file as it is."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _new_chunk(self) -> None:
        self._chunk, self._places = bytearray(), defaultdict(list)

    def _append(self, data: bytes) -> None:
        """All of the data, or the file as it was."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._whole)
                os.lseek(self._file, self._whole, os.SEEK_SET)
            raise RecordingStopped(f"{self.path}: {error.strerror}; the recording stops here, what was written before stays") from error
        self._whole += len(data)

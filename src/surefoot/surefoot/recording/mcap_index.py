# SPDX-License-Identifier: Apache-2.0
"""What an MCAP file says of itself at its end, so that a reader finds everything without reading all of it.

[MCAP specification, version 0, section "Summary"]
"""

import struct
import zlib
from dataclasses import dataclass, field
from itertools import chain

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    AttachmentIndex,
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    McapRecord,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

MAGIC = b"\x89MCAP0\r\n"
NO_TIME = 1 << 63
"""Later than every time that there is."""


@dataclass
class FileIndex:
    """Everything that the end of a file lists. counts: messages by channel; times in ns."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    attachments: list[AttachmentIndex] = field(default_factory=list)
    metadata: list[MetadataIndex] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    start: int = NO_TIME
    end: int = 0

    @property
    def messages(self) -> int:
        """How many there are."""
        return sum(self.counts.values())

    def add_chunk(self, chunk: ChunkIndex, counts: dict[int, int]) -> None:
        """A chunk is in the file, with so many messages of each channel."""
        self.chunks.append(chunk)
        if counts:
            self.start, self.end = min(self.start, chunk.message_start_time), max(self.end, chunk.message_end_time)
        for channel, count in counts.items():
            self.counts[channel] = self.counts.get(channel, 0) + count

    def ending(self, offset: int) -> bytes:
        """The end of a file whose data end at an offset: end of data, summary, footer and magic."""
        data_end = encoded(DataEnd(0))
        begin = offset + len(data_end)
        groups: list[tuple[Opcode, list[McapRecord]]] = [
            (Opcode.SCHEMA, list(self.schemas.values())),
            (Opcode.CHANNEL, list(self.channels.values())),
            (Opcode.STATISTICS, [self._statistics()]),
            (Opcode.CHUNK_INDEX, list(self.chunks)),
            (Opcode.ATTACHMENT_INDEX, list(self.attachments)),
            (Opcode.METADATA_INDEX, list(self.metadata)),
        ]
        summary, offsets = b"", b""
        for opcode, records in groups:
            if records:
                group = b"".join(map(encoded, records))
                offsets += encoded(SummaryOffset(group_opcode=opcode, group_start=begin + len(summary), group_length=len(group)))
                summary += group
        offsets_begin = begin + len(summary)
        summary += offsets
        head = struct.pack("<BQQQ", Opcode.FOOTER, 20, begin, offsets_begin)
        footer = Footer(summary_start=begin, summary_offset_start=offsets_begin, summary_crc=zlib.crc32(head, zlib.crc32(summary)))
        return data_end + summary + encoded(footer) + MAGIC

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=len(self.attachments),
            channel_count=len(self.channels),
            channel_message_counts=dict(self.counts),
            chunk_count=len(self.chunks),
            message_count=self.messages,
            message_start_time=self.start if self.messages else 0,
            message_end_time=self.end,
            metadata_count=len(self.metadata),
            schema_count=len(self.schemas),
        )


def message_indexes(places: dict[int, list[tuple[int, int]]], offset: int) -> tuple[bytes, dict[int, int]]:
    """The records that follow a chunk, and where each will stand.

    Args:
        places: of the messages in the chunk, by channel: log time, ns, and offset.
        offset: of the end of the chunk.
    """
    records, offsets = b"", {}
    for channel, entries in places.items():
        offsets[channel] = offset + len(records)
        # The library writes number by number, which costs more than all else that is done for a message.
        size = 16 * len(entries)
        records += struct.pack(f"<BQHI{2 * len(entries)}Q", Opcode.MESSAGE_INDEX, 6 + size, channel, size, *chain.from_iterable(entries))
    return records, offsets


def encoded(record: McapRecord) -> bytes:
    """The bytes of one record."""
    builder = RecordBuilder()
    record.write(builder)
    return bytes(builder.end())

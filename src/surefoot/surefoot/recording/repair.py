# SPDX-License-Identifier: Apache-2.0
"""Gives a bag whose recorder was killed the ending that it lacks."""

from dataclasses import dataclass
from pathlib import Path

from surefoot.recording.errors import BagError
from surefoot.recording.mcap_file import BEGINNING
from surefoot.recording.mcap_index import MAGIC, message_indexes
from surefoot.recording.mcap_scan import Scan, scan_messages
from surefoot.recording.metadata import FileEntry, metadata_text, write_metadata
from surefoot.recording.reader import Bag
from surefoot.recording.types import Topic


@dataclass(frozen=True)
class Repair:
    """What was done. mended: in words; empty where nothing was wrong. messages: that the bag has now."""

    mended: tuple[str, ...]
    messages: int


def repair(folder: Path) -> Repair:
    """Mend a bag in place: every MCAP file gets its ending, what breaks off in the middle is cut away, and metadata.yaml is written anew.

    Messages that can be read are never touched. Afterwards `ros2 bag` and every other reader opens it.

    Raises:
        BagError: nothing of it can be read, or it cannot be written.
    """
    if not folder.is_dir():
        raise BagError(f"only whole bags are mended, and {folder} is no folder")
    before = Bag(folder)
    if not before.problems:
        return Repair((), sum(before.counts.values()))
    mended: list[str] = []
    for file in before.files:
        if file.suffix == ".mcap":
            mended += _mend_file(file)
    after = Bag(folder)
    entries = [FileEntry(source.path.name, sum(source.counts.values()), source.start, source.end) for source in after.sources]
    topics: list[tuple[Topic, int]] = [(topic, after.counts.get(name, 0)) for name, topic in after.topics.items()]
    try:
        write_metadata(folder, metadata_text(entries, topics, complete=True, storage=after.storage))
    except OSError as error:
        raise BagError(f"{folder} cannot be mended: {error.strerror}") from error
    mended.append("metadata.yaml is written anew")
    return Repair(tuple(mended), sum(after.counts.values()))


def _mend_file(path: Path) -> list[str]:
    scan = Scan()
    for _ in scan_messages(path, scan):
        pass
    if scan.complete:
        return []
    cut, end, missing = path.stat().st_size - scan.end, *_missing(scan)
    try:
        with path.open("r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.write(missing + scan.index.ending(end + len(missing)))
    except OSError as error:
        raise BagError(f"{path} cannot be mended: {error.strerror}") from error
    return [f"{path.name}: {scan.index.messages} messages kept, {cut} bytes that broke off cut away, its summary written"]


def _missing(scan: Scan) -> tuple[int, bytes]:
    """Where what is whole ends, and what has to follow before the summary."""
    if scan.end == len(MAGIC):
        # It broke off before its first record.
        return 0, BEGINNING
    last = scan.index.chunks[-1] if scan.index.chunks else None
    if last is None or len(last.message_index_offsets) == len(scan.places):
        return scan.end, b""
    # It broke off among the indexes of its last chunk, and without them most readers pass over the messages.
    end = last.chunk_start_offset + last.chunk_length
    indexes, last.message_index_offsets = message_indexes(scan.places, end)
    last.message_index_length = len(indexes)
    return end, indexes

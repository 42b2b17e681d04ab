# SPDX-License-Identifier: Apache-2.0
"""Gives a bag whose recorder was killed the ending that it lacks."""

import os
from dataclasses import dataclass
from pathlib import Path

from surefoot.recording.errors import BagError
from surefoot.recording.hold import FolderLock, refuse_while_written
from surefoot.recording.mcap_file import BEGINNING
from surefoot.recording.mcap_index import MAGIC, message_indexes
from surefoot.recording.mcap_scan import Scan, scan_messages
from surefoot.recording.mcap_source import McapSource, topic_counts
from surefoot.recording.metadata import FileEntry, metadata_text, write_metadata
from surefoot.recording.reader import Bag
from surefoot.recording.types import Topic


@dataclass(frozen=True)
class Repair:
    """What was done.

    Attributes:
        mended: in words; empty where nothing could be or had to be.
        messages: that the bag has now.
        left: what stays as it is, in words: it cannot be read, by nobody.
    """

    mended: tuple[str, ...]
    messages: int
    left: tuple[str, ...] = ()


def repair(folder: Path) -> Repair:
    """Mend a bag in place: every MCAP file gets its ending, what breaks off in the middle is cut away, and metadata.yaml is written anew.

    All of it is read for that. Messages that can be read are never touched. Afterwards `ros2 bag` and every other reader opens it.

    Raises:
        BagError: nothing of it can be read, it cannot be written, or it is still being written by somebody.
    """
    if not folder.is_dir():
        raise BagError(f"only whole bags are mended, and {folder} is no folder")
    try:
        hold = FolderLock(folder)
    except OSError as error:
        raise BagError(f"{folder} cannot be mended: {error.strerror}") from error
    try:
        refuse_while_written(folder)
        return _mend(folder)
    finally:
        hold.release()


def _mend(folder: Path) -> Repair:
    before = Bag(folder)
    mended: list[str] = []
    left: list[str] = []
    for source in before.sources:
        if isinstance(source, McapSource):
            done, stays = _mend_file(source)
            mended, left = mended + done, left + stays
    if not mended and all(problem in left for problem in before.problems):
        return Repair((), sum(before.counts.values()), tuple(left))
    after = Bag(folder)
    entries = [FileEntry(source.path.name, sum(source.counts.values()), source.start, source.end) for source in after.sources]
    topics: list[tuple[Topic, int]] = [(topic, after.counts.get(name, 0)) for name, topic in after.topics.items()]
    try:
        write_metadata(folder, metadata_text(entries, topics, complete=True, storage=after.storage))
    except OSError as error:
        raise BagError(f"{folder} cannot be mended: {error.strerror}") from error
    mended.append("metadata.yaml is written anew")
    return Repair(tuple(mended), sum(after.counts.values()), tuple(left))


def _mend_file(source: McapSource) -> tuple[list[str], list[str]]:
    """What was done, and what stays."""
    path, scan = source.path, Scan()
    for _ in scan_messages(path, scan):
        pass
    if scan.broken_off and _is_ended(path):
        # The length of a record is damaged: what follows may be whole, and is not cut away.
        return [], scan.problems
    counts = topic_counts(scan.index.channels, scan.index.counts)
    if scan.complete and counts == source.counts:
        return [], scan.left_out
    cut, end, missing = path.stat().st_size - scan.end, *_missing(scan)
    try:
        with path.open("r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.write(missing + scan.index.ending(end + len(missing)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BagError(f"{path} cannot be mended: {error.strerror}") from error
    kept = f"{path.name}: {scan.index.messages} messages kept"
    if scan.complete:
        return [f"{kept}, its summary, which spoke of {sum(source.counts.values())}, written anew"], scan.left_out
    return [f"{kept}, {cut} bytes that broke off cut away, its summary written"], scan.left_out


def _is_ended(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(max(len(MAGIC), path.stat().st_size - len(MAGIC)))
        return file.read() == MAGIC


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

# SPDX-License-Identifier: Apache-2.0
"""A rosbag2 folder that is written so that little can be lost."""

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from pydantic import Field

from surefoot.recording.errors import BagError, RecordingStopped
from surefoot.recording.hold import FolderLock
from surefoot.recording.mcap_file import McapFile
from surefoot.recording.metadata import FileEntry, metadata_text, sync_folder, write_metadata
from surefoot.recording.syncing import Syncing
from surefoot.recording.types import RawMessage, Topic
from surefoot.settings import Settings

CLOSED = "closed"
"""Why a bag that came to its end as it should takes no more."""


class WriterSettings(Settings):
    """How a bag is written."""

    flush_seconds: float = Field(default=0.2, gt=0.0)
    """Longest time that a message waits in the process, s: what `kill -9` can take."""
    sync_seconds: float = Field(default=1.0, gt=0.0)
    """Longest time that it waits in the operating system after that, s: what a loss of power can take, with what the disk keeps back."""
    chunk_bytes: int = Field(default=1 << 20, gt=0)
    """Size at which a chunk is given away earlier than that, bytes."""
    split_bytes: int = Field(default=1 << 30, gt=0)
    """Size at which the next file of the bag begins, bytes."""
    keep_free: int = Field(default=256 << 20, ge=0)
    """Free space of the disk at which the recording stops, bytes: a robot needs some to go on."""


class BagWriter:
    """Writes messages, as they went over the wire, into a new bag. Not for several threads; see BackgroundWriter.

    Args:
        folder: of the bag; it must not exist.
        settings: see there.
        free_bytes: how much space a folder's disk has left.

    Attributes:
        stopped: why it takes no more; empty while it does, CLOSED where all of it came to the disk as far as that says.

    Raises:
        BagError: the folder exists already, or cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        settings: WriterSettings | None = None,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.folder = folder
        self.stopped = ""
        self._settings = settings or WriterSettings()
        self._free_bytes = free_bytes
        self._topics: dict[str, Topic] = {}
        self._channels: dict[str, int] = {}
        self._done: list[tuple[FileEntry, dict[str, int]]] = []
        self._syncing, self._synced = Syncing(), time.monotonic()
        try:
            folder.mkdir(parents=True)
            self._hold = FolderLock(folder)
            self._file = self._new_file(0)
            write_metadata(folder, self._metadata(complete=False))
            sync_folder(folder.parent)
        except FileExistsError as error:
            raise BagError(f"{folder} exists already; a bag is never written over: name another folder, or remove it") from error
        except OSError as error:
            raise BagError(f"the bag {folder} cannot be made: {error.strerror}") from error

    @property
    def written(self) -> int:
        """Messages that are in the bag, those of the chunk in hand not counted."""
        return sum(self.counts.values())

    @property
    def counts(self) -> Counter[str]:
        """The same by topic."""
        return sum((Counter(counts) for _, counts in (*self._done, _entry(self._file))), Counter())

    def add_topic(self, topic: Topic) -> None:
        """Make a topic known; again for the same name changes nothing."""
        if topic.name not in self._topics:
            self._topics[topic.name] = topic
            self._channels[topic.name] = self._file.add_topic(topic, _quality_text(topic))

    def write(self, message: RawMessage) -> None:
        """Take one message; see `write_all`."""
        self.write_all((message,))

    def write_all(self, messages: Iterable[RawMessage]) -> None:
        """Take messages; their topics were made known.

        Raises:
            RecordingStopped: now, or because it did before; the bag is closed then.
        """
        if self.stopped:
            raise RecordingStopped(self.stopped)
        # Some thousand messages come in a second: the file and its channels change only where one is full.
        file, channels, full = self._file, self._channels, self._settings.chunk_bytes
        fresh = not file.waiting
        for topic, _, data, log_time, publish_time, sequence in messages:
            if fresh:
                self._oldest, fresh = time.monotonic(), False
            if file.add_message(channels[topic], data, log_time, publish_time, sequence) >= full:
                self._flush()
                file, channels, fresh = self._file, self._channels, True

    def attach(self, name: str, media_type: str, data: bytes, log_time: int) -> None:
        """Put a whole file into the bag: parameters, the URDF, a decision record. Raises RecordingStopped."""
        self._guarded(lambda: self._file.attach(name, media_type, data, log_time))

    def tend(self) -> None:
        """Give away what has waited for long. To be called some ten times a second. Raises RecordingStopped."""
        if self.stopped:
            return
        if self._file.waiting and time.monotonic() - self._oldest >= self._settings.flush_seconds:
            self._flush()
        if time.monotonic() - self._synced >= self._settings.sync_seconds and not self._syncing.busy:
            self._guarded(self._sync)
            self._synced = time.monotonic()

    def stop(self, reason: str) -> None:
        """Bring the bag to its end because of something that went wrong outside of it; again does nothing."""
        self._end(reason)

    def close(self) -> None:
        """Bring the bag to its end; again, or after it stopped, does nothing.

        Raises:
            RecordingStopped: some of it does not fit, or the disk says that it was not kept.
        """
        if self.stopped:
            return
        self._guarded(self._file.flush)
        self._end(CLOSED)
        if self.stopped != CLOSED:
            raise RecordingStopped(self.stopped)

    def _flush(self) -> None:
        self._guarded(self._check_room)
        self._guarded(self._file.flush)
        if self._file.size >= self._settings.split_bytes:
            self._guarded(self._split)

    def _sync(self) -> None:
        self._syncing.check()
        self._file.sync(self._syncing)

    def _check_room(self) -> None:
        free, kept = self._free_bytes(self.folder), self._settings.keep_free
        if free < kept:
            reason = f"{self.folder}: {free >> 20} MB are free on this disk, and {kept >> 20} MB are to be kept"
            raise RecordingStopped(f"{reason}; the recording stops here, what was written before stays")

    def _guarded(self, work: Callable[[], None]) -> None:
        if self.stopped:
            raise RecordingStopped(self.stopped)
        try:
            work()
        except OSError as error:
            self._end(self._words(error))
            raise RecordingStopped(self.stopped) from error
        except RecordingStopped as stop:
            self._end(str(stop))
            raise

    def _new_file(self, number: int) -> McapFile:
        file = McapFile(self.folder / f"{self.folder.name}_{number}.mcap")
        self._channels = {topic.name: file.add_topic(topic, _quality_text(topic)) for topic in self._topics.values()}
        self._oldest = time.monotonic()
        return file

    def _split(self) -> None:
        self._file.close(self._syncing)
        # Where the next one cannot be made, this one stays the last, and is listed once.
        new = self._new_file(len(self._done) + 1)
        self._done.append(_entry(self._file))
        self._file = new
        # Where a kill comes before the disk is ready, the files of the folder are found without it.
        self._syncing.do(partial(write_metadata, self.folder, self._metadata(complete=False)))

    def _end(self, reason: str) -> None:
        """Nothing is taken any more; as much of an ending as the disk still takes is written.

        Complete is called only what the disk took without a word, and what it said is the reason where there was no other.
        """
        if self.stopped:
            return
        self.stopped = reason
        errors = [self._failure(self._file.close)]
        self._syncing.close()
        errors.append(self._failure(self._syncing.check))
        errors.append(self._failure(lambda: write_metadata(self.folder, self._metadata(complete=not any(errors)))))
        self._hold.release()
        if reason == CLOSED:
            self.stopped = next(filter(None, errors), CLOSED)

    def _failure(self, work: Callable[[], None]) -> str:
        """What the disk has against it, in words; empty where it was done."""
        try:
            work()
        except RecordingStopped as stop:
            return str(stop)
        except OSError as error:
            return self._words(error)
        return ""

    def _words(self, error: OSError) -> str:
        return f"{self.folder}: {error.strerror}; the recording stops here, what was written before stays"

    def _metadata(self, complete: bool) -> str:
        done = [*self._done, _entry(self._file)]
        topics = [(topic, sum(counts.get(topic.name, 0) for _, counts in done)) for topic in self._topics.values()]
        return metadata_text([entry for entry, _ in done], topics, complete)


def free_folder(folder: Path) -> Path:
    """The folder, or the first of folder_1, folder_2, … that does not exist yet."""
    return next(
        candidate for candidate in (folder, *(folder.with_name(f"{folder.name}_{k}") for k in range(1, 10_000))) if not candidate.exists()
    )


def _entry(file: McapFile) -> tuple[FileEntry, dict[str, int]]:
    index = file.index
    start, end = (index.start, index.end) if index.messages else (0, 0)
    counts = {index.channels[channel].topic: count for channel, count in index.counts.items()}
    return FileEntry(file.path.name, index.messages, start, end), counts


def _quality_text(topic: Topic) -> str:
    # JSON is YAML too, and this is what a reader of either takes.
    return json.dumps(list(topic.quality))

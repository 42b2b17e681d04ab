# SPDX-License-Identifier: Apache-2.0
"""Bags as they are read: our own and those of `ros2 bag`, MCAP and sqlite3, whole or broken."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from surefoot.recording.errors import BagError
from surefoot.recording.mcap_index import NO_TIME
from surefoot.recording.mcap_source import McapSource
from surefoot.recording.metadata import COMPLETE, FILE_NAME, read_metadata
from surefoot.recording.order import by_publish_time
from surefoot.recording.sqlite_source import SqliteSource
from surefoot.recording.types import RawMessage, Topic

Source = McapSource | SqliteSource
SOURCES: dict[str, Callable[[Path], Source]] = {".mcap": McapSource, ".db3": SqliteSource}
SECOND = 1_000_000_000


class Bag:
    """A bag that is read.

    Args:
        path: a rosbag2 folder, or one file of it.

    Attributes:
        path: as it was given.
        topics: by name.
        counts: messages by topic.
        attachments: whole files that the recorder put in, by name.

    Raises:
        BagError: there is nothing that can be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._problems: list[str] = []
        self._sources = [source for file in self._files() if (source := self._source(file)) is not None]
        if not self._sources:
            raise BagError(f"nothing in the bag {path} can be read: {'; '.join(self._problems)}")
        self.topics: dict[str, Topic] = {}
        self.counts: dict[str, int] = {}
        self.attachments: dict[str, bytes] = {}
        for source in self._sources:
            self.topics |= source.topics
            self.attachments |= source.attachments
            for name, count in source.counts.items():
                self.counts[name] = self.counts.get(name, 0) + count
        self._check_metadata()

    @property
    def problems(self) -> list[str]:
        """What is wrong with it and was read around, in words, as far as it was found: all of it once all messages were read."""
        return [*self._problems, *(problem for source in self._sources for problem in source.problems)]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files that could be opened, as parts."""
        return tuple(self._sources)

    @property
    def storage(self) -> str:
        """mcap or sqlite3."""
        return self._sources[0].storage

    @property
    def start(self) -> int:
        """Log time of the first message, ns; 0 without messages."""
        return min((source.start for source in self._sources if source.end), default=0)

    @property
    def end(self) -> int:
        """Log time of the last message, ns."""
        return max(source.end for source in self._sources)

    @property
    def seconds(self) -> float:
        """From the first message to the last, s."""
        return (self.end - self.start) / SECOND

    @property
    def files(self) -> tuple[Path, ...]:
        """Those that could be opened."""
        return tuple(source.path for source in self._sources)

    def messages(self, topics: Collection[str] | None = None, start: float = 0.0, stop: float | None = None) -> Iterator[RawMessage]:
        """Messages in the order in which they were sent: what was sent later cannot have caused what was sent before.

        Args:
            topics: that are wanted; None: all.
            start, stop: s from the beginning of the bag, stop left out; None: to its end.
        """
        begin = self.start + round(start * SECOND)
        end = NO_TIME if stop is None else self.start + round(stop * SECOND)
        return by_publish_time(message for source in self._sources for message in source.messages(begin, end, topics))

    def _files(self) -> list[Path]:
        if self.path.is_file():
            if self.path.suffix not in SOURCES:
                raise BagError(f"{self.path} is no bag: a bag is a folder, or a file that ends in {' or '.join(SOURCES)}")
            return [self.path]
        if not self.path.is_dir():
            raise BagError(f"no such bag: {self.path}")
        found = sorted((file for file in self.path.iterdir() if file.suffix in SOURCES), key=lambda file: (len(file.name), file.name))
        information = read_metadata(self.path)
        named = [] if information is None else [self.path / str(name) for name in information.get("relative_file_paths") or ()]
        if not found:
            compressed = [file.name for file in self.path.iterdir() if file.suffix == ".zstd"]
            if compressed:
                raise BagError(f"{self.path} is compressed as whole files; unpack them first: zstd -d --rm {' '.join(compressed)}")
            raise BagError(f"{self.path} is no bag: there is no file in it that ends in {' or '.join(SOURCES)}")
        self._problems += [f"{file.name}, which {FILE_NAME} names, is missing" for file in named if file not in found]
        self._problems += [f"{FILE_NAME} names {file.name} {count} times" for file, count in Counter(named).items() if count > 1]
        # Files that a recorder began after it wrote metadata.yaml belong to the bag as well.
        return list(dict.fromkeys([file for file in named if file in found] + found))

    def _source(self, file: Path) -> Source | None:
        try:
            return SOURCES[file.suffix](file)
        except BagError as error:
            self._problems.append(str(error))
            return None

    def _check_metadata(self) -> None:
        if not self.path.is_dir():
            return
        information = read_metadata(self.path)
        if information is None:
            self._problems.append(f"{FILE_NAME} is missing or cannot be read")
            return
        counted, found = information.get("message_count"), sum(self.counts.values())
        if (information.get("custom_data") or {}).get(COMPLETE) == "false":
            self._problems.append("the recorder did not come to its end")
        elif counted != found:
            self._problems.append(f"{FILE_NAME} speaks of {counted} messages; there are {found}")

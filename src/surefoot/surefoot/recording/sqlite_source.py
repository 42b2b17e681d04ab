# SPDX-License-Identifier: Apache-2.0
"""One sqlite3 file of `ros2 bag` as a part of a bag, read as far as it is whole."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from surefoot.recording.errors import BagError
from surefoot.recording.mcap_index import NO_TIME
from surefoot.recording.types import RawMessage, Topic


class SqliteSource:
    """A .db3 file. Attributes as in McapSource; it has no attachments.

    Raises:
        BagError: the file is no bag, or cannot be read.
    """

    storage = "sqlite3"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.attachments: dict[str, bytes] = {}
        self.problems: tuple[str, ...] = ()
        self.topics: dict[str, Topic] = {}
        self.counts: dict[str, int] = {}
        self.start, self.end = 0, 0
        if path.stat().st_size == 0:
            raise BagError(f"{path} is empty: nothing was recorded, or its disk was full from the beginning")
        try:
            with closing(self._open()) as database:
                definitions = self._definitions(database)
                for name, kind in database.execute("SELECT name, type FROM topics"):
                    self.topics[name] = Topic(name, kind, definitions.get(kind, ""))
        except sqlite3.Error as error:
            raise BagError(f"{path} is no bag of `ros2 bag`: {error}") from error
        self.counts = dict.fromkeys(self.topics, 0)
        for message in self.messages():
            self.counts[message.topic] += 1
            self.start = message.log_time if not self.start else min(self.start, message.log_time)
            self.end = max(self.end, message.log_time)

    def messages(self, start: int = 0, stop: int = NO_TIME, topics: Collection[str] | None = None) -> Iterator[RawMessage]:
        """The messages of some topics with log times from start on and before stop, ns, in the order in which they were recorded."""
        query = (
            "SELECT topics.name, topics.type, messages.data, messages.timestamp FROM messages JOIN topics ON messages.topic_id = topics.id "
            "WHERE messages.timestamp >= ? AND messages.timestamp < ? ORDER BY messages.timestamp, messages.id"
        )
        try:
            with closing(self._open()) as database:
                for topic, kind, data, time in database.execute(query, (start, min(stop, NO_TIME - 1))):
                    if topics is None or topic in topics:
                        yield RawMessage(topic, kind, bytes(data), time, time)
        except sqlite3.Error as error:
            problem = f"{self.path.name} can be read in part only: {error}"
            if problem not in self.problems:
                self.problems += (problem,)

    def _open(self) -> sqlite3.Connection:
        # A recorder that was killed leaves a journal, and reading it needs to write: a folder that nobody may write to is taken as it is.
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)

    @staticmethod
    def _definitions(database: sqlite3.Connection) -> dict[str, str]:
        try:
            rows = database.execute("SELECT topic_type, encoding, encoded_message_definition FROM message_definitions")
            return {kind: text for kind, encoding, text in rows if encoding == "ros2msg"}
        except sqlite3.Error:
            return {}  # formats before 4 have none

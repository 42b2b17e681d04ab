# SPDX-License-Identifier: Apache-2.0
"""One MCAP file as a part of a bag."""

from collections.abc import Collection, Iterator
from pathlib import Path

import yaml
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap.records import Channel, Schema

from surefoot.recording.mcap_index import NO_TIME
from surefoot.recording.mcap_scan import Scan, scan_messages
from surefoot.recording.types import RawMessage, Topic


class McapSource:
    """An MCAP file, whole or not. What its summary says is believed if there is one; else all of it is read once.

    Attributes:
        topics: by name.
        counts: messages by topic.
        start, end: log times, ns; 0 without messages.
        attachments: by name.
        problems: in words.

    Raises:
        BagError: the file is no MCAP file, or cannot be read.
    """

    storage = "mcap"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.attachments: dict[str, bytes] = {}
        self.problems: tuple[str, ...] = ()
        if not self._read_summary():
            self._read_all()

    def messages(self, start: int = 0, stop: int = NO_TIME, topics: Collection[str] | None = None) -> Iterator[RawMessage]:
        """The messages of some topics with log times from start on and before stop, ns, in the order of the file.

        What cannot be read is among the problems afterwards: a summary knows nothing of it.
        """
        scan = Scan(with_places=False)
        try:
            yield from scan_messages(self.path, scan, start, stop, topics)
        finally:
            self._add_problems(scan)

    def _add_problems(self, scan: Scan) -> None:
        self.problems += tuple(problem for problem in scan.problems if problem not in self.problems)

    def _read_summary(self) -> bool:
        try:
            with self.path.open("rb") as file:
                reader = make_reader(file)
                summary = reader.get_summary()
                if summary is None or summary.statistics is None:
                    return False
                self.attachments = {attachment.name: attachment.data for attachment in reader.iter_attachments()}
        except (McapError, OSError, ValueError, EOFError, AssertionError):
            return False
        except Exception as error:
            # Whatever a broken summary brings about in the library, the messages before it can be read without.
            self.problems = (f"{self.path.name}: its summary cannot be read ({type(error).__name__}: {error})",)
            return False
        counts = summary.statistics.channel_message_counts
        self._take(summary.channels, summary.schemas, counts)
        self.start, self.end = summary.statistics.message_start_time, summary.statistics.message_end_time
        return True

    def _read_all(self) -> None:
        scan = Scan()
        for _ in scan_messages(self.path, scan):
            pass
        index = scan.index
        self._take(index.channels, index.schemas, index.counts)
        self.start, self.end = (index.start, index.end) if index.messages else (0, 0)
        self.attachments = scan.attachments
        self._add_problems(scan)

    def _take(self, channels: dict[int, Channel], schemas: dict[int, Schema], counts: dict[int, int]) -> None:
        self.topics: dict[str, Topic] = {}
        self.counts = topic_counts(channels, counts)
        for channel in channels.values():
            schema = schemas.get(channel.schema_id)
            definition = schema.data.decode(errors="replace") if schema is not None and schema.encoding == "ros2msg" else ""
            name = "" if schema is None else schema.name
            quality = _quality_of(channel.metadata.get("offered_qos_profiles", ""))
            self.topics[channel.topic] = Topic(channel.topic, name, definition, channel.metadata.get("topic_type_hash", ""), quality)


def topic_counts(channels: dict[int, Channel], counts: dict[int, int]) -> dict[str, int]:
    """Messages by topic: a topic may have several channels.

    Args:
        channels: by number.
        counts: messages by number of the channel.
    """
    result = dict.fromkeys((channel.topic for channel in channels.values()), 0)
    for number, channel in channels.items():
        result[channel.topic] += counts.get(number, 0)
    return result


def _quality_of(text: str) -> tuple[dict[str, object], ...]:
    try:
        entries = yaml.safe_load(text) or []
    except yaml.YAMLError:
        return ()
    return tuple(entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()

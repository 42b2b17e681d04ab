# SPDX-License-Identifier: Apache-2.0
"""One MCAP file as a part of a bag."""

from collections.abc import Iterator
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

    def messages(self, start: int = 0, stop: int = NO_TIME) -> Iterator[RawMessage]:
        """The messages with log times from start on and before stop, ns, in the order of the file."""
        return scan_messages(self.path, Scan(), start, stop)

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
        self.problems += tuple(scan.problems)

    def _take(self, channels: dict[int, Channel], schemas: dict[int, Schema], counts: dict[int, int]) -> None:
        self.topics: dict[str, Topic] = {}
        self.counts: dict[str, int] = {}
        for number, channel in channels.items():
            schema = schemas.get(channel.schema_id)
            definition = schema.data.decode(errors="replace") if schema is not None and schema.encoding == "ros2msg" else ""
            name = "" if schema is None else schema.name
            quality = _quality_of(channel.metadata.get("offered_qos_profiles", ""))
            self.topics[channel.topic] = Topic(channel.topic, name, definition, channel.metadata.get("topic_type_hash", ""), quality)
            self.counts[channel.topic] = self.counts.get(channel.topic, 0) + counts.get(number, 0)


def _quality_of(text: str) -> tuple[dict[str, object], ...]:
    try:
        entries = yaml.safe_load(text) or []
    except yaml.YAMLError:
        return ()
    return tuple(entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()

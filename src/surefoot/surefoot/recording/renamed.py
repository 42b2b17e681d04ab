# SPDX-License-Identifier: Apache-2.0
"""A bag of another robot, read by our names of its topics."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from surefoot.recording.reader import Bag
from surefoot.recording.topic_map import TopicMap, read_topic_map
from surefoot.recording.types import RawMessage


class RenamedBag(Bag):
    """As a Bag. A topic of theirs that has a name which the map gives to another one is not in it.

    Args:
        path: a rosbag2 folder, or one file of it.
        topic_map: what another robot calls what we know by our names.

    Raises:
        BagError: there is nothing that can be read.
    """

    def __init__(self, path: Path, topic_map: TopicMap) -> None:
        super().__init__(path)
        self._map = topic_map
        missing = sorted(theirs for theirs in topic_map.topics.values() if theirs not in self.topics)
        if missing:
            have = ", ".join(sorted(self.topics)) or "nothing"
            self._problems.append(f"the topic map names {', '.join(missing)}, which the bag does not have; it has: {have}")
        hidden = topic_map.topics.keys() - set(topic_map.topics.values())
        self._theirs = {name: topic for name, topic in self.topics.items() if name not in hidden}
        self.counts = {self._ours(name): self.counts.get(name, 0) for name in self._theirs}
        self.topics = {self._ours(name): replace(topic, name=self._ours(name)) for name, topic in self._theirs.items()}

    def messages(self, topics: Collection[str] | None = None, start: float = 0.0, stop: float | None = None) -> Iterator[RawMessage]:
        """As of a Bag, topics by our names."""
        wanted = {name for name in self._theirs if topics is None or self._ours(name) in topics}
        return self._map.translate(super().messages(wanted, start, stop))

    def _ours(self, theirs: str) -> str:
        return next((ours for ours, name in self._map.topics.items() if name == theirs), theirs)


def open_bag(path: Path, topic_map: Path | None) -> Bag:
    """A bag under our names of its topics.

    Args:
        path: of the bag.
        topic_map: file with the names of another robot; None: they are ours already.

    Raises:
        BagError: there is nothing that can be read.
        ConfigurationError: the map cannot be read.
    """
    return Bag(path) if topic_map is None else RenamedBag(path, read_topic_map(topic_map))

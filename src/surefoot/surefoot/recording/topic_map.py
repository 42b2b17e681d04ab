# SPDX-License-Identifier: Apache-2.0
"""From the topics, joints and feet of another robot's bag to those of ours."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pydantic import Field

from surefoot.recording.types import RawMessage, Topic
from surefoot.settings import Settings, read_settings


class TopicMap(Settings):
    """What another robot calls what we know by our names. Types are not changed: a topic has to have ours already."""

    topics: dict[str, str] = Field(default_factory=dict)
    """Our topic by theirs, such as `/joint_states: /robot/joints` read from right to left: ours: theirs."""

    def translate(self, messages: Iterable[RawMessage]) -> Iterator[RawMessage]:
        """Messages with our names; what the map does not name keeps its own."""
        ours = {theirs: mine for mine, theirs in self.topics.items()}
        for message in messages:
            yield message._replace(topic=ours.get(message.topic, message.topic))

    def topics_of(self, known: dict[str, Topic]) -> dict[str, Topic]:
        """The topics of a bag by our names."""
        ours = {theirs: mine for mine, theirs in self.topics.items()}
        return {ours.get(name, name): topic for name, topic in known.items()}


def read_topic_map(path: Path) -> TopicMap:
    """Read a map. Raises ConfigurationError."""
    return read_settings(TopicMap, path)


Translate = Callable[[Iterable[RawMessage]], Iterable[RawMessage]]

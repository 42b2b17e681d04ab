# SPDX-License-Identifier: Apache-2.0
"""Outputs of a replay as a bag of their own."""

import shutil
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rclpy.serialization import serialize_message

from surefoot.nodes.bag_types import type_name
from surefoot.recording.decoder import Decoder
from surefoot.recording.definitions import definition_of
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter, WriterSettings


class KeptOutputs:
    """Writes what replayed nodes say, as a context. A replay that was refused before anybody said anything leaves no folder behind.

    Raises BagError where the folder exists already.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer = BagWriter(folder, WriterSettings(keep_free=0))
        self._topics: dict[str, Topic] = {}
        self._decoder = Decoder()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        """End the bag. Raises RecordingStopped: the disk did not keep all of it."""
        try:
            self._writer.close()
        finally:
            if kind is not None and not self._topics:
                shutil.rmtree(self._folder)

    def __call__(self, topic: str, time: int, message: Any) -> None:
        """Take one message, at a time of the bag, ns. Raises RecordingStopped."""
        if topic not in self._topics:
            name = type_name(type(message))
            self._topics[topic] = Topic(topic, name, *definition_of(name))
            self._writer.add_topic(self._topics[topic])
        known = self._topics[topic]
        self._writer.write(RawMessage(topic, known.type, self._decoder.trimmed(known, serialize_message(message)), time, time))

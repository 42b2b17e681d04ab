# SPDX-License-Identifier: Apache-2.0
"""From bytes to values, by the definitions that a bag carries with it."""

from typing import Any

from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from surefoot.recording.definitions import definition_of
from surefoot.recording.errors import BagError
from surefoot.recording.types import Topic

_FALLBACK = Stores.ROS2_KILTED
ENCAPSULATION = b"\x00\x01\x00\x00"
"""In front of every message: that its numbers begin with their lowest byte."""


class Decoder:
    """Decodes messages of a bag. A type that the bag does not describe is taken from what is installed, or from ROS itself."""

    def __init__(self) -> None:
        self._stores: dict[tuple[str, str], Typestore] = {}

    def decode(self, topic: Topic, data: bytes) -> Any:
        """A message as an object with its fields.

        Raises:
            BagError: its type is not known, or the bytes are not of that type.
        """
        store = self._store(topic)
        try:
            return store.deserialize_cdr(data, topic.type)
        except Exception as error:
            # The code that the library generates for a type raises what it comes upon.
            raise BagError(f"a message on {topic.name} is not the {topic.type} that it is said to be: {error}") from error

    def trimmed(self, topic: Topic, data: bytes) -> bytes:
        """A message without what stands behind it: where sequences are empty the middleware serializes into more bytes than it needs.

        Raises:
            BagError: its type is not known, or the bytes are not of that type.
        """
        store = self._store(topic)
        try:
            definition = store.get_msgdef(topic.type)
            read = definition.deserialize_cdr_le if data[1] else definition.deserialize_cdr_be
            return data[: len(ENCAPSULATION) + read(memoryview(data)[len(ENCAPSULATION) :], 0, definition.cls, store)[1]]
        except Exception as error:
            raise BagError(f"a message on {topic.name} is not the {topic.type} that it is said to be: {error}") from error

    def _store(self, topic: Topic) -> Typestore:
        key = (topic.type, topic.definition)
        if key not in self._stores:
            self._stores[key] = self._make(topic)
        return self._stores[key]

    @staticmethod
    def _make(topic: Topic) -> Typestore:
        definition = topic.definition
        if not definition:
            try:
                definition = definition_of(topic.type)[0]
            except BagError:
                store = get_typestore(_FALLBACK)
                if topic.type in store.types:
                    return store
                raise
        store = get_typestore(Stores.EMPTY)
        try:
            store.register(get_types_from_msg(definition, topic.type))
        except Exception as error:
            raise BagError(f"the definition of {topic.type} on {topic.name} cannot be read: {error}") from error
        return store

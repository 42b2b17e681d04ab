# SPDX-License-Identifier: Apache-2.0
"""Between those who hear messages and the disk: whoever hands over never waits for it."""

import contextlib
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence

from surefoot.recording.errors import RecordingStopped
from surefoot.recording.types import RawMessage, Topic
from surefoot.recording.writer import BagWriter

CAPACITY = 256 << 20
"""Bytes that wait for a slow disk before messages are lost: minutes of a whole stack."""
PERIOD = 0.05  # s


class BackgroundWriter:
    """Writes a bag in a thread of its own.

    Args:
        writer: the bag; nobody else may touch it until this is closed.
        on_stop: called once with the reason, from the thread, when the bag takes no more, or by `close` when only its end went wrong.
        capacity: bytes that may wait.
    """

    def __init__(self, writer: BagWriter, on_stop: Callable[[str], None], capacity: int = CAPACITY) -> None:
        self._writer, self._on_stop, self._capacity = writer, on_stop, capacity
        self._orders: deque[Sequence[RawMessage] | Callable[[], None]] = deque()
        self._taken, self._handled = 0, 0
        self.lost: Counter[str] = Counter()
        self.received: Counter[str] = Counter()
        self._handed: Counter[str] = Counter()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bag writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Bytes that wait for the disk."""
        return self._taken - self._handled

    @property
    def stopped(self) -> str:
        """Why the bag takes no more; empty while it does."""
        return self._writer.stopped

    def add_topic(self, topic: Topic) -> None:
        """See BagWriter; it comes before the messages that are put afterwards. Nothing happens once the bag takes no more."""
        self._order(lambda: self._writer.add_topic(topic))

    def attach(self, name: str, media_type: str, data: bytes, log_time: int) -> None:
        """See BagWriter. Nothing happens once the bag takes no more."""
        self._order(lambda: self._writer.attach(name, media_type, data, log_time))

    def put(self, message: RawMessage) -> None:
        """Hand over one message; see `put_all`."""
        self.put_all((message,))

    def put_all(self, messages: Sequence[RawMessage]) -> None:
        """Hand over messages, which nobody may change afterwards.

        Those that do not fit are counted as lost, by topic, and so are all that come after the bag stopped.
        """
        topics = [message.topic for message in messages]
        self.received.update(topics)
        if self._writer.stopped or self.waiting > self._capacity:
            self.lost.update(topics)
            return
        self._taken += _size(messages)
        self._orders.append(messages)

    def close(self) -> None:
        """Write what waits and end the bag."""
        self._over.set()
        self._thread.join()
        try:
            self._writer.close()
        except RecordingStopped as stop:
            self._on_stop(str(stop))
        # What was put while the thread was ending, and what did not fit at the very end.
        self._give_up()
        self._count_chunk()

    def _order(self, work: Callable[[], None]) -> None:
        if not self._writer.stopped:
            self._orders.append(work)

    def _run(self) -> None:
        try:
            while True:
                last = self._over.is_set()
                self._drain()
                self._writer.tend()
                if last:
                    return
                # Many at once cost less than each by itself.
                self._over.wait(PERIOD)
        except Exception as error:
            # Whatever it is: a thread that dies without a word is a recording that nobody misses until it is needed.
            if not isinstance(error, RecordingStopped):
                traceback.print_exc()
            with contextlib.suppress(Exception):
                self._writer.stop(f"{self._writer.folder}: {type(error).__name__}: {error}; the recording stops here")
            self._give_up()
            self._count_chunk()
            self._on_stop(self._writer.stopped)

    def _drain(self) -> None:
        while self._orders:
            order = self._orders.popleft()
            if callable(order):
                order()
                continue
            # Whatever of it does not come to be in the bag is found out by what is.
            self._handed.update([message.topic for message in order])
            try:
                self._writer.write_all(order)
            finally:
                self._handled += _size(order)

    def _give_up(self) -> None:
        while self._orders:
            order = self._orders.popleft()
            if not callable(order):
                self.lost.update([message.topic for message in order])
                self._handled += _size(order)

    def _count_chunk(self) -> None:
        """What was handed to the bag and is not in it was in the chunk that did not fit."""
        written = self._writer.counts
        for topic in self._handed | written:
            if difference := self._handed[topic] - written[topic]:
                self.lost[topic] += difference
            if not self.lost[topic]:
                del self.lost[topic]
        self._handed = written


def _size(messages: Sequence[RawMessage]) -> int:
    """Bytes."""
    return sum([len(message.data) for message in messages])

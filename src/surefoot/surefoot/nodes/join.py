# SPDX-License-Identifier: Apache-2.0
"""One tick out of several topics."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

Tick = dict[str, Any]


class TickJoin:
    """Hands over the messages of one tick together.

    In lockstep every sender gives exactly one message a tick and nothing is lost, so a tick is complete when each topic has one:
    the same messages meet whatever the load of the machine. Running free, a tick is whatever was heard last when the trigger comes.

    Args:
        topics: names of the inputs.
        trigger: the input that makes a tick when running free.
        lockstep: which of the two.
        on_tick: called with a message by topic; None for what was never heard.
    """

    def __init__(self, topics: Iterable[str], trigger: str, lockstep: bool, on_tick: Callable[[Tick], None]) -> None:
        self._queues: dict[str, deque[Any]] = {topic: deque() for topic in topics}
        self._latest: Tick = dict.fromkeys(self._queues)
        self._trigger, self._lockstep, self._on_tick = trigger, lockstep, on_tick

    def push(self, topic: str, message: Any) -> None:
        """Take one message in; may call `on_tick`."""
        if not self._lockstep:
            self._latest[topic] = message
            if topic == self._trigger:
                self._on_tick(dict(self._latest))
            return
        self._queues[topic].append(message)
        while all(self._queues.values()):
            self._on_tick({name: queue.popleft() for name, queue in self._queues.items()})

    def receiver(self, topic: str) -> Callable[[Any], None]:
        """A callback that pushes to one topic."""
        return lambda message: self.push(topic, message)

    def latest(self) -> Tick:
        """What was heard last on each topic, when running free."""
        return dict(self._latest)

    def missing(self) -> tuple[str, ...]:
        """Topics that the tick in hand still waits for; empty between ticks."""
        if not any(self._queues.values()):
            return ()
        return tuple(name for name, queue in self._queues.items() if not queue)

    def give_up(self) -> Tick | None:
        """Take what there is of the tick in hand, None for what is missing; None between ticks."""
        if not any(self._queues.values()):
            return None
        return {name: queue.popleft() if queue else None for name, queue in self._queues.items()}

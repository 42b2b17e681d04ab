# SPDX-License-Identifier: Apache-2.0
"""What a replay says beside what was recorded, sample by sample, while it goes on."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from surefoot.recording.fields import Value

END_WINDOW = 100_000_000
"""Before the last sample that was recorded, ns: of what happened then the recorder may have missed a part."""


class Part(NamedTuple):
    """A field that is not what it was."""

    path: str
    then: Value | None
    now: Value | None


@dataclass(frozen=True)
class TopicVerdict:
    """How one topic compares.

    Attributes:
        topic: its name.
        same: messages in which every value is equal to the last bit.
        different: messages of the same sample in which one is not.
        missing, added: messages of samples that only the recording, or only the replay, has, before the end of the recording.
        first: stamp of the first sample at which they part, ns (its number where the type has no stamp); None where they never do.
        parts: the fields that part there; none where a message is missing or added.
    """

    topic: str
    same: int
    different: int
    missing: int
    added: int
    first: int | None
    parts: tuple[Part, ...]

    @property
    def identical(self) -> bool:
        """Whether there is something to compare, and nothing parts."""
        return self.same > 0 and self.first is None


@dataclass
class OutputCheck:
    """Matches the messages of one topic by the stamps of their samples, those of one stamp by their order.

    Attributes:
        topic: its name.
        stamped: whether its messages have stamps; else they are numbered.
        differences: the parts of two messages that differ: of what was recorded, and of what is replayed.
    """

    topic: str
    stamped: bool
    differences: Callable[[Any, Any], Sequence[Part]]
    _recorded: dict[int, deque[Any]] = field(default_factory=lambda: defaultdict(deque))
    _replayed: dict[int, deque[Any]] = field(default_factory=lambda: defaultdict(deque))
    _end: int = 0
    _counts: list[int] = field(default_factory=lambda: [0, 0])
    _same: int = 0
    _different: int = 0
    _first: int | None = None
    _parts: tuple[Part, ...] = ()

    def recorded(self, stamp: int, message: Any) -> None:
        """The bag comes to a message."""
        key = self._key(0, stamp)
        self._end = max(self._end, key)
        self._meet(key, self._recorded, self._replayed, message, lambda other: self.differences(message, other))

    def replayed(self, stamp: int, message: Any) -> None:
        """A node says a message."""
        self._meet(self._key(1, stamp), self._replayed, self._recorded, message, lambda other: self.differences(other, message))

    def verdict(self) -> TopicVerdict:
        """After the last message."""
        certain = self._end - END_WINDOW if self.stamped else self._end
        missing = {stamp: len(left) for stamp, left in self._recorded.items() if left and stamp <= certain}
        added = {stamp: len(left) for stamp, left in self._replayed.items() if left and stamp <= certain}
        first, parts = self._first, self._parts
        alone = min((*missing, *added), default=None)
        if alone is not None and (first is None or alone < first):
            first, parts = alone, ()
        return TopicVerdict(self.topic, self._same, self._different, sum(missing.values()), sum(added.values()), first, parts)

    def _key(self, side: int, stamp: int) -> int:
        self._counts[side] += 1
        return stamp if self.stamped else self._counts[side] - 1

    def _meet(
        self,
        key: int,
        mine: dict[int, deque[Any]],
        others: dict[int, deque[Any]],
        message: Any,
        differences: Callable[[Any], Sequence[Part]],
    ) -> None:
        waiting = others.get(key)
        if not waiting:
            mine[key].append(message)
            return
        parts = differences(waiting.popleft())
        if not waiting:
            del others[key]
        if not parts:
            self._same += 1
            return
        self._different += 1
        if self._first is None or key < self._first:
            self._first, self._parts = key, tuple(parts)

# SPDX-License-Identifier: Apache-2.0
"""A recording as the page goes through it: its time line with marks, and what was said, so that any moment of it can be shown at once."""

import heapq
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

STEP = 0.02
"""s between two moments at least, as in the diagrams."""
MOST_MOMENTS = 30_000
"""Of one topic that are kept: ten minutes with every moment, longer recordings with every other one, every fourth, …"""
WINDOW = 6.5
"""s before a moment that its diagrams and its health need."""


@dataclass(frozen=True)
class Mark:
    """Something on the time line.

    Attributes:
        time: s.
        kind: request, verdict, fault, or start, where the robot was started again.
        words: what happened.
        good: of a verdict: whether it was accepted; None otherwise.
    """

    time: float
    kind: str
    words: str
    good: bool | None = None


@dataclass(frozen=True)
class TimeLine:
    """From where to where a recording goes, s, and what is marked on it, in the order of time."""

    start: float
    end: float
    marks: tuple[Mark, ...]

    def plain(self) -> dict[str, Any]:
        """For a browser."""
        return {
            "start": round(self.start, 3), "end": round(self.end, 3),
            "marks": [{"time": round(mark.time, 3), "kind": mark.kind, "words": mark.words, "good": mark.good} for mark in self.marks],
        }  # fmt: skip


class Entry(NamedTuple):
    """One message: its time, s, its place among all, its topic, and the message as it went over the wire."""

    time: float
    number: int
    topic: str
    data: bytes


class Entries:
    """The messages of one topic in the order of time.

    Args:
        step: s between two that are kept at least; 0: all are.
        most: that are kept; where there are more, the step doubles.
    """

    def __init__(self, step: float = 0.0, most: int = MOST_MOMENTS) -> None:
        self._step, self._most = step, most
        self._entries: list[Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Entry) -> bool:
        """Keep one more, unless it comes too soon after the last; whether it was kept."""
        if self._step and self._entries and entry.time < self._entries[-1].time + self._step - 1e-6:
            return False
        self._entries.append(entry)
        if self._step and len(self._entries) > self._most:
            self._step *= 2.0
            self._entries = self._entries[::2]
        return True

    def between(self, after: float, until: float) -> list[Entry]:
        """Those that are later than one time and not later than another, s."""
        return self._entries[self._place(after) : self._place(until)]

    def newest(self, until: float, count: int) -> list[Entry]:
        """The last so many that are not later than a time, s."""
        end = self._place(until)
        return self._entries[max(0, end - count) : end]

    def _place(self, time: float) -> int:
        return bisect_right(self._entries, time, key=lambda entry: entry.time)


def in_order(*parts: list[Entry]) -> Iterator[Entry]:
    """The messages of several topics as they came one after another."""
    return heapq.merge(*parts, key=lambda entry: entry.number)

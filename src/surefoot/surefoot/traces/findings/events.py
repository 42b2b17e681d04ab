# SPDX-License-Identifier: Apache-2.0
"""The events of a trace: contacts made and lost, feet that slip and stick, touches of other links, feet that run into something.

An event is a change of mode [Zapolsky 2017, section 4.1.4]. They are told by the marks of each tick and kept as short records.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.traces.findings.marks import CONTACT, LINK_NAMES, SLIDING, STRUCK, SURFACE, TOUCHED

HOLD = 0.02
"""s that a contact or a slip, or the end of one, must last to be an event: a foot that lands bounces."""

MADE, LOST, SLIPS, STICKS, STRIKES, TOUCHES, LEAVES = range(7)
KINDS = ("makes contact with", "leaves", "slips on", "sticks to", "runs into", "touches", "comes off")
"""What an event says of its part and its surface."""

EVENT = np.dtype([("particle", "i4"), ("tick", "i4"), ("kind", "i1"), ("part", "i1"), ("surface", "i1")])
"""An event: index of the particle in the cloud, tick of the trace, one of the kinds above, link of the robot and piece of ground."""

PARTS = len(LINK_NAMES)
MOST_EVENTS = 4096
"""Of one trace; a trace that chatters more is cut."""


class Event(NamedTuple):
    """Something that happened in a trace.

    Attributes:
        time: s after its start.
        kind: one of the numbers above.
        part: name of the link.
        surface: number of the piece of ground; 0 where there is one alone.
    """

    time: float
    kind: int
    part: str
    surface: int

    def __str__(self) -> str:
        return f"{self.part} {KINDS[self.kind]} {surface_name(self.surface)}"


def surface_name(surface: int) -> str:
    """What a piece of ground is called."""
    return "the ground" if surface == 0 else f"ground {surface + 1}"


def told(events: np.ndarray, period: float) -> tuple[Event, ...]:
    """Events out of EVENT records of one particle."""
    return tuple(
        Event(float(event["tick"] * period), int(event["kind"]), LINK_NAMES[event["part"]], int(event["surface"])) for event in events
    )


def find_events(marks: NDArray[np.int64], indices: NDArray[np.int64], ends: NDArray[np.int64], period: float) -> np.ndarray:
    """The events of some traces.

    Args:
        marks: of each tick, (n, ticks + 1), see `marks`.
        indices: of the particles in the cloud, (n,).
        ends: last tick of each trace, (n,).
        period: s between ticks.

    Returns:
        EVENT records, particle by particle, each in the order of time.
    """
    hold = max(1, round(HOLD / period))
    found = np.zeros(MOST_EVENTS, EVENT)
    parts = []
    for row, particle, end in zip(marks, indices, ends, strict=True):
        count = _find(row[: end + 1], hold, found)
        mine = found[:count].copy()
        mine["particle"] = particle
        parts.append(mine[np.argsort(mine["tick"], kind="stable")])
    return np.concatenate(parts) if parts else found[:0]


@compiled
def _find(marks: Any, hold: int, found: Any) -> int:
    """Write the events of one trace, part by part; returns how many there are."""
    count = 0
    for leg in range(4):
        count = _changes(marks, CONTACT + leg, leg, 4 * (leg + 1), hold, MADE, LOST, found, count)
        count = _changes(marks, SLIDING + leg, leg, 4 * (leg + 1), hold, SLIPS, STICKS, found, count)
        count = _changes(marks, STRUCK + leg, leg, 4 * (leg + 1), 1, STRIKES, -1, found, count)
    for link in range(PARTS):
        count = _changes(marks, TOUCHED + link, -1, link, 1, TOUCHES, LEAVES, found, count)
    return count


@compiled
def _changes(marks: Any, bit: int, leg: int, part: int, hold: int, begins: int, ends: int, found: Any, count: int) -> int:
    """Write the changes of one bit that last, but for those that the end of the trace cuts short."""
    ticks = marks.shape[0]
    if ticks == 0:
        return count
    # What it was before: the surface stays known while a foot is in the air.
    current, surface = (marks[0] >> bit) & 1, 0
    if leg >= 0:
        surface = (marks[0] >> (SURFACE + 3 * leg)) & 7
    run = 0
    for tick in range(1, ticks):
        now = (marks[tick] >> bit) & 1
        if leg >= 0 and (marks[tick] >> (CONTACT + leg) | marks[tick] >> (STRUCK + leg)) & 1:
            surface = (marks[tick] >> (SURFACE + 3 * leg)) & 7
        run = run + 1 if now != current else 0
        if run == hold:
            current, run = now, 0
            kind = begins if now == 1 else ends
            if kind >= 0 and count < found.shape[0]:
                found[count].tick, found[count].kind = tick - hold + 1, kind
                found[count].part, found[count].surface = part, surface
                count += 1
    return count

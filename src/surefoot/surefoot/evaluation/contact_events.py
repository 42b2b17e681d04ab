# SPDX-License-Identifier: Apache-2.0
"""When feet make and lose contact, and whether two recordings tell the same tale."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.description import LEG_NAMES


class ContactEvent(NamedTuple):
    """A foot that made (True) or lost contact, s after the start of the recording."""

    foot: str
    made: bool
    time: float


def debounced(contact: NDArray[np.bool_], ticks: int) -> NDArray[np.bool_]:
    """A contact signal in which what lasts less than some ticks did not happen.

    Args:
        contact: (n,), bool.
        ticks: that a change must last.
    """
    edges = [0, *np.flatnonzero(np.diff(contact)) + 1, len(contact)]
    spans = list(pairwise(edges))
    lasting = [begin for begin, end in spans if end - begin >= ticks]
    current = bool(contact[lasting[0]]) if lasting else bool(contact[0])
    result = contact.copy()
    for begin, end in spans:
        if end - begin >= ticks:
            current = bool(contact[begin])
        result[begin:end] = current
    return result


def contact_events(contact: NDArray[np.bool_], period: float, hold: float) -> list[ContactEvent]:
    """The events of four feet, in the order of time.

    Args:
        contact: whether each foot bears load, (n, 4).
        period: s between rows.
        hold: s that a change must last to be one.
    """
    ticks = max(1, round(hold / period))
    events = []
    for leg, name in enumerate(LEG_NAMES):
        signal = debounced(contact[:, leg], ticks)
        events += [ContactEvent(name, bool(signal[i]), float(i * period)) for i in np.flatnonzero(np.diff(signal)) + 1]
    return sorted(events, key=lambda event: event.time)


def same_order(first: list[ContactEvent], second: list[ContactEvent], end: float, tolerance: float) -> bool:
    """Whether two recordings show the same events of each foot, and no two events clearly in the opposite order.

    Events closer together than the tolerance have no order: the two feet of a diagonal land at once.

    Args:
        first, second: of the two recordings.
        end: s after which an event of one recording may be missing in the other.
        tolerance: s.
    """
    times: list[tuple[float, float]] = []
    for foot in LEG_NAMES:
        one, two = ([event for event in events if event.foot == foot] for events in (first, second))
        shared = min(len(one), len(two))
        if any(event.time < end for event in one[shared:] + two[shared:]):
            return False
        pairs = list(zip(one[:shared], two[:shared], strict=True))
        if any(a.made != b.made for a, b in pairs):
            return False
        times += [(a.time, b.time) for a, b in pairs]
    return not any(a < c - tolerance and b > d + tolerance for a, b in times for c, d in times)

# SPDX-License-Identifier: Apache-2.0
"""The order in which messages were sent."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from operator import itemgetter

from surefoot.recording.types import RawMessage

WINDOW = 1_000_000_000
"""How much later than another that was sent after it a message may have been recorded, ns."""


def by_publish_time(messages: Iterable[RawMessage], window: int = WINDOW) -> Iterator[RawMessage]:
    """Messages by the time at which they were sent; those of the same time in the order in which they come.

    Args:
        messages: about in that order.
        window: how far one may be from its place, ns.
    """
    # Nearly all come in order and go to the end: a heap would look at a dozen others for each.
    waiting: deque[tuple[int, RawMessage]] = deque()
    for message in messages:
        # Where one of the two clocks is a simulated one, they have nothing to do with each other.
        together = abs(message.log_time - message.publish_time) < window
        time = message.publish_time if together else message.log_time
        if waiting and time < waiting[-1][0]:
            waiting.insert(bisect_right(waiting, time, key=itemgetter(0)), (time, message))
        else:
            waiting.append((time, message))
        while waiting[0][0] <= message.log_time - window:
            yield waiting.popleft()[1]
    while waiting:
        yield waiting.popleft()[1]

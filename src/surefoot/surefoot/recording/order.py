# SPDX-License-Identifier: Apache-2.0
"""The order in which messages were sent."""

import heapq
from collections.abc import Iterable, Iterator

from surefoot.recording.types import RawMessage

WINDOW = 1_000_000_000
"""How much later than another that was sent after it a message may have been recorded, ns."""


def by_publish_time(messages: Iterable[RawMessage], window: int = WINDOW) -> Iterator[RawMessage]:
    """Messages by the time at which they were sent; those of the same time in the order in which they come.

    Args:
        messages: about in that order.
        window: how far one may be from its place, ns.
    """
    heap: list[tuple[int, int, RawMessage]] = []
    for number, message in enumerate(messages):
        # Where one of the two clocks is a simulated one, they have nothing to do with each other.
        together = abs(message.log_time - message.publish_time) < window
        heapq.heappush(heap, (message.publish_time if together else message.log_time, number, message))
        while heap[0][0] <= message.log_time - window:
            yield heapq.heappop(heap)[2]
    while heap:
        yield heapq.heappop(heap)[2]

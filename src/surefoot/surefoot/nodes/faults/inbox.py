# SPDX-License-Identifier: Apache-2.0
"""In the place of what the middleware keeps for a subscription that is polled."""

from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.subscription import Subscription

PUBLISHER = {"data": bytes(16)}


class Inbox:
    """Bytes that wait for whoever hears them raw: also those that are no message, as the middleware has it.

    Args:
        subscription: that takes from here from now on, and from nowhere else.
        clock: s.
    """

    def __init__(self, subscription: Subscription, clock: Callable[[], float]) -> None:
        self._waiting: deque[bytes] = deque()
        self._clock, self._number = clock, 0
        self._before = subscription.handle
        subscription._Subscription__subscription = self

    def put(self, data: bytes) -> None:
        """Something came."""
        self._waiting.append(data)

    def take_message(self, kind: Any, raw: bool) -> tuple[bytes, dict[str, Any]] | None:
        """See rclpy."""
        if not self._waiting:
            return None
        self._number += 1
        stamp = round(1e9 * self._clock())
        info = {
            "publication_sequence_number": self._number, "publisher_gid": PUBLISHER, "received_timestamp": stamp, "source_timestamp": stamp
        }
        return self._waiting.popleft(), info

    def destroy_when_not_in_use(self) -> None:
        """See rclpy."""
        self._before.destroy_when_not_in_use()

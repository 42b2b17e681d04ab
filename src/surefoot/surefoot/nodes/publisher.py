# SPDX-License-Identifier: Apache-2.0
"""A publisher whose node outlives a message that the middleware does not take."""

from collections.abc import Callable
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.publisher import Publisher

RCLError = rclpy_implementation.RCLError

TRIES_IN_LOCKSTEP = 100
"""Each takes the middleware as long as it waits for its own locks, 0.1 s."""


class CountingPublisher(Publisher):  # type: ignore[misc]
    """Counts what could not be sent, in place of an exception that ends the node.

    The middleware gives up after 0.1 s on a lock that another of its threads holds, which happens on a busy machine when a process that
    listened has just been killed. Running free that is one more lost message: the next one matters more than to wait again. In lockstep,
    where nothing may be lost and everybody waits, it is tried again.

    Args:
        lockstep: whether the graph runs in lockstep.
        alive: whether the context of the node is still there; a publisher that has no context left raises as ever.
        lost: told in words of each message that was not sent.
        arguments, named: of rclpy's publisher.
    """

    def __init__(self, lockstep: bool, alive: Callable[[], bool], lost: Callable[[str], None], *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._tries, self._alive, self._lost = TRIES_IN_LOCKSTEP if lockstep else 1, alive, lost

    def publish(self, msg: Any) -> None:
        """Send a message. Raises TypeError as rclpy's does."""
        for _ in range(self._tries):
            try:
                super().publish(msg)
            except RCLError as error:
                if not self._alive():
                    raise
                self._lost(f"the middleware did not take a message on {self.topic}: {error}")
            else:
                return

# SPDX-License-Identifier: Apache-2.0
"""Whether a topic still speaks."""

from typing import Any


class Freshness:
    """Tells a message that is new from one that was only heard last. Ages are on the clock of the ticks.

    Args:
        timeout: age at which a message is no longer fresh, s.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._message: Any = None
        self._since = 0.0

    def check(self, time: float, message: Any) -> bool:
        """Whether what was heard last is fresh at a tick; time in s."""
        if message is not self._message or time < self._since:
            self._message, self._since = message, time
        return self.age(time) <= self._timeout

    def age(self, time: float) -> float:
        """Time since the tick at which the message was new, s."""
        return time - self._since

# SPDX-License-Identifier: Apache-2.0
"""How late a message is, when its sender's clock is not ours."""

import math


class DeliveryDelay:
    """Delay of each message beyond the fastest delivery of the last while.

    A queue that was held up hands over old messages in a burst: all are received now, but each was sent earlier. The offset between
    the clocks is that of the fastest delivery, and is forgotten after one to two windows, so that clocks may drift and be set.

    Args:
        window: s.
    """

    def __init__(self, window: float = 5.0) -> None:
        self._window = window
        self._since = -math.inf
        self._fastest = self._fastest_before = math.inf

    def of(self, sent: float, received: float) -> float:
        """Delay of one message, s; 0 for one without a stamp.

        Args:
            sent: stamp by the sender's clock, s; 0 or less: there is none.
            received: by ours, s.
        """
        if not (math.isfinite(sent) and sent > 0.0):
            return 0.0
        if received - self._since > self._window:
            self._fastest_before = self._fastest if received - self._since <= 2.0 * self._window else math.inf
            self._since, self._fastest = received, math.inf
        self._fastest = min(self._fastest, received - sent)
        return received - sent - min(self._fastest, self._fastest_before)

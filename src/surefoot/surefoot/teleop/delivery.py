# SPDX-License-Identifier: Apache-2.0
"""How late a message is, when its sender's clock is not ours."""

import math

LONGEST_STEP = 0.5
"""Time between two messages that counts as time in which messages came, s; longer is a silence."""


class DeliveryDelay:
    """Delay of each message beyond the fastest delivery of the last while.

    A queue that was held up hands over old messages in a burst: all are received now, but each was sent earlier. The offset between
    the clocks is that of the fastest delivery, and is forgotten after one to two windows, so that clocks may drift and be set. A window
    is time in which messages came: of the offset, a silence says nothing, and what comes behind it may be late.

    Args:
        window: s.
    """

    def __init__(self, window: float = 5.0) -> None:
        self._window = window
        self._heard, self._last = 0.0, math.inf
        self._fastest = self._fastest_before = math.inf

    def of(self, sent: float, received: float) -> float:
        """Delay of one message, s; 0 for one without a stamp.

        Args:
            sent: stamp by the sender's clock, s; 0 or less: there is none.
            received: by ours, s.
        """
        if not (math.isfinite(sent) and sent > 0.0):
            return 0.0
        self._heard += min(max(0.0, received - self._last), LONGEST_STEP)
        self._last = received
        if self._heard > self._window:
            self._heard, self._fastest_before, self._fastest = 0.0, self._fastest, math.inf
        self._fastest = min(self._fastest, received - sent)
        return received - sent - min(self._fastest, self._fastest_before)

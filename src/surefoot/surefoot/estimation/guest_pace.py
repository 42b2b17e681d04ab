# SPDX-License-Identifier: Apache-2.0
"""How often guests are heard: what anybody may send must neither cost ticks nor push out what the robot's own sensors say."""

import math
from collections import deque

from surefoot.estimation.refusals import Refusal, Refusals
from surefoot.estimation.timing import GUESTS

REMEMBERED = 256
"""Periods of which is known whether a guest spoke in them, more than a window has."""


class GuestPace:
    """Lets one sample of each guest through in each control period, by the stamps, in whatever order they come.

    Args:
        refusals: where the others are counted, as too_often.
        rate: control periods a second, about as many as the IMU has samples, Hz.
    """

    def __init__(self, refusals: Refusals, rate: float) -> None:
        self._refusals, self._rate = refusals, rate
        self.clear()

    def clear(self) -> None:
        """Forget who spoke when."""
        self._heard: dict[str, deque[int]] = {guest: deque(maxlen=REMEMBERED) for guest in GUESTS}

    def refused(self, sensor: str, time: float) -> Refusal | None:
        """Look at a stamp of a guest, s; one that is not refused is taken."""
        heard, period = self._heard[sensor], math.floor(time * self._rate)
        if period in heard:
            words = f"stamp {time:.6f} s of {sensor} is the second one in a period of {1e3 / self._rate:.3g} ms"
            return self._refusals.add("too_often", f"{words}: one is heard; let its sender speak less often")
        heard.append(period)
        return None

# SPDX-License-Identifier: Apache-2.0
"""Time that the bridge's own motions go by."""

import math


class MotionClock:
    """Goes with the clock of the ticks, but in one tick no further than longest_step (s).

    Where that clock jumps, or no tick came for a while, the robot has not moved meanwhile: a motion that went on with the clock would
    leap. What is old is judged by the clock of the ticks itself.

    Attributes:
        time: s; 0 at the start.
    """

    def __init__(self, longest_step: float) -> None:
        self._longest_step = longest_step
        self._looked_at = math.inf
        self.time = 0.0

    def look(self, now: float) -> None:
        """Go on to the next tick, at a time (s) on the clock of the ticks; backwards it stands still."""
        self.time += min(max(0.0, now - self._looked_at), self._longest_step)
        self._looked_at = now

# SPDX-License-Identifier: Apache-2.0
"""Time on the clock of the stamps, also while no stamps come."""


class TickClock:
    """A clock for running free: a new stamp sets it, and between stamps it goes on by itself, so that silence has an age.

    Args:
        longest_step: most that it goes on between two looks, s: a pause of this process is not the silence of the others.
    """

    def __init__(self, longest_step: float) -> None:
        self._longest_step = longest_step
        self._stamp: float | None = None
        self._time, self._looked_at = 0.0, 0.0

    def look(self, stamp: float | None, wall: float) -> float:
        """The time now, s.

        Args:
            stamp: of the newest message, s, new or not; None while none ever came.
            wall: on the clock of the wall, s.
        """
        if stamp is not None and stamp != self._stamp:
            self._stamp = self._time = stamp
        else:
            self._time += min(max(0.0, wall - self._looked_at), self._longest_step)
        self._looked_at = wall
        return self._time

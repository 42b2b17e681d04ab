# SPDX-License-Identifier: Apache-2.0
"""Time on the clock of the stamps, also while no stamps come."""


class TickClock:
    """A stamp that is newer than all before sets it; without one it goes on by itself, so that silence has an age.

    What is heard again, or comes late, is as good as silence. A stamp from further back is of a clock that was set back, and is followed.

    Args:
        longest_step: most that it goes on between two looks, s: a pause of this process is not the silence of the others.
        longest_late: how far behind the newest stamp one may be that merely comes late, s.
    """

    def __init__(self, longest_step: float, longest_late: float) -> None:
        self._longest_step, self._longest_late = longest_step, longest_late
        self._newest: float | None = None
        self._time, self._looked_at = 0.0, 0.0

    def look(self, stamp: float | None, wall: float) -> float:
        """The time now, s.

        Args:
            stamp: of the message that came last, s, new or not; None while none ever came.
            wall: on the clock of the wall, or whatever goes on without stamps, s.
        """
        if stamp is not None and (self._newest is None or not self._newest - self._longest_late <= stamp <= self._newest):
            self._newest = self._time = stamp
        else:
            self._time += min(max(0.0, wall - self._looked_at), self._longest_step)
        self._looked_at = wall
        return self._time

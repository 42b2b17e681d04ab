# SPDX-License-Identifier: Apache-2.0
"""Whether commands leave for the servos: what holds for what is read holds for what is written."""

from dataclasses import replace

from surefoot.servos.bus import BusHealth


class Departures:
    """Remembers since when no command has left.

    Args:
        stale_after: time without one, of which the newest failed as well, after which that is a fault, s.
    """

    def __init__(self, stale_after: float) -> None:
        self._stale_after = stale_after
        self._since: float | None = None
        """When the last one left, or else when the first one failed, s."""
        self._problem = ""

    def left(self, time: float) -> None:
        """A command left at a time, s."""
        self._since, self._problem = time, ""

    def failed(self, time: float, problem: str) -> None:
        """A command did not leave at a time, s, and why."""
        self._since = time if self._since is None else self._since
        self._problem = problem

    def fault(self, time: float) -> str:
        """For how long none has left at a time, s, in words; empty while they leave, or for a moment do not."""
        if not self._problem or self._since is None or time - self._since <= self._stale_after:
            return ""
        return f"no command has left for {time - self._since:.3f} s, limit {self._stale_after:.3f} s: {self._problem}"

    def upon(self, health: BusHealth, time: float) -> BusHealth:
        """What a bus says of itself, at a time, s, and that its commands do not leave where they do not."""
        fault = self.fault(time)
        return replace(health, faults=(fault, *health.faults)) if fault else health

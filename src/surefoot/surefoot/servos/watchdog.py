# SPDX-License-Identifier: Apache-2.0
"""A latched watchdog on the age of what others send."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Trip:
    """What the watchdog latched on.

    Attributes:
        who: the source that fell silent.
        since: time of the check that tripped, s.
        age: of its last stamp at that time, s; infinite when it never sent, NaN when the stamp was not a number.
        limit: the age that was allowed, s.
    """

    who: str
    since: float
    age: float
    limit: float

    def __str__(self) -> str:
        if math.isinf(self.age):
            return f"{self.who}: none has come"
        if self.age < 0.0:
            return f"{self.who}: stamp lies {-self.age:.3f} s in the future, limit {self.limit:.3f} s"
        return f"{self.who}: {self.age:.3f} s old, limit {self.limit:.3f} s"


class Watchdog:
    """Latches on the first stamp that is too old and stays latched until it is reset.

    Ages are on the clock of the stamps, so a slow simulation is not late.

    Attributes:
        trip: what it latched on; None while it never did since the last reset.
        counts: how often each source was found stale, resets or not.
    """

    def __init__(self, stale_after: float) -> None:
        """stale_after: allowed age, s."""
        self.stale_after = stale_after
        self.trip: Trip | None = None
        self.counts: dict[str, int] = {}

    def check(self, who: str, time: float, stamp: float | None) -> Trip | None:
        """Look at one source.

        Args:
            who: its name.
            time: now, s.
            stamp: of the last thing it sent, s; None when it never sent.

        Returns:
            What the watchdog is latched on, by this source or an earlier one.
        """
        age = math.inf if stamp is None else time - stamp
        # Stated as what is right, so that a NaN is stale. A stamp from the future is a clock that jumped: its age says nothing.
        fresh = -self.stale_after <= age <= self.stale_after
        if not fresh:
            self.counts[who] = self.counts.get(who, 0) + 1
            self.trip = self.trip or Trip(who, time, age, self.stale_after)
        return self.trip

    def reset(self) -> None:
        """Leave the latched state; the counts stay."""
        self.trip = None

# SPDX-License-Identifier: Apache-2.0
"""How much time a decision has: all that it wants, until a deadline, or as much as it had when it was made first."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from surefoot.traces.decision.admission import Admission, admit, needed_particle_seconds
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD


class Pace(Protocol):
    """How much may be traced."""

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """What may be traced, before anything is."""

    def goes_on(self, rounds: int) -> bool:
        """Whether there is time for one more round after so many."""

    def tries_offer(self, candidates: Sequence[Candidate], settings: DecisionSettings, tried: int) -> bool:
        """Whether there is time to see if one of some changes can be offered, after so many others were tried."""

    def left(self) -> float | None:
        """Time left, s; None: as much as is wanted."""


class Unhurried:
    """As long as it takes: simulated time stands still meanwhile."""

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """Everything."""
        return Admission(tuple(range(len(candidates))), settings, needed_particle_seconds(candidates, settings, LEAD))

    def goes_on(self, rounds: int) -> bool:
        """Always."""
        return True

    def tries_offer(self, candidates: Sequence[Candidate], settings: DecisionSettings, tried: int) -> bool:
        """Always."""
        return True

    def left(self) -> float | None:
        """All of it."""
        return None


class Hurried:
    """Until a deadline on the clock of the wall.

    Args:
        seconds: from now.
        rate: particle-seconds that the workers trace in a second.
        wanted: whether anybody still waits for the answer.
    """

    def __init__(self, seconds: float, rate: float, wanted: Callable[[], bool] = lambda: True) -> None:
        self._rate, self._end, self._wanted = rate, time.monotonic() + seconds, wanted

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """What there is time for at the rate."""
        return admit(candidates, settings, self._rate, self._end - time.monotonic(), LEAD)

    def goes_on(self, rounds: int) -> bool:
        """Until the deadline, or until nobody waits any more."""
        return self._wanted() and time.monotonic() < self._end

    def tries_offer(self, candidates: Sequence[Candidate], settings: DecisionSettings, tried: int) -> bool:
        """If all that it may take fits in."""
        length = sum(LEAD + candidate.change_time + settings.horizon for candidate in candidates)
        needed = settings.offer_particles * length
        return self._wanted() and needed <= self._rate * (self._end - time.monotonic())

    def left(self) -> float | None:
        """Until the deadline."""
        return max(0.0, self._end - time.monotonic())


class AsRecorded:
    """What was traced when the decision was made first, however long that takes now.

    Args:
        admission: as it was.
        rounds: that there were.
        offers_tried: how many counter-offers were tried.
    """

    def __init__(self, admission: Admission, rounds: int, offers_tried: int) -> None:
        self._admission, self._rounds, self._offers_tried = admission, rounds, offers_tried

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """As it was."""
        return self._admission

    def goes_on(self, rounds: int) -> bool:
        """As it did."""
        return rounds < self._rounds

    def tries_offer(self, candidates: Sequence[Candidate], settings: DecisionSettings, tried: int) -> bool:
        """As it did."""
        return tried < self._offers_tried

    def left(self) -> float | None:
        """As long as it takes."""
        return None

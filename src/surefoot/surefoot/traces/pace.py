# SPDX-License-Identifier: Apache-2.0
"""How much time a decision has: all that it wants, until a deadline, or as much as it had when it was made first."""

import time
from collections.abc import Sequence
from typing import Protocol

from surefoot.traces.admission import Admission, admit, needed_particle_seconds
from surefoot.traces.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD


class Pace(Protocol):
    """How much may be traced."""

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """What may be traced, before anything is."""

    def goes_on(self, rounds: int) -> bool:
        """Whether there is time for one more round after so many."""


class Unhurried:
    """As long as it takes: simulated time stands still meanwhile."""

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """Everything."""
        return Admission(tuple(range(len(candidates))), settings, needed_particle_seconds(candidates, settings, LEAD))

    def goes_on(self, rounds: int) -> bool:
        """Always."""
        return True


class Hurried:
    """Until a deadline on the clock of the wall.

    Args:
        seconds: from now.
        rate: particle-seconds that the workers trace in a second.
    """

    def __init__(self, seconds: float, rate: float) -> None:
        self._seconds, self._rate, self._end = seconds, rate, time.monotonic() + seconds

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """What there is time for at the rate."""
        return admit(candidates, settings, self._rate, self._seconds, LEAD)

    def goes_on(self, rounds: int) -> bool:
        """Until the deadline."""
        return time.monotonic() < self._end


class AsRecorded:
    """What was traced when the decision was made first, however long that takes now.

    Args:
        admission: as it was.
        rounds: that there were.
    """

    def __init__(self, admission: Admission, rounds: int) -> None:
        self._admission, self._rounds = admission, rounds

    def admit(self, candidates: Sequence[Candidate], settings: DecisionSettings) -> Admission:
        """As it was."""
        return self._admission

    def goes_on(self, rounds: int) -> bool:
        """As it did."""
        return rounds < self._rounds

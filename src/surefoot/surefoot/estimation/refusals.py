# SPDX-License-Identifier: Apache-2.0
"""What was refused, why and how often."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Refusal:
    """One sample that was not used.

    Attributes:
        kind: the reason as a key to count by, as in "not_finite".
        words: the reason for a person, with the name and the value.
        since: what the sensor has said after this time was no measurement either, and is to be taken back, s; infinite where it was one.
        sensor: of whom that is to be taken back, "imu" or "joints".
    """

    kind: str
    words: str
    since: float = math.inf
    sensor: str = "imu"


class Refusals:
    """Counts refusals by kind and remembers the words of the last of each kind.

    Attributes:
        counts: number of refusals by kind.
        last: the last refusal's words, by kind.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.last: dict[str, str] = {}

    def add(self, kind: str, words: str, since: float = math.inf, sensor: str = "imu") -> Refusal:
        """Count one refusal and give it back."""
        self.counts[kind] += 1
        self.last[kind] = words
        return Refusal(kind, words, since, sensor)

    @property
    def total(self) -> int:
        """All refusals so far."""
        return self.counts.total()


class Recount:
    """Counts of what is computed again and again, of which only the last result counts.

    Args:
        refusals: where they are counted.
        places: for each kind of refusal, where in the numbers of a computation its count is.
    """

    def __init__(self, refusals: Refusals, places: Mapping[str, int]) -> None:
        self._counts, self._places = refusals.counts, places
        self.begin()

    def begin(self) -> None:
        """What was counted so far stays."""
        self._before = {kind: self._counts[kind] for kind in self._places}

    def see(self, numbers: NDArray[np.float64]) -> None:
        """Take over what the last computation, (n,), has counted since the beginning."""
        for kind, place in self._places.items():
            count = self._before[kind] + int(numbers.item(place))
            # A count of none is no kind that was refused.
            if self._counts[kind] != count:
                self._counts[kind] = count

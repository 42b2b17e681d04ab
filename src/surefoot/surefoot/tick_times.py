# SPDX-License-Identifier: Apache-2.0
"""How long ticks take, counted in classes: what a node says of all its ticks in one line, and a report draws as a histogram."""

import numpy as np
from numpy.typing import NDArray

EDGES_US: NDArray[np.float64] = 10.0 ** np.linspace(1.0, 6.0, 41)
"""Between classes, (41,), µs, eight to a decade; what is shorter or longer has a class of its own at either end."""
TICK_COUNTS = "tick_us_counts"
"""Under which a health report has them."""
CLASSES = len(EDGES_US) + 1


class TickTimes:
    """Counts ticks by their durations.

    Attributes:
        counts: of each class, (42,).
    """

    def __init__(self) -> None:
        self.counts = np.zeros(CLASSES, np.int64)

    def add(self, seconds: NDArray[np.float64]) -> None:
        """Some more ticks took so long, (n,), s."""
        self.counts += np.bincount(np.searchsorted(EDGES_US, 1e6 * seconds, side="right"), minlength=CLASSES)

    def words(self) -> str:
        """As a health report carries them."""
        return " ".join(map(str, self.counts.tolist()))


def counts_of(words: str) -> NDArray[np.int64] | None:
    """The counts out of a health report, (42,); None for what are none."""
    parts = words.split()
    return np.array([int(part) for part in parts]) if len(parts) == CLASSES and all(map(str.isdecimal, parts)) else None

# SPDX-License-Identifier: Apache-2.0
"""What every benchmark reports: numbers with their spread, and on what they were measured."""

import os
import platform
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.decision.confidence import lower_bound, upper_bound

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Machine:
    """Where the numbers come from; a time without it says nothing.

    Attributes:
        processor: architecture.
        cores: that this process may use.
        python: version.
        load: of the machine when the measurement began, running processes over the last minute.
    """

    processor: str
    cores: int
    python: str
    load: float


def this_machine() -> Machine:
    """The machine that this runs on."""
    return Machine(platform.machine(), len(os.sched_getaffinity(0)), platform.python_version(), round(os.getloadavg()[0], 2))


@dataclass(frozen=True)
class Times:
    """Times of the same work, done n times, in microseconds."""

    n: int
    median_us: float
    p99_us: float


def times_of(seconds: NDArray[np.float64]) -> Times:
    """Median and 99th percentile of times in s."""
    return Times(len(seconds), 1e6 * float(np.median(seconds)), 1e6 * float(np.percentile(seconds, 99.0)))


@dataclass(frozen=True)
class Proportion:
    """k of n, and the two-sided interval of Clopper and Pearson at a confidence of 0.95."""

    k: int
    n: int
    lower: float
    upper: float

    def __str__(self) -> str:
        return f"{self.k} of {self.n} ({self.lower:.2f} to {self.upper:.2f})"


def proportion(k: int, n: int) -> Proportion:
    """The proportion k of n with its interval."""
    one_sided = 1.0 - (1.0 - CONFIDENCE) / 2.0
    return Proportion(k, n, lower_bound(k, n, one_sided), upper_bound(k, n, one_sided))


def most_frequent(names: Iterable[str]) -> str:
    """The name that comes most often, of several the one that comes first; empty without any."""
    return next((name for name, _ in Counter(names).most_common(1)), "")

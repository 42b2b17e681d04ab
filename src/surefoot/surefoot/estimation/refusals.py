# SPDX-License-Identifier: Apache-2.0
"""What was refused, why and how often."""

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """One sample that was not used.

    Attributes:
        kind: the reason as a key to count by, as in "not_finite".
        words: the reason for a person, with the name and the value.
    """

    kind: str
    words: str


class Refusals:
    """Counts refusals by kind and remembers the words of the last of each kind.

    Attributes:
        counts: number of refusals by kind.
        last: the last refusal's words, by kind.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.last: dict[str, str] = {}

    def add(self, kind: str, words: str) -> Refusal:
        """Count one refusal and give it back."""
        self.counts[kind] += 1
        self.last[kind] = words
        return Refusal(kind, words)

    @property
    def total(self) -> int:
        """All refusals so far."""
        return self.counts.total()

# SPDX-License-Identifier: Apache-2.0
"""What came of garbage to one node, however it was given."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from surefoot.evaluation.faults.outcome import Outcome, outcome_of


@dataclass
class Garbage(ABC):
    """What every such run tells.

    Attributes:
        node: its name.
        asked: pieces of garbage that it was to receive.
        received: those that came to it, whatever it made of them; what came out of the garbling as it was is none.
        ticks: that passed meanwhile.
        refused: what the node counted, by kind.
        exceptions: that nobody handled, or that was caught as a last resort, counted.
        illegal: what left it, or the bridge, that must not, counted.
        stopped: why it came to its end before its time; empty where it did not.
    """

    node: str
    asked: int
    received: int = 0
    ticks: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    exceptions: dict[str, int] = field(default_factory=dict)
    illegal: dict[str, int] = field(default_factory=dict)
    stopped: str = ""

    @property
    @abstractmethod
    def idle(self) -> str:
        """In words, that garbage never met anything worth spoiling; empty where it did."""

    @property
    def missing(self) -> list[str]:
        """What was asked for and not done, in words."""
        few = f"{self.received} of {self.asked} pieces of garbage were received: {self.stopped}" if self.received < self.asked else ""
        return [words for words in (few, self.idle) if words]

    @property
    def outcome(self) -> Outcome:
        """Failed is what was raised, and what is illegal and got out."""
        return outcome_of(bool(self.exceptions or self.illegal), bool(self.missing))

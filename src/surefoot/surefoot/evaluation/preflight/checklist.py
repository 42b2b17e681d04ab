# SPDX-License-Identifier: Apache-2.0
"""A checklist: what was looked at, what was found, and what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Of one check."""

    GOOD = "good"
    WARNING = "warning"
    """The robot may walk, and somebody should know."""
    BAD = "bad"
    """The robot must not be armed."""
    UNKNOWN = "not known"
    """Nothing was there to be looked at."""


@dataclass(frozen=True)
class Check:
    """One line of the checklist. found: in words, with numbers and units; advice: what to do, empty where there is nothing to do."""

    name: str
    outcome: Outcome
    found: str
    advice: str = ""


def may_walk(checks: Iterable[Check]) -> bool:
    """Whether nothing speaks against arming the robot."""
    return all(check.outcome != Outcome.BAD for check in checks)


def check(name: str, good: bool, found: str, advice: str, otherwise: Outcome = Outcome.BAD) -> Check:
    """A check that is good, or else needs the advice."""
    return Check(name, Outcome.GOOD, found) if good else Check(name, otherwise, found, advice)

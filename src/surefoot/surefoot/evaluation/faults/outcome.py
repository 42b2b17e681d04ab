# SPDX-License-Identifier: Apache-2.0
"""How a trial of faults ended. One that did not do all that was asked has not passed, whatever it saw until then."""

from enum import StrEnum


class Outcome(StrEnum):
    """Of one trial, and of all of them together."""

    PASSED = "passed"
    FAILED = "failed"
    CUT_OFF = "cut off"

    @property
    def exit_code(self) -> int:
        """Of a command; 2 is of what cannot even begin."""
        return {Outcome.PASSED: 0, Outcome.FAILED: 1, Outcome.CUT_OFF: 3}[self]


def outcome_of(failed: bool, missing: bool) -> Outcome:
    """What failed counts before what is missing."""
    return Outcome.FAILED if failed else Outcome.CUT_OFF if missing else Outcome.PASSED

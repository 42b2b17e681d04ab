# SPDX-License-Identifier: Apache-2.0
"""One line of a log for many joints."""

from collections.abc import Sequence


def first_of(offenders: Sequence[str]) -> str:
    """The first of some offenders, in words, and how many more there are; empty for none."""
    if len(offenders) < 2:
        return "".join(offenders)
    return f"{offenders[0]}; and {len(offenders) - 1} more"

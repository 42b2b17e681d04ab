# SPDX-License-Identifier: Apache-2.0
"""Processor time of other processes."""

import os
from collections.abc import Iterable
from pathlib import Path

TICK = 1.0 / os.sysconf("SC_CLK_TCK")


def processor_time(process_ids: Iterable[int]) -> float:
    """User and system time of some processes so far, s [proc(5), fields 14 and 15 of stat]."""
    total = 0.0
    for number in process_ids:
        # The second field is the name in parentheses, which may hold spaces.
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        total += TICK * (int(fields[11]) + int(fields[12]))
    return total

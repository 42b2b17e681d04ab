# SPDX-License-Identifier: Apache-2.0
"""What `surefoot reproduce gait-period` prints."""

from dataclasses import asdict
from typing import Any

from rich.table import Table

from surefoot.evaluation.reproduce.gait_period import BRITTLE, ROBUST, SPEEDS, PeriodResult


def gait_period_as_json(result: PeriodResult) -> dict[str, Any]:
    """The result as plain values, with the source's."""
    return {"robot": result.robot, "source": {"speed": SPEEDS[0], "threshold": (ROBUST, BRITTLE)}} | asdict(result)


def gait_period_tables(result: PeriodResult) -> tuple[Table, Table]:
    """Falls by speed and period, and the thresholds."""
    title = f"{result.robot}: Table 3 with other periods, {result.particles} traces of {result.seconds:g} s each, seed {result.seed}"
    columns = "m/s", "period", "source", "falls", "mean time to fall", "", "breaks a requirement", "mean time to it", "most often"
    falls = Table(*columns, title=title)
    for one in result.periods:
        source = "holds" if one.period <= ROBUST else "falls"
        fall = str(one.fell), f"{one.mean_time:.1f} s", one.word
        falls.add_row(f"{one.speed:g}", f"{one.period:g} s", source, *fall, str(one.limits), f"{one.limit_time:.1f} s", one.limit_reason)
    thresholds = Table("m/s", "nobody falls up to", "someone falls from", "the longer, the more fall", title="threshold")
    thresholds.add_row(f"source, {SPEEDS[0]:g}", f"{ROBUST:g} s", f"{BRITTLE:g} s", "yes")
    for speed, (robust, brittle) in result.threshold.items():
        rises = "yes" if result.rises[speed] else "no"
        thresholds.add_row(f"{speed:g}", _seconds(robust), _seconds(brittle), rises)
    return falls, thresholds


def _seconds(value: float) -> str:
    return f"{value:g} s" if value == value else "none"

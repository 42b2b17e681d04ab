# SPDX-License-Identifier: Apache-2.0
"""What `surefoot reproduce curb` prints."""

from dataclasses import asdict
from typing import Any

from rich.table import Table

from surefoot.evaluation.reproduce.curb import SOURCE, CurbResult


def curb_as_json(result: CurbResult) -> dict[str, Any]:
    """The result as plain values, with the source's."""
    source = [{"step_height": height, "result": words} for height, words in SOURCE.items()]
    return {"robot": result.robot, "source": source} | asdict(result)


def curb_tables(result: CurbResult) -> tuple[Table]:
    """Strikes and clearances by gait and step height, and the same walk without a curb."""
    place = f"{100.0 * result.distance:g} cm ahead of the foremost foot, {100.0 * result.width:g} cm wide"
    columns = "gait", "step height", "source", "strikes", "clears", "ends otherwise", "neither", "strikes after", "ends without it"
    table = Table(*columns, title=f"{result.robot}: curb of 3 cm, {place}, {result.particles} traces each, seed {result.seed}")
    for one in result.heights:
        otherwise = f"{one.otherwise}" + (f", {one.reason}" if one.reason else "")
        strike = f"{one.strike_time:.2f} s" if one.struck.k > 0 else ""
        shares = str(one.struck), str(one.cleared), otherwise, str(one.short)
        table.add_row(one.gait, f"{100.0 * one.step_height:g} cm", SOURCE[one.step_height], *shares, strike, str(one.without_curb))
    return (table,)

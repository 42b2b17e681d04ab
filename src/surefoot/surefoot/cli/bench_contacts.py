# SPDX-License-Identifier: Apache-2.0
"""What `surefoot bench id` says about the runtime of the contact laws against the number of contacts."""

import math
from typing import Any

from rich.table import Table

from surefoot.evaluation.bench.contacts import GROWTH_FROM, ContactsResult
from surefoot.evaluation.bench.sample import Times
from surefoot.evaluation.bench.setup_cost import SetupCost


def contact_tables(result: ContactsResult, robot: str) -> tuple[Table, Table]:
    """The medians by law and number of contacts, and what they come to."""
    numbers = sorted({cost.contacts for curve in result.curves.values() for cost in curve})
    title = f"{robot}: us by number of contacts, warm / cold, medians of {result.ticks} ticks; (n): only so many answered"
    medians = Table("law", *map(str, numbers), title=title)
    for name, curve in result.curves.items():
        cells = {cost.contacts: f"{cost.warm.median_us:.0f} / {cost.cold.median_us:.0f}" for cost in curve}
        short = {cost.contacts: f" ({cost.answered})" for cost in curve if cost.answered < result.ticks}
        medians.add_row(name, *(cells.get(number, "") + short.get(number, "") for number in numbers))
    sums = Table("law", "contacts under 1 ms, warm", "cold", f"grows as contacts^, from {GROWTH_FROM}", "p99 us, warm, at", title=robot)
    for name, curve in result.curves.items():
        warm, growth = result.under_1ms[name], result.growth[name]
        worst = [f"{cost.warm.p99_us:.0f} at {cost.contacts}" for cost in curve if cost.contacts == warm]
        exponent = "" if math.isnan(growth) else f"{growth:.2f}"
        sums.add_row(name, str(warm), str(result.cold_under_1ms[name]), exponent, "".join(worst))
    return medians, sums


def setup_table(result: dict[str, SetupCost], robot: str) -> Table:
    """Ways to set up the contact model, counted and timed."""
    table = Table("set-up of the contact model, 4 contacts", "counted operations", "median us", "p99 us", "of the fastest", title=robot)
    fastest = min(cost.times.median_us for cost in result.values())
    for name, cost in result.items():
        median, worst = cost.times.median_us, cost.times.p99_us
        table.add_row(name, str(cost.operations), f"{median:.0f}", f"{worst:.0f}", f"{median / fastest:.2f}")
    return table


def setup_as_json(result: dict[str, SetupCost]) -> dict[str, Any]:
    """The same for machines."""
    return {"setup": {name: {"operations": cost.operations} | _percentiles(cost.times) for name, cost in result.items()}}


def contacts_as_json(result: ContactsResult) -> dict[str, Any]:
    """The same for machines."""
    return {
        "contacts_under_1ms": result.under_1ms,
        "contacts_under_1ms_cold": result.cold_under_1ms,
        "contacts_growth": {name: None if math.isnan(value) else value for name, value in result.growth.items()},
        "contacts_us": {
            name: [
                {
                    "contacts": cost.contacts, "warm": _percentiles(cost.warm), "cold": _percentiles(cost.cold),
                    "answered": cost.answered, "repaired": cost.repaired, "n": cost.warm.n,
                }
                for cost in curve
            ]
            for name, curve in result.curves.items()
        },
    }  # fmt: skip


def _percentiles(times: Times) -> dict[str, float]:
    return {"p50": times.median_us, "p99": times.p99_us}

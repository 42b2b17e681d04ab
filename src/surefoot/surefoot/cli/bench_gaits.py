# SPDX-License-Identifier: Apache-2.0
"""What `surefoot bench gaits` says about gaits and the changes between them."""

import math
from dataclasses import asdict
from typing import Any

from rich.table import Table

from surefoot.evaluation.bench.gaits import Commit, GaitsResult, Pair

TRACES = {"on": (True,), "off": (False,), "both": (True, False)}
"""What may be asked for."""

WORDS = {"on": "rehearsed", "off": "at once"}


def gait_tables(result: GaitsResult) -> tuple[Table, Table]:
    """Each gait by itself, and the changes."""
    alone = Table("gait", "commanded m/s", "mean m/s", "worst error", "max |roll| rad", "max |pitch| rad", "falls", title=result.robot)
    for gait in result.gaits:
        speeds = f"{gait.commanded:.2f}", f"{gait.mean_speed:.3f}", f"{gait.worst_speed_error:.1%}"
        alone.add_row(gait.gait, *speeds, f"{gait.worst_roll:.3f}", f"{gait.worst_pitch:.3f}", f"{gait.falls} of {gait.good.n}")
    title = f"{result.robot}: changes at {result.speed:g} m/s, seeds 0 to {result.seeds - 1}"
    changes = Table("change", "traces", "falls", "vetoed", "s from request to change", title=title)
    for name, ways in (*result.pairs.items(), ("all", result.all)):
        for way, pair in ways.items():
            changes.add_row(name, WORDS[way], str(pair.falls), str(pair.vetoed), _times(pair.commit_s))
    return alone, changes


def gaits_as_json(result: GaitsResult) -> dict[str, Any]:
    """The same for machines, gaits by name: each pair is {n, falls, vetoed, commit_s}."""
    return asdict(result) | {
        "gaits": {gait.gait: {"n": gait.good.n} | _without(asdict(gait), "gait") for gait in result.gaits},
        "pairs": {name: {way: _pair(pair) for way, pair in ways.items()} for name, ways in result.pairs.items()},
        "all": {way: _pair(pair) for way, pair in result.all.items()},
        # What is no number is null in JSON.
        "transitions": [asdict(one) | ({"commit_s": None} if math.isnan(one.commit_s) else {}) for one in result.transitions],
    }


def _without(values: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}


def _pair(pair: Pair) -> dict[str, Any]:
    intervals = {f"{name}_interval": [share.lower, share.upper] for name, share in (("falls", pair.falls), ("vetoed", pair.vetoed))}
    times = None if pair.commit_s is None else asdict(pair.commit_s)
    return {"n": pair.n, "falls": pair.falls.k, "vetoed": pair.vetoed.k, "commit_s": times} | intervals


def _times(commit: Commit | None) -> str:
    return "" if commit is None else f"{commit.median:.2f} ({commit.shortest:.2f} to {commit.longest:.2f})"

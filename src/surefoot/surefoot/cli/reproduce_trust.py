# SPDX-License-Identifier: Apache-2.0
"""What `surefoot reproduce trust` prints."""

from dataclasses import asdict
from typing import Any

from rich.table import Table

from surefoot.evaluation.bench.sample import Proportion
from surefoot.evaluation.reproduce.trust import Engine, Trust, TrustResult


def trust_as_json(result: TrustResult) -> dict[str, Any]:
    """The result as plain values, the counts of all requests first."""
    whole = result.all
    return {
        "n": whole.n,
        "falls_obeyed": whole.falls_obeyed.k,
        "falls_unfiltered": whole.falls_unfiltered.k,
        "falls_kept": whole.falls_kept.k,
        "falls_offered": whole.falls_offered.k,
        "allowed_of_good": _share(whole.allowed_of_good),
        "allowed_or_offered": _share(whole.allowed_or_offered),
        "brier": whole.brier,
    } | asdict(result)


def _share(of: Proportion) -> float | None:
    return of.k / of.n if of.n else None


def trust_tables(result: TrustResult) -> tuple[Table, Table]:
    """Falls by scenario, and predicted against true success."""
    spread = "" if result.truth_spread == 1.0 else f", hidden robots from {result.truth_spread:g} times its spread"
    asked = f"accept at {result.accept_at:g} with {result.confidence:.0%}"
    engine = "" if result.engine is Engine.MUJOCO else f", hidden robots in {result.engine.upper()}"
    title = f"{result.robot}: {result.all.n} requests, {asked}{spread}{engine}, seed {result.seed}"
    falls_of = "falls, all obeyed", "falls, verdict obeyed", "falls, gait kept", "of the accepted"
    columns = "", "requests", "accepted", *falls_of, "offers taken too", "allowed of good", "or by an offer", "Brier"
    falls = Table(*columns, title=title)
    for name, trust in (*result.scenarios.items(), ("all", result.all)):
        falls.add_row(name, *_row(trust))
    reliability = Table("predicted", "mean", "hidden robot did it", title="predicted success of candidates")
    for one in result.reliability:
        reliability.add_row(f"{one.low:.1f} to {one.high:.1f}", f"{one.mean_predicted:.2f}", str(one.succeeded))
    return falls, reliability


def _row(trust: Trust) -> tuple[str, ...]:
    falls = trust.falls_unfiltered, trust.falls_obeyed, trust.falls_kept, trust.falls_accepted, trust.falls_offered
    shares = *falls, trust.allowed_of_good, trust.allowed_or_offered
    return str(trust.n), str(trust.accepted), *(str(share) for share in shares), f"{trust.brier:.3f}"

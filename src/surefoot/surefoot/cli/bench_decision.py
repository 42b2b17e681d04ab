# SPDX-License-Identifier: Apache-2.0
"""What `surefoot bench decision` says about verdicts beside the whole graph."""

from rich.table import Table

from surefoot.evaluation.bench.decision_in_graph import WithGraph


def with_graph_table(result: WithGraph) -> Table:
    """The control loop while it is rehearsed and while it is not, and the verdicts."""
    title = (
        f"beside the whole graph, {result.slow_motion:g} times slower than the world: {result.verdicts} verdicts, "
        f"{result.accepted} accepted, median {result.median_s:.2f} s, 95th percentile {result.p95_s:.2f} s, "
        f"{result.particles_used:.0f} particles"
    )
    table = Table("control loop", "commands after the next sample", "sensor sample to command, p99 ms", title=title)
    table.add_row("while a rehearsal runs", f"{result.misses:.2%}", f"{result.p99_ms:.1f}")
    table.add_row("while none runs", f"{result.misses_without:.2%}", f"{result.p99_without_ms:.1f}")
    return table

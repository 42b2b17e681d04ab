# SPDX-License-Identifier: Apache-2.0
"""What `surefoot bench bags` shows."""

from rich.table import Table

from surefoot.evaluation.bench.bags import BagsResult


def bags_table(result: BagsResult) -> Table:
    """One row a number."""
    table = Table("what", "number", title=f"bags, {result.seconds:g} s at {result.rate:.0f} messages a second")
    same = "as recorded" if result.replay_identical else "not as recorded"
    for what, number in (
        ("messages recorded", str(result.recorded)),
        ("lost", str(result.lost)),
        ("from sent to heard, ms: median, p99", f"{1e-3 * result.lateness.median_us:.2f}, {1e-3 * result.lateness.p99_us:.2f}"),
        ("processor, % of a core", f"{result.cpu_percent:.1f}"),
        ("lost to kill -9, s", f"{result.kill9_lost_s:.3f}"),
        ("replay, times real time", f"{result.replay_speed:.2f}, of one core {result.replay_processor_speed:.2f}"),
        ("replays that agree", f"{len(result.replay_hashes)} with {len(set(result.replay_hashes))} hash, {same}"),
    ):
        table.add_row(what, number)
    return table

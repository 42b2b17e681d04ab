# SPDX-License-Identifier: Apache-2.0
"""Tables of `surefoot bench bridge`."""

from rich.table import Table

from surefoot.evaluation.bench.bridge import BridgeResult


def bridge_tables(result: BridgeResult) -> tuple[Table, Table]:
    """The tick, and the loop over the servos."""
    ticks = Table("a tick of the bridge", "median us", "p99 us", title=f"{result.robot}: {result.tick.n} ticks while walking")
    for name, times in (("wall", result.tick), ("processor", result.tick_processor)):
        ticks.add_row(name, f"{times.median_us:.0f}", f"{times.p99_us:.0f}")
    columns = "Mbaud", "bytes a cycle", "wire allows Hz", "measured Hz", "share", "p99 ms", "incomplete"
    loops = Table(*columns, title="twelve Dynamixel servos, emulated")
    for loop in result.loops:
        rates = f"{loop.computed_hz:.0f}", f"{loop.measured_hz:.0f}", f"{loop.measured_hz / loop.computed_hz:.2f}"
        spread = f"{1e-3 * loop.cycle.p99_us:.1f}", f"{loop.incomplete} of {loop.cycle.n}"
        loops.add_row(f"{1e-6 * loop.baud_rate:g}", str(loop.bytes_a_cycle), *rates, *spread)
    return ticks, loops

# SPDX-License-Identifier: Apache-2.0
from surefoot.evaluation.bench.bridge import bench_bridge, bytes_a_cycle


def test_what_a_cycle_puts_on_the_wire() -> None:
    # Asking: 14 bytes and an identity for each; answers: 11 and 10 of data each; goals: 14 bytes, an identity and 4 for each.
    assert bytes_a_cycle(12) == (14 + 12) + 12 * (11 + 10) + (14 + 12 * 5)


def test_the_bridge_and_the_line_are_measured() -> None:
    result = bench_bridge("hyq", ticks=30, cycles=20, baud_rates=(1000000,))
    assert result.tick.n == 30
    assert 0.0 < result.tick.median_us <= result.tick.p99_us
    (loop,) = result.loops
    assert loop.computed_hz == 1e5 / loop.bytes_a_cycle
    assert 0.0 < loop.measured_hz <= 1.05 * loop.computed_hz
    assert loop.incomplete < 20

# SPDX-License-Identifier: Apache-2.0
"""What `surefoot bench page` shows."""

import numpy as np
from rich.table import Table

from surefoot.evaluation.bench.page import ARMS, SIZE, WITHOUT, Drawing, PageResult


def page_tables(result: PageResult) -> tuple[Table, ...]:
    """How it is drawn, each walk, and what each way costs, as far as they were measured."""
    drawn = () if result.drawing is None else (_drawing(result.drawing),)
    return (*drawn, _walks(result), _ways(result)) if result.walks else drawn


def _drawing(drawing: Drawing) -> Table:
    width, height = SIZE
    table = Table("what", "number", title=f"{drawing.traces} traces at {width}x{height}, drawn in software, {drawing.seconds:.1f} s")
    for what, number in (
        ("states drawn a second", f"{drawing.states_per_second:.1f}"),
        ("frames a second", f"{drawing.frame.n / drawing.seconds:.1f}"),
        ("a frame, ms: median, p99", f"{1e-3 * drawing.frame.median_us:.1f}, {1e-3 * drawing.frame.p99_us:.1f}"),
        ("processor, ms a frame: page", f"{drawing.page_ms:.1f}"),
        ("browser, drawing", f"{drawing.gpu_ms:.1f}"),
        ("browser, page", f"{drawing.renderer_ms:.1f}"),
        ("panel there after, s", f"{drawing.panel_s:.2f}"),
        ("scene there after, s", f"{drawing.scene_s:.2f}"),
    ):
        table.add_row(what, number)
    return table


def _walks(result: PageResult) -> Table:
    same = "the same to the last bit" if result.same_walk else "NOT the same"
    columns = "way", "median us", "p99 us", "ticks", "unanswered", "wall s", "page, % of a core", "messages/s of a topic"
    table = Table(*columns, title=f"{result.robot}, seed {result.seed}, in lockstep, in this order; the walks are {same}")
    for walk in result.walks:
        times = f"{walk.latency.median_us:.0f}", f"{walk.latency.p99_us:.0f}", str(walk.latency.n), str(walk.unanswered)
        percent = "" if walk.page_percent is None else f"{walk.page_percent:.1f}"
        table.add_row(walk.arm, *times, f"{walk.wall_seconds:.1f}", percent, f"{walk.messages_per_second:.0f}")
    return table


def _ways(result: PageResult) -> Table:
    columns = "way", "walks", "median us", f"against '{WITHOUT}'", "p99 us", "against it"
    table = Table(*columns, title="sensor sample to command, medians of the walks")
    found = {arm: [walk.latency for walk in result.walks if walk.arm == arm] for arm in ARMS}
    numbers = {arm: [float(np.median([getattr(one, key) for one in of])) for key in ("median_us", "p99_us")] for arm, of in found.items()}
    for arm, (median, p99) in numbers.items():
        ratios = f"{median / numbers[WITHOUT][0]:.2f}", f"{p99 / numbers[WITHOUT][1]:.2f}"
        table.add_row(arm, str(len(found[arm])), f"{median:.0f}", ratios[0], f"{p99:.0f}", ratios[1])
    return table

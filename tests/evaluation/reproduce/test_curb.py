# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from surefoot.cli.reproduce_curb import curb_as_json, curb_tables
from surefoot.evaluation.bench.sample import proportion, this_machine
from surefoot.evaluation.reproduce.curb import STEP_HEIGHTS, WALKS, CurbResult, Height, trace_height
from surefoot.viewer.falsification_plot import draw_curb


def test_low_steps_strike_a_curb_that_is_not_there_for_those_who_walk_on_flat_ground() -> None:
    low = trace_height("slower", 0.01, 4, 0)
    assert (low.struck.k, low.cleared.k, low.without_curb.k) == (4, 0, 0)
    assert 0.0 < low.strike_time < 3.0


def test_the_result_is_told_and_drawn(tmp_path: Path) -> None:
    shares = proportion(3, 20), proportion(10, 20), proportion(4, 20), proportion(3, 20)
    heights = tuple(Height(walk, at, *shares, "pitch", 0.4, 0.1, 0.1, proportion(0, 20)) for walk in WALKS for at in STEP_HEIGHTS)
    result = CurbResult("links", this_machine(), 0, 20, 0.02, 0.02, heights)
    plain = curb_as_json(result)
    assert [row["step_height"] for row in plain["source"]] == list(STEP_HEIGHTS)
    assert curb_tables(result)[0].row_count == 8
    draw_curb(result, tmp_path / "new" / "curb.png")
    assert (tmp_path / "new" / "curb.png").stat().st_size > 10_000

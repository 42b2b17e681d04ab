# SPDX-License-Identifier: Apache-2.0
import math
from pathlib import Path

from surefoot.cli.reproduce_gait_period import gait_period_as_json, gait_period_tables
from surefoot.evaluation.bench.sample import proportion, this_machine
from surefoot.evaluation.reproduce.gait_period import PERIODS, Period, PeriodResult, threshold_of, trace_period
from surefoot.viewer.falsification_plot import draw_gait_period


def period(seconds: float, fell: int) -> Period:
    return Period(0.2, seconds, proportion(fell, 4), (20.0,) * 4, 20.0, "some fall", proportion(0, 4), 20.0, "")


def test_the_periods_are_those_of_the_source() -> None:
    assert (PERIODS[0], PERIODS[-1], len(PERIODS)) == (0.6, 1.5, 10)


def test_a_short_cycle_is_borne_and_a_long_one_is_not() -> None:
    short, long = (trace_period(0.1, seconds, 4, 3.0, 0) for seconds in (0.6, 1.5))
    assert (short.word, short.fell.k, short.times) == ("all stay up", 0, (3.0,) * 4)
    assert long.word in ("some fall", "all fall")
    assert long.fell.k == sum(0.0 < time < 3.0 for time in long.times)
    assert long.limits.k == 4
    # Who falls broke a requirement of the walk no later.
    assert long.limit_time <= long.mean_time


def test_the_threshold_lies_between_the_last_that_holds_and_the_first_that_does_not() -> None:
    assert threshold_of([period(0.6, 0), period(0.7, 0), period(0.8, 1), period(0.9, 0)]) == (0.7, 0.8)
    nothing_holds = threshold_of([period(0.6, 2)])
    assert math.isnan(nothing_holds[0])
    assert nothing_holds[1] == 0.6
    assert math.isnan(threshold_of([period(0.6, 0)])[1])


def test_the_result_is_told_and_drawn(tmp_path: Path) -> None:
    rows = tuple(period(seconds, int(seconds > 0.9)) for seconds in PERIODS)
    result = PeriodResult("links", this_machine(), 0, 4, 20.0, rows, {0.2: threshold_of(rows)}, {0.2: True})
    plain = gait_period_as_json(result)
    assert plain["source"]["threshold"] == (1.0, 1.1)
    assert plain["threshold"] == {0.2: (0.9, 1.0)}
    assert [table.row_count for table in gait_period_tables(result)] == [10, 2]
    draw_gait_period(result, tmp_path / "new" / "gait_period.png")
    assert (tmp_path / "new" / "gait_period.png").stat().st_size > 10_000

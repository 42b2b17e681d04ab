# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.cli.bench_decision import with_graph_table
from surefoot.errors import SurefootError
from surefoot.evaluation.bench.decision_in_graph import _story, measured
from surefoot.evaluation.story import VerdictGiven
from surefoot.teleop.script import Story


def test_ticks_while_a_rehearsal_ran_are_set_beside_the_others(told_run) -> None:
    # Twice slower than the world: 1.7 and 0.4 s of the wall are 0.85 and 0.2 s of the robot.
    told_run.columns["command_latency"][:] = 0.002
    late = told_run.during(10.0, 10.86) | told_run.during(20.0, 20.21)
    told_run.columns["command_latency"][late] = 0.03
    result = measured(told_run.run(), told_run.events, slow_motion=2.0)
    assert (result.verdicts, result.accepted, result.median_s, result.particles_used) == (2, 1, pytest.approx(1.05), 40)
    assert (result.misses, result.misses_without) == (1.0, 0.0)
    assert (result.p99_ms, result.p99_without_ms) == (pytest.approx(30.0), pytest.approx(2.0))
    assert len(with_graph_table(result).rows) == 2


def test_a_tick_without_a_command_is_a_miss_and_ticks_before_the_walk_do_not_count(told_run) -> None:
    latency = told_run.columns["command_latency"]
    latency[:] = 0.002
    latency[told_run.during(0.0, 8.0)] = np.nan
    latency[told_run.during(10.0, 10.425)] = np.nan
    result = measured(told_run.run(), told_run.events, slow_motion=1.0)
    assert result.misses == pytest.approx(0.425 / 2.1, abs=0.01)
    assert result.misses_without == 0.0


def test_nothing_is_compared_without_a_verdict(told_run) -> None:
    told_run.events = [event for event in told_run.events if not isinstance(event, VerdictGiven)]
    with pytest.raises(SurefootError, match="0 verdicts came"):
        measured(told_run.run(), told_run.events, slow_motion=1.0)


def test_the_story_asks_for_one_gait_after_the_other() -> None:
    story = Story.model_validate(_story([10.0, 16.0, 22.0], latency=4.0))
    assert [step.press for step in story.steps][-3:] == [("gait_2",), ("gait_1",), ("gait_2",)]
    assert story.end == 28.0

# SPDX-License-Identifier: Apache-2.0
import math
from dataclasses import replace

import pytest

from surefoot.errors import UnknownNameError
from surefoot.evaluation.bench.gaits import bench_gaits, both, pair, speeds_alone
from surefoot.evaluation.bench.transition import Transition, run_transition
from surefoot.gait.of_robot import gaits_of
from surefoot.robot.model import RobotModel

MADE = Transition("walk", "trot", 0, True, fell=False, vetoed=False, commit_s=1.2)
KEPT = replace(MADE, vetoed=True, commit_s=math.nan)


def test_a_pair_counts_falls_and_vetoes_and_times_only_what_was_made() -> None:
    result = pair([MADE, KEPT, replace(MADE, commit_s=2.0), replace(MADE, fell=True, commit_s=1.0)])
    assert (result.n, result.falls.k, result.vetoed.k) == (4, 1, 1)
    assert result.falls.lower < 0.25 < result.falls.upper
    assert result.commit_s is not None
    assert (result.commit_s.n, result.commit_s.median, result.commit_s.shortest, result.commit_s.longest) == (3, 1.2, 1.0, 2.0)
    assert pair([KEPT]).commit_s is None


def test_changes_are_sorted_by_pair_and_by_whether_they_were_rehearsed() -> None:
    changes = [MADE, KEPT, replace(MADE, traces=False), replace(MADE, gait_from="pace")]
    found = both(changes, "walk", "trot")
    assert (found["on"].n, found["off"].n) == (2, 1)
    assert set(both(changes, "pace", "trot")) == {"on"}
    assert both(changes)["on"].n == 3


def test_each_gait_is_measured_at_a_speed_that_it_allows(hyq: RobotModel) -> None:
    library = gaits_of(hyq)
    slow = library["trot"].model_copy(update={"max_forward_speed": 0.1})
    found = speeds_alone(
        {"stand": library["stand"], "walk": library["walk"], "trot": slow, "pace": library["pace"]}, {"walk": 0.3, "trot": 0.4}
    )
    assert found == {"walk": 0.3, "trot": 0.1, "pace": 0.3}


def test_without_traces_a_change_is_made_at_once_at_a_moment_that_the_seed_chooses() -> None:
    change = run_transition("hyq", "stand", "trot", 0.3, seed=0, traces=False)
    assert (change.fell, change.vetoed, change.commit_s) == (False, False, 0.0)


def test_a_rehearsed_change_is_made_when_it_is_vouched_for() -> None:
    change = run_transition("hyq", "walk", "trot", 0.3, seed=0, traces=True, particles=1)
    assert (change.fell, change.vetoed) == (False, False)
    assert change.commit_s >= 1.0
    assert "traces survive, success probability at least 0.9" in change.reason


def test_an_unknown_gait_is_named_before_anything_runs() -> None:
    with pytest.raises(UnknownNameError, match="unknown gait 'trott'"):
        bench_gaits("hyq", gaits=("stand", "trott"))

# SPDX-License-Identifier: Apache-2.0
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.evaluation.closed_loop import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.robot.model import RobotModel
from surefoot.traces.snapshot import transition_candidates

POINTS = (0.0, 0.25, 0.5, 0.75)


@cache
def walk_of(model: RobotModel) -> Gait:
    return gaits_of(model)["walk"]


@given(time=st.floats(0.0, 1e4), phase=st.floats(0.0, 1.0, exclude_max=True), earliest=st.floats(0.0, 5.0))
def test_each_point_comes_once_in_the_cycle_after_the_earliest(hyq: RobotModel, time: float, phase: float, earliest: float) -> None:
    walk = walk_of(hyq)
    for candidate in transition_candidates(time, phase, walk, POINTS, earliest):
        wait = candidate.switch_time - time
        assert earliest - 1e-9 <= wait <= earliest + walk.period + 1e-9
        off = (phase + wait / walk.period - candidate.transition_point) % 1.0
        assert min(off, 1.0 - off) < 1e-6


def test_points_keep_their_order(hyq: RobotModel) -> None:
    """From phase 0.4 on, with 1 s to go at a period of 0.8 s, the cycle stands at 0.65 when the first change is possible."""
    candidates = transition_candidates(10.0, 0.4, walk_of(hyq), POINTS, 1.0)
    assert [candidate.transition_point for candidate in candidates] == list(POINTS)
    assert [candidate.switch_time for candidate in candidates] == pytest.approx([11.28, 11.48, 11.68, 11.08])
    assert {candidate.blend_time for candidate in candidates} == {0.0}


def test_from_a_stand_every_point_comes_at_once(hyq: RobotModel) -> None:
    candidates = transition_candidates(10.0, 0.4, gaits_of(hyq)["stand"], POINTS, 1.0)
    assert [(candidate.transition_point, candidate.switch_time) for candidate in candidates] == [(point, 11.0) for point in POINTS]

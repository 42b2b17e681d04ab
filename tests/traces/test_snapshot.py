# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.robot.model import RobotModel
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import candidates_of, intermediates_of, transition_candidates

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


THROUGH = DecisionSettings(intermediates=("trot", "nowhere"), intermediate_cycles=3.0, offer_intermediates=("walking_trot", "stand"))


def test_only_gaits_that_walk_and_are_neither_end_of_the_change_may_be_gone_through(hyq: RobotModel) -> None:
    gaits = gaits_of(hyq)
    assert [gait.name for gait in intermediates_of(gaits, THROUGH, "walk", "pace")] == ["trot", "walking_trot"]
    assert [gait.name for gait in intermediates_of(gaits, THROUGH, "walk", "trot", "pace")] == ["pace", "walking_trot"]
    assert intermediates_of(gaits, DecisionSettings(offer_intermediates=()), "walk", "pace") == ()


def test_intermediate_gaits_of_the_settings_are_considered_beside_the_direct_change(hyq: RobotModel, walk) -> None:
    snapshot = replace(walk.asked("pace"), intermediates=intermediates_of(gaits_of(hyq), THROUGH, "walk", "pace"))
    candidates = candidates_of(snapshot, THROUGH)
    assert [candidate.intermediate for candidate in candidates] == [""] * 8 + ["trot"] * 8
    for direct, through in zip(candidates[:8], candidates[8:], strict=True):
        assert (direct.transition_point, direct.switch_time, direct.blend_time) == (
            through.transition_point, through.switch_time, through.blend_time,
        )  # fmt: skip
        assert through.intermediate_time == pytest.approx(direct.blend_time + 3.0 * walk.gaits["trot"].period)
        assert through.change_time == pytest.approx(through.intermediate_time + direct.blend_time)
    assert candidates_of(snapshot, DecisionSettings()) == candidates[:8]


def test_who_asks_for_a_way_through_a_gait_gets_no_other(hyq: RobotModel, walk) -> None:
    snapshot = replace(walk.asked("pace"), intermediates=intermediates_of(gaits_of(hyq), THROUGH, "walk", "pace"))
    assert {candidate.intermediate for candidate in candidates_of(snapshot, THROUGH, "walking_trot")} == {"walking_trot"}


def test_the_manner_of_a_change_is_said_in_words(walk) -> None:
    candidate = walk.candidate()
    assert candidate.manner == ""
    assert replace(candidate, blend_time=0.5).manner == ", blended over 0.50 s"
    through = replace(candidate, blend_time=0.5, intermediate="trot", intermediate_time=1.25)
    assert through.manner == ", through trot for 1.25 s, blended over 0.50 s"

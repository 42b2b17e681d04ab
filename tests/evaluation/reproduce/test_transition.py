# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot.cli.reproduce_transition import transition_as_json, transition_tables
from surefoot.evaluation.bench.sample import proportion, this_machine
from surefoot.evaluation.reproduce.transition import (
    PATHS,
    POINTS,
    Point,
    TransitionResult,
    best_point,
    mirrored_pairs,
    start_of,
    trace_point,
)
from surefoot.viewer.falsification_plot import draw_transition


def point(path: str, at: float, survived: int, deviation: float = 0.01) -> Point:
    shares = proportion(survived, 64), proportion(64 - survived, 64), proportion(0, 64), proportion(min(survived, 4), 4), proportion(0, 64)
    return Point(path, at, *shares, "self collision", 1, 2, 1.5, deviation, deviation, "", "LH foot leaves the ground", 0.0, "")


def test_a_mirrored_path_makes_a_mirrored_start() -> None:
    left, right = (start_of(PATHS[name], 0) for name in ("left", "right"))
    assert abs(right.planner["phase"][0] - left.planner["phase"][0]) == pytest.approx(0.5)
    np.testing.assert_allclose(right.state.base_position, left.state.base_position * (1.0, -1.0, 1.0), atol=1e-6)
    # The abduction of links is positive outwards on both sides.
    exchanged = left.state.joint_position.reshape(4, 3)[[1, 0, 3, 2]]
    np.testing.assert_allclose(right.state.joint_position.reshape(4, 3), exchanged, atol=1e-6)
    assert left.state.pose_covariance[2, 2] > 0.0


def test_a_left_turn_is_survived_at_the_point_that_the_source_chose_and_half_a_cycle_away() -> None:
    early, late = (trace_point("left", at, 8, 0) for at in (0.25, 0.75))
    assert min(early.survived.k, late.survived.k) >= 6
    for one in (early, late):
        assert one.survived.k + one.failed.k + one.unfinished.k == 8
        assert one.fell_left + one.fell_right == one.failed.k
        assert one.strict.k <= one.survived.k


def test_pairs_are_mirrored_and_the_most_certain_point_is_chosen() -> None:
    # What each point of the left path has, the one half a cycle later has on the right path.
    scores = {"left": (50, 21, 38, 53), "right": (44, 53, 50, 21), "straight": (60,) * 4, "straight, other foot first": (60, 60, 20, 60)}
    points = [point(name, at, k) for name, row in scores.items() for at, k in zip(POINTS, row, strict=True)]
    pairs = mirrored_pairs(points)
    assert {(pair.point, pair.mirror_point) for pair in pairs} == {(0.0, 0.5), (0.25, 0.75), (0.5, 0.0), (0.75, 0.25)}
    assert [pair.chance > 0.05 for pair in pairs] == [True, True, True, True, False, True, True, True]
    assert best_point(points[:4]).point == 0.75
    assert best_point([replace(one, survived=proportion(60, 64)) for one in (points[0], point("left", 0.5, 60, 0.001))]).point == 0.5


def test_the_result_is_told_and_drawn(tmp_path: Path) -> None:
    points = tuple(point(name, at, 40) for name in PATHS for at in POINTS)
    result = TransitionResult("links", this_machine(), 0, 64, 4, points, dict.fromkeys(PATHS, 0.75), mirrored_pairs(points), True)
    plain = transition_as_json(result)
    assert [row["survived"] for row in plain["source"]] == [0, 0, 0, 4]
    assert plain["points"][0]["survived"]["k"] == 40
    assert [table.row_count for table in transition_tables(result)] == [16, 16, 8]
    draw_transition(result, tmp_path / "new" / "transition.png")
    assert (tmp_path / "new" / "transition.png").stat().st_size > 10_000

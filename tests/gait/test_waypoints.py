# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.waypoints import WaypointFollower

SQUARE = ((1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0))


def follower() -> WaypointFollower:
    return WaypointFollower(SQUARE, speed=0.4, turn_rate=0.8, near=0.1)


def test_it_walks_straight_to_a_goal_ahead() -> None:
    assert follower().command(np.zeros(3), 0.0) == pytest.approx((0.4, 0.0, 0.0))


def test_it_turns_on_the_spot_towards_a_goal_behind_by_the_shorter_way() -> None:
    forward, left, turn = follower().command(np.array((2.0, -0.1)), 0.0)
    assert (forward, left) == (0.0, 0.0)
    assert turn == pytest.approx(0.8)
    assert follower().command(np.array((2.0, 0.1)), 0.0)[2] == pytest.approx(-0.8)


def test_at_the_end_of_a_way_that_is_walked_once_it_stands() -> None:
    walker = WaypointFollower(SQUARE[:2], speed=0.4, turn_rate=0.8, near=0.1, again=False)
    assert walker.command(np.array((0.95, 0.0)), 0.0)[2] > 0.0
    assert not walker.finished
    assert walker.command(np.array((1.0, 0.95)), 0.0).tolist() == [0.0, 0.0, 0.0]
    assert walker.finished
    assert walker.command(np.zeros(2), 0.0).tolist() == [0.0, 0.0, 0.0]


def test_a_point_that_obeys_goes_round_the_square_and_begins_again() -> None:
    walker, position, yaw, step = follower(), np.array((0.0, 0.0)), 0.0, 0.01
    farthest = 0.0
    for _ in range(3000):
        forward, left, turn = walker.command(position, yaw)
        assert left == 0.0
        position = position + step * forward * np.array((math.cos(yaw), math.sin(yaw)))
        yaw += step * turn
        farthest = max(farthest, float(np.abs(position - 0.5).max()))
    assert walker.reached >= 5
    assert farthest < 0.7


def test_a_robot_that_does_not_know_where_it_is_stands_still() -> None:
    for place, yaw in ((np.array((math.nan, 0.0)), 0.0), (np.zeros(2), math.nan), (np.array((0.0, math.inf)), 0.0)):
        assert (follower().command(place, yaw) == 0.0).all()


@pytest.mark.parametrize(
    ("waypoints", "change", "named"),
    [
        ((), {}, r"\(0,\)"),
        (((1.0, 2.0, 3.0),), {}, r"\(1, 3\)"),
        (((1.0, math.nan),), {}, "finite"),
        (SQUARE, {"speed": 0.0}, "speed"),
        (SQUARE, {"near": -1.0}, "near"),
        (SQUARE, {"turn_rate": math.inf}, "turn_rate"),
    ],
)
def test_what_leads_nowhere_is_refused(waypoints: object, change: dict[str, float], named: str) -> None:
    numbers = {"speed": 0.4, "turn_rate": 0.8, "near": 0.1} | change
    with pytest.raises(ConfigurationError, match=named):
        WaypointFollower(waypoints, **numbers)

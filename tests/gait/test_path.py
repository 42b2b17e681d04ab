# SPDX-License-Identifier: Apache-2.0
"""Along a path, by a robot that does at once what it is told."""

import math

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.path import PathFollower, distance_to_path, figure_eight

EIGHT = figure_eight(2.0, 1.0)
PERIOD = 0.004


def walk(follower: PathFollower, start: tuple[float, float, float], seconds: float) -> np.ndarray:
    """Where it goes, (n, 3): x, y, yaw."""
    x, y, yaw = start
    way = []
    for _ in range(round(seconds / PERIOD)):
        forward, left, turn = follower.command(np.array((x, y)), yaw)
        x += PERIOD * (math.cos(yaw) * forward - math.sin(yaw) * left)
        y += PERIOD * (math.sin(yaw) * forward + math.cos(yaw) * left)
        yaw += PERIOD * turn
        way.append((x, y, yaw))
    return np.array(way)


def test_it_draws_an_eight_and_stays_on_its_branch_where_the_path_crosses_itself() -> None:
    follower = PathFollower(EIGHT, 0.2, 0.1, 0.6)
    way = walk(follower, (0.0, 0.0, math.pi / 4), 60.0)
    assert follower.laps >= 1
    assert distance_to_path(EIGHT, way[:, :2]).max() < 0.02
    # Both ends were visited: a robot that took the wrong branch would turn in one loop only.
    assert way[:, 0].max() == pytest.approx(1.0, abs=0.03)
    assert way[:, 0].min() == pytest.approx(-1.0, abs=0.03)


@pytest.mark.parametrize("side_speed", [0.0, 0.1])
def test_it_comes_back_from_beside_the_path(side_speed: float) -> None:
    """Without sideways steps it only goes along; with them it comes onto the path."""
    circle = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0.0, 2.0 * math.pi, 200, endpoint=False)])
    way = walk(PathFollower(circle, 0.2, side_speed, 0.6), (1.2, 0.0, math.pi / 2), 20.0)
    off = distance_to_path(circle, way[-1:, :2])[0]
    assert (off < 0.02) == (side_speed > 0.0)


def test_it_never_asks_for_more_than_it_was_given() -> None:
    follower, random = PathFollower(EIGHT, 0.3, 0.1, 0.4), np.random.default_rng(3)
    for _ in range(2000):
        forward, left, turn = follower.command(random.normal(size=2), random.uniform(-7.0, 7.0))
        assert 0.0 <= forward <= 0.3
        assert abs(left) <= 0.1
        assert abs(turn) <= 0.4
    assert follower.command(np.array((np.nan, 0.0)), 0.0).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("points", "numbers", "words"),
    [
        ([(0.0, 0.0), (1.0, 0.0)], (0.2, 0.0, 0.4), "three rows or more"),
        ([(0.0, 0.0), (1.0, np.inf), (1.0, 1.0)], (0.2, 0.0, 0.4), "finite"),
        ([(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)], (0.2, 0.0, 0.4), "point 2 of the path is the same"),
        (EIGHT, (0.0, 0.0, 0.4), "speed of the path follower is 0.0"),
        (EIGHT, (0.2, -1.0, 0.4), "side_speed"),
        (EIGHT, (0.2, 0.0, math.nan), "turn_rate"),
    ],
)
def test_what_leads_nowhere_is_refused(points: list[tuple[float, float]], numbers: tuple[float, float, float], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        PathFollower(points, *numbers)


def test_the_distance_is_to_the_lines_between_the_points() -> None:
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    assert distance_to_path(square, np.array([(0.5, 0.1), (2.0, 0.5), (-0.3, -0.4), (0.0, 0.5)])) == pytest.approx([0.1, 1.0, 0.5, 0.0])

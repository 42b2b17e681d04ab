# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from surefoot.evaluation.reproduce.tasks import FigureEight, WaypointTrot, distance_from_lines
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.records import PLAN
from surefoot.robot.model import RobotModel


def test_the_waypoint_trot_walks_at_the_speed_of_its_gait(links: RobotModel) -> None:
    task = WaypointTrot.of(gaits_of(links)["waypoint_trot"])
    assert task.gait == "waypoint_trot"
    assert task.follower.command(np.zeros(3), 0.0)[0] == pytest.approx(0.2)


def test_the_eight_closes_is_smooth_and_stays_where_it_began() -> None:
    task, step = FigureEight(), 1e-3
    places, speeds = [], []
    for k in range(round(2.0 * task.period / step) + 1):
        plan = np.zeros(1, PLAN)
        # The planner's own reference may wander after the base.
        plan["base_position"] = (1.0 + 0.1 * (k > 0), 2.0, 0.5)
        task.adapt(plan[0], k * step)
        places.append(plan["base_position"][0].copy())
        speeds.append(plan["base_velocity"][0].copy())
    place, speed = np.array(places), np.array(speeds)
    assert place[0] == pytest.approx((1.0, 2.0, 0.5))
    assert place[-1] == pytest.approx(place[0], abs=1e-9)
    second = place[round(task.period / step) :]
    assert np.ptp(second, axis=0) == pytest.approx((2.0 * task.length, 2.0 * task.width, 0.0), abs=1e-5)
    wrong = np.abs(np.gradient(place[1:], step, axis=0) - speed[1:])[1:-1].max(axis=1)
    # But for the moment at which the fading ends.
    assert np.sort(wrong)[-4] < 1e-4


def test_distances_are_those_from_the_nearest_line_between_waypoints() -> None:
    points = np.array([(0.1, 0.01), (0.35, 0.0), (0.02, -0.1), (0.0, 0.25), (0.125, 0.135)])
    # The lines: from the start to (0.25, 0), to (0, 0.25), to (0, -0.25), to (-0.25, 0) and back to the start.
    np.testing.assert_allclose(distance_from_lines(points), [0.01, 0.1, 0.02, 0.0, 0.01 / np.sqrt(2.0)], atol=1e-12)

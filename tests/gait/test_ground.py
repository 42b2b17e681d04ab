# SPDX-License-Identifier: Apache-2.0
"""The plane that the planner believes in."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.gait.ground import fit_plane


def tilted(rig, roll: float, pitch: float):
    """The rig, set down on a plane through the origin of odom that it stands on squarely."""
    turn = Rotation.from_euler("YX", (pitch, roll))
    rig.state["base_position"] = turn.apply(rig.state["base_position"][0])
    rig.state["base_quaternion"] = turn.as_quat()
    rig.restart()
    return turn.apply((0.0, 0.0, 1.0))


@pytest.mark.parametrize(("roll", "pitch"), [(0.0, 0.0), (0.0, 0.26), (0.0, -0.26), (0.15, -0.1)])
def test_it_begins_with_the_plane_through_the_feet(rig, roll: float, pitch: float) -> None:
    normal = tilted(rig, roll, pitch)
    assert rig.planner["ground_slope"][0] == pytest.approx(-normal[:2] / normal[2], abs=1e-6)
    x, y, _ = rig.state["base_position"][0]
    # The plane goes through the origin, one radius below the centres of the feet.
    assert rig.planner["ground_height"][0] == pytest.approx(-(normal[0] * x + normal[1] * y) / normal[2], abs=2e-3)


def test_the_body_lies_along_the_ground_and_feet_come_down_on_it(rig) -> None:
    normal = tilted(rig, 0.0, -0.2)
    rig.walk(2.0, command=(0.2, 0.0, 0.0))
    assert rig.plan["normal"][0] == pytest.approx(np.tile(normal, (4, 1)), abs=1e-3)
    assert rig.plan["base_roll_pitch_yaw"][0, 1] == pytest.approx(-0.2, abs=0.01)
    assert rig.plan["base_velocity"][0, 2] == pytest.approx(rig.plan["base_velocity"][0, 0] * math.tan(0.2), rel=0.01)
    touchdowns = rig.planner["knot_position"][0, :, 3]
    assert np.ptp(touchdowns[:, 0]) > 0.3
    # Feet in the air have been planned from where the base was when they left.
    assert touchdowns @ normal == pytest.approx(np.full(4, rig.tree["foot_radius"][0]), abs=5e-3)


def test_no_more_slope_is_believed_than_the_settings_allow(rig) -> None:
    rig.settings["slope_limit"] = 0.1
    tilted(rig, 0.0, -0.3)
    assert rig.planner["ground_slope"][0] == pytest.approx((0.1, 0.0), abs=1e-9)


def test_the_plane_of_four_points_is_that_of_least_squares() -> None:
    points, plane = np.random.default_rng(1).normal(size=(4, 3)), np.zeros(5)
    fit_plane(points, np.ones(4), plane)
    middle = points.mean(axis=0)
    expected, *_ = np.linalg.lstsq((points - middle)[:, :2], (points - middle)[:, 2], rcond=None)
    assert plane == pytest.approx((middle[2], *expected, *middle[:2]))


def test_points_on_a_line_say_nothing_of_the_slope() -> None:
    points, plane = np.outer((-1.0, 0.0, 0.5, 2.0), (0.3, 0.1, 0.2)), np.ones(5)
    fit_plane(points, np.ones(4), plane)
    assert plane == pytest.approx((0.375 * 0.2, 0.0, 0.0, 0.375 * 0.3, 0.375 * 0.1))


def test_a_foot_in_the_air_at_the_start_is_no_point_of_the_ground(rig) -> None:
    # The left front leg is drawn up, as after an outage in mid-stride.
    rig.state["joint_position"][0, 0, 2] += 0.4
    rig.state["contact_probability"][0, 0] = 0.0
    rig.restart()
    assert rig.planner["ground_slope"][0] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert rig.planner["ground_height"][0] == pytest.approx(0.0, abs=2e-3)
    rig.tick()
    assert rig.planner["ground_slope"][0] == pytest.approx((0.0, 0.0), abs=1e-9)


def test_two_feet_are_a_height_and_no_slope() -> None:
    points, plane = np.array(((0.0, 0.0, 0.1), (1.0, 1.0, 0.3), (9.0, 9.0, 9.0), (9.0, 0.0, 9.0))), np.ones(5)
    fit_plane(points, np.array((1.0, 1.0, 0.0, 0.0)), plane)
    assert plane == pytest.approx((0.2, 0.0, 0.0, 0.5, 0.5))

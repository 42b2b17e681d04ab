# SPDX-License-Identifier: Apache-2.0
"""The body turned against the heading by its gait; the robot hangs still, so that it is the heading that turns away."""

import math

import numpy as np
import pytest

from surefoot.gait.modes import SWING


def turned(rig, yaw: float, gait: str = "trot") -> None:
    """Take up a gait with a base yaw."""
    rig.change(gait)
    rig.gait["base_yaw"] = yaw


def gap(angle: float, other: float) -> float:
    return abs(math.remainder(angle - other, 2.0 * math.pi))


def test_the_body_comes_to_the_yaw_of_its_gait_at_the_speed_of_tilts(rig) -> None:
    turned(rig, 0.3)
    speed = rig.settings["tilt_speed"][0]
    rig.walk(0.5)
    assert rig.plan["base_twist"][0] == pytest.approx(0.5 * speed, abs=0.005)
    rig.walk(1.0)
    assert rig.plan["base_twist"][0] == pytest.approx(0.3, abs=1e-9)
    # The robot looks where it did; commands count in a heading to its right.
    assert gap(rig.plan["base_roll_pitch_yaw"][0, 2], 0.0) < rig.settings["yaw_leash"][0] + 1e-9
    rig.walk(0.1, command=(0.3, 0.0, 0.0))
    heading = rig.planner["reference_yaw"][0]
    velocity = rig.plan["base_velocity"][0]
    assert math.atan2(velocity[1], velocity[0]) == pytest.approx(heading)
    assert gap(rig.plan["base_roll_pitch_yaw"][0, 2], heading + 0.3) < 1e-9


@pytest.mark.parametrize("yaw", [0.3, -0.8, 2.5])
def test_feet_come_down_under_the_body_wherever_it_looks(rig, yaw: float) -> None:
    turned(rig, yaw)
    rig.walk(abs(yaw) / rig.settings["tilt_speed"][0] + 1.5)
    for leg in range(4):
        rig.walk_until(SWING, leg)
        assert rig.planner["knot_position"][0, leg, 3, :2] == pytest.approx(rig.gait["neutral_foot"][0, leg], abs=1e-9)


def test_it_turns_the_short_way_round(rig) -> None:
    turned(rig, 3.0)
    rig.walk(3.0 / rig.settings["tilt_speed"][0] + 0.1)
    turned(rig, -3.0)
    rig.walk(0.2)
    assert abs(rig.plan["base_twist"][0]) > 3.0
    rig.walk(1.0)
    assert gap(rig.plan["base_twist"][0], -3.0) < 1e-9


def test_feet_that_stand_cannot_follow_so_the_body_stays_until_they_step(rig) -> None:
    turned(rig, 0.3)
    rig.walk(1.5)
    rig.change("stand")
    rig.walk(1.5)
    assert rig.plan["base_twist"][0] == pytest.approx(0.3, abs=1e-9)
    rig.change("trot")
    rig.walk(1.5)
    assert rig.plan["base_twist"][0] == pytest.approx(0.0, abs=1e-9)


def test_a_hand_turns_the_body_beside_its_gait_and_the_feet_stay(rig) -> None:
    turned(rig, 0.3)
    rig.planner["posture"] = (0.0, 0.0, 0.0, -0.1)
    rig.walk(1.5)
    assert rig.plan["base_twist"][0] == pytest.approx(0.2, abs=1e-9)
    rig.walk_until(SWING, 0)
    c, s = math.cos(0.1), math.sin(0.1)
    rest = np.array(((c, -s), (s, c))) @ rig.gait["neutral_foot"][0, 0]
    assert rig.planner["knot_position"][0, 0, 3, :2] == pytest.approx(rest, abs=1e-9)


@pytest.mark.parametrize("yaw", [0.0, 0.5 * math.pi])
def test_the_body_lies_along_the_ground_as_it_looks(rig, yaw: float) -> None:
    """The ground rises along x of odom, where the robot looks; its heading is elsewhere."""
    turned(rig, yaw)
    rig.walk(yaw / rig.settings["tilt_speed"][0] + 0.5)
    # The robot hangs still: a reference that may lead it would look elsewhere than it does.
    rig.settings["ground_time_constant"], rig.settings["yaw_leash"] = 1e9, 0.0
    rig.planner["ground_slope"] = (0.2, 0.0)
    rig.walk(2.0)
    assert rig.plan["base_roll_pitch_yaw"][0, :2] == pytest.approx((0.0, -math.atan(0.2)), abs=1e-6)

# SPDX-License-Identifier: Apache-2.0
"""Where standing feet are held: slowly after them, not at all in the air, never far away."""

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import ClosedLoop, planner_settings
from surefoot.gait.modes import STANCE, SWING
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.servos.settings import BridgeSettings
from surefoot.settings import read_settings
from surefoot.terrain.world import World

LF = 0
KNEE = (0, LF, 2)
ICE = 0.04


def foot_of(rig) -> np.ndarray:
    """Where the foot is: a planner that begins there holds it there, m."""
    before = rig.planner.copy()
    rig.restart()
    foot = rig.planner["hold_position"][0, LF].copy()
    rig.planner[:] = before
    return foot


def moved_off(rig, angle: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """A standing robot whose foot is suddenly elsewhere: where it was, and where it is, m."""
    rig.change("stand")
    rig.walk(0.02)
    before = rig.planner["hold_position"][0, LF].copy()
    rig.state["joint_position"][KNEE] += angle
    return before, foot_of(rig)


def test_a_foot_that_slipped_is_asked_back_and_what_creeps_is_followed(rig) -> None:
    before, foot = moved_off(rig)
    slipped = np.linalg.norm((foot - before)[:2])
    assert slipped > 0.01
    rig.tick()
    held = rig.planner["hold_position"][0, LF]
    # Along the ground; how high it stands is no slip.
    assert np.linalg.norm((held - before)[:2]) == pytest.approx(0.004 * rig.settings["hold_speed"][0], rel=0.05)
    assert held[2] == pytest.approx(foot[2], abs=1e-3)
    assert rig.plan["foot_position"][0, LF] == pytest.approx(held)
    assert rig.plan["foot_velocity"][0, LF] == pytest.approx(0.0)
    rig.walk(slipped / rig.settings["hold_speed"][0] + 0.01)
    assert rig.planner["hold_position"][0, LF] == pytest.approx(foot, abs=1e-9)


def test_a_foot_that_lost_the_ground_is_held_where_it_stood(rig) -> None:
    before, _ = moved_off(rig)
    rig.walk(0.1, off_the_ground=(LF,))
    assert rig.modes[LF] == STANCE
    assert rig.planner["hold_position"][0, LF] == pytest.approx(before, abs=1e-12)


def test_a_foot_that_sinks_into_the_ground_is_not_lifted_again(rig) -> None:
    """It bears load and goes straight down: nothing of that is slip."""
    rig.change("stand")
    rig.walk(0.02)
    rig.state["base_position"] -= (0.0, 0.0, 0.02)
    rig.tick()
    assert rig.planner["hold_position"][0, LF] == pytest.approx(foot_of(rig), abs=1e-12)


@pytest.mark.parametrize("name", ["hyq", "links"])
def test_a_foot_at_the_end_of_its_leash_is_not_taken_for_joints_that_do_not_follow(name: str, request: pytest.FixtureRequest) -> None:
    model: RobotModel = request.getfixturevalue(name)
    bridge = read_settings(BridgeSettings, shared_directory() / "config" / "servo_bridge.yaml")
    stand, leash = model.stand_joint_position, planner_settings().hold_leash * model.description.stand_height
    feet, step = model.feet_in_base(stand), 1e-6
    for leg in range(4):
        moved = [model.feet_in_base(stand + step * np.eye(12)[3 * leg + k])[leg] - feet[leg] for k in range(3)]
        joints_by_foot = np.linalg.inv(np.transpose(moved) / step)
        assert leash * np.linalg.norm(joints_by_foot[:, :2], axis=1).max() < 0.9 * bridge.following_error


def test_no_foot_is_held_further_away_than_the_leash(rig) -> None:
    rig.settings["hold_leash"] = 0.005
    _, foot = moved_off(rig)
    rig.tick()
    assert np.linalg.norm(rig.plan["foot_position"][0, LF] - foot) == pytest.approx(0.005, rel=0.1)
    rig.settings["hold_leash"] = 0.0
    rig.tick()
    assert rig.plan["foot_position"][0, LF] == pytest.approx(foot, abs=1e-12)


def test_a_foot_that_comes_down_is_held_where_it_came_down(rig) -> None:
    rig.walk_until(SWING, LF)
    while rig.modes[LF] == SWING:
        rig.state["joint_position"][KNEE] += 0.001
        rig.walk(0.004)
    assert rig.modes[LF] == STANCE
    assert rig.planner["hold_position"][0, LF] == pytest.approx(foot_of(rig), abs=1e-3)


def test_on_ice_held_feet_get_the_robot_along_and_others_glide_away(hyq: RobotModel) -> None:
    way = {}
    for leash in (0.0, planner_settings().hold_leash):
        loop = ClosedLoop(hyq, 1, World(friction=ICE), friction=ICE, perfect_sensors=True, settings=planner_settings({"hold_leash": leash}))
        loop.run(1.0)
        loop.change_gait("walk")
        loop.run(4.0, (0.2, 0.0, 0.0))
        assert not loop.fallen
        way[leash] = float(loop.course.truth[-1].base_position[0] - loop.course.truth[0].base_position[0])
    commanded = 4.0 * 0.2
    assert way.pop(0.0) < 0.6 * commanded
    assert way.popitem()[1] > 0.85 * commanded

# SPDX-License-Identifier: Apache-2.0
"""Each requirement of the library ends a trace when it should, and its sign says the same as its verdict."""

import os

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surefoot.gait.modes import GROUND_NOT_FOUND
from surefoot.locomotion.compiled.records import FAILED, RELAXED
from surefoot.traces.outcome import DIVERGED, IMPOSSIBLE_START
from surefoot.traces.requirements.built_in import BUILT_IN
from surefoot.traces.requirements.plugins import spoken
from surefoot.traces.requirements.settings import RequirementSettings

CURB = (0.5, 0.6, 0.03)
"""As of the stage: x from, x to, height, m."""
CASES = int(os.environ.get("SUREFOOT_RANDOM_CASES", "3000"))


def lean(stage, *angles: float) -> None:
    stage.qpos[0, 3:7] = Rotation.from_euler("xyz", (*angles, 0.0)).as_quat()[[3, 0, 1, 2]]
    stage.plan["foot_position"] = stage.feet


def test_who_stands_violates_nothing(stage) -> None:
    for _ in range(3):
        assert stage.tick() == ""
    assert (stage.judge.witness > 0.0).all()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("name", ["roll", "pitch"])
def test_tilt(stage, name: str, sign: float) -> None:
    stage.qpos[0, 2] += 1.0
    for angle, expected in ((0.59, ""), (0.61, name)):
        lean(stage, *(sign * angle * np.array((name == "roll", name == "pitch"))))
        assert stage.tick() == expected
        assert stage.witness(name) == pytest.approx(1.0 - angle / 0.6)


def test_height_is_counted_in_stand_heights_above_the_ground(stage) -> None:
    stage.asked(RequirementSettings(requirements={"base_height": None}, objectives={}, deepest_start=1.0))
    for height, expected in ((0.61, ""), (0.59, "base height")):
        stage.qpos[0, 2] = height * stage.model.description.stand_height
        assert stage.tick() == expected
        assert stage.witness("base_height") == pytest.approx(height / 0.6 - 1.0)
    ground = stage.simulation.geom("ground_0").id
    stage.simulation.geom_sameframe[ground], stage.simulation.geom_pos[ground, 2] = 0, -0.1
    assert stage.tick() == ""


@pytest.mark.parametrize("joint", range(12))
@pytest.mark.parametrize("stop", ["position_lower", "position_upper"])
def test_every_joint_keeps_to_its_range(stage, joint: int, stop: str) -> None:
    stage.asked(RequirementSettings(requirements={"joint_range": None}, objectives={}, deepest_start=1.0))
    outwards = 1.0 if stop == "position_upper" else -1.0
    for beyond, expected in ((0.04, ""), (0.06, "joint range")):
        stage.qpos[0, 7 + joint] = getattr(stage.model, stop)[joint] + outwards * beyond
        assert stage.tick() == expected
        assert stage.witness("joint_range") == pytest.approx(0.05 - beyond)


def test_a_foot_that_is_lost_later_and_a_controller_without_an_answer(stage) -> None:
    stage.control["status"] = RELAXED
    assert stage.tick() == ""
    stage.planner["fault"] = GROUND_NOT_FOUND
    assert stage.tick() == "ground found"
    stage.planner["fault"] = 0
    stage.control["status"] = FAILED
    assert stage.tick() == "controller"


@pytest.mark.parametrize("leg", range(4))
def test_feet_are_planned_within_reach(stage, leg: int) -> None:
    hip = stage.qpos[0, :3] + stage.model.hip_in_base[leg]
    reach = 1.1 * stage.model.description.max_reach
    for part, expected in ((0.99, ""), (1.01, "reach")):
        stage.plan["foot_position"][0, leg] = hip + part * reach * np.array((0.6, 0.0, -0.8))
        assert stage.tick() == expected
        assert stage.witness("reach") == pytest.approx(1.0 - part)


@pytest.mark.parametrize("joint", range(12))
def test_a_servo_is_beyond_its_diamond_for_a_while_at_most(stage, joint: int) -> None:
    stage.tick()
    stage.torque[0, joint] = -0.6 * stage.model.effort_limit[joint]
    stage.speed[0, joint] = 0.5 * stage.model.velocity_limit[joint]
    ticks = round(0.2 * stage.model.description.control.rate)
    assert [stage.tick() for _ in range(ticks - 1)] == [""] * (ticks - 1)
    stage.tick()
    assert stage.tick() == "torque speed"
    stage.speed[:] = 0.0
    assert stage.tick() == ""
    assert stage.witness("torque_speed") == pytest.approx(1.4)


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_the_diamond_is_the_same_in_all_four_quadrants(stage, signs: tuple[int, int]) -> None:
    stage.asked(RequirementSettings(requirements={"torque_speed": {"longest_overload": 0.0}}, objectives={}))
    stage.tick()
    for torque, speed, room in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.4, 0.1), (0.7, 0.5, -0.2)):
        stage.torque[0, 5] = signs[0] * torque * stage.model.effort_limit[5]
        stage.speed[0, 5] = signs[1] * speed * stage.model.velocity_limit[5]
        assert stage.tick() == ("torque speed" if room < 0.0 else "")
        assert stage.witness("torque_speed") == pytest.approx(room)


def test_legs_that_cross(stage) -> None:
    stage.qpos[0, 2] += 1.0
    stage.plan["foot_position"] = stage.feet
    assert stage.tick() == ""
    # Both front legs inwards, so that shin meets shin.
    for angle in np.linspace(0.0, 0.43, 10):
        stage.qpos[0, 7], stage.qpos[0, 10] = angle, angle
        stage.plan["foot_position"] = stage.feet
        told = stage.tick()
        assert (told == "self collision") == (stage.witness("self_collision") < 0.0)
        if told:
            break
    assert told == "self collision"
    assert angle > 0.2


def test_a_body_on_the_ground(stage) -> None:
    stage.asked(RequirementSettings(requirements={"non_foot_contact": None}, objectives={}, deepest_start=1.0))
    lowest = 0.12
    for gap, expected in ((0.001, ""), (-0.001, "non foot contact")):
        # The hips hang below the body; the legs lie flat beside it.
        stage.qpos[0, 2], stage.qpos[0, 7:] = lowest + gap, np.tile((0.0, 1.57, 0.0), 4)
        assert stage.tick() == expected
    assert [link for link in range(17) if stage.judge.marks[0] >> 12 + link & 1] == [1, 5, 9, 13]


def test_a_swinging_foot_that_drags(stage) -> None:
    stage.load[:] = 100.0
    stage.tick()
    # All feet slide as the body is moved; only the swinging one scuffs.
    for leg, expected in ((None, ""), (2, "scuff")):
        if leg is not None:
            stage.swing(leg)
            stage.tick()
        told = ""
        for _ in range(12):
            stage.qpos[0, 0] += 0.006
            stage.plan["foot_position"] = stage.feet
            told = told or stage.tick()
        assert told == expected
    # It was the first millimetre too much that was told.
    assert -0.1 < stage.witness("scuff") < 0.0
    assert stage.judge.marks[0] >> 4 & 15 == 15


def test_a_foot_in_the_air_scuffs_nothing(stage) -> None:
    stage.swing(2)
    for _ in range(20):
        stage.qpos[0, 0] += 0.006
        stage.plan["foot_position"] = stage.feet
        assert stage.tick() == ""
    assert stage.witness("scuff") == 1.0


def test_a_swinging_foot_that_runs_into_the_curb(curb) -> None:
    curb.swing(1)
    foot = curb.feet[1]
    curb.qpos[0, 0] += 0.5 - 0.04 - foot[0]
    told = []
    for _ in range(8):
        curb.plan["foot_position"] = curb.feet
        told.append(curb.tick())
        curb.qpos[0, 0] += 0.005
    # Two centimetres to go to the side of the curb, less than the radius of the foot.
    assert told[:4] == [""] * 4
    assert told[5] == "stub"
    assert curb.judge.marks[0] >> 8 & 15 == 2


def test_a_strike_between_two_ticks_is_seen(curb) -> None:
    """The foot is clear of the curb at both ticks: beside it at the one, above it at the other, and its edge is in the way."""
    curb.asked(RequirementSettings(requirements={"stub": None}, objectives={}))
    curb.swing(1)
    x, _, height = CURB
    told = []
    for place in ((x - 0.025, height - 0.02), (x, height + 0.023), (x - 0.025, height + 0.05)):
        curb.qpos[0, [0, 2]] += np.array(place) - curb.feet[1][[0, 2]]
        told.append(curb.tick())
    assert told == ["", "stub", ""]


def test_a_foot_that_steps_onto_the_curb_does_not_stub(curb) -> None:
    curb.swing(1)
    radius = curb.model.description.foot_radius
    curb.qpos[0, :3] += np.array((0.55, curb.feet[1][1], 0.03 + radius + 0.01)) - curb.feet[1]
    for _ in range(6):
        curb.plan["foot_position"] = curb.feet
        assert curb.tick() == ""
        curb.qpos[0, 2] -= 0.002
    assert curb.witness("stub") > 0.0


@pytest.mark.parametrize("field", ["qpos", "qvel"])
def test_what_is_not_a_number_has_diverged(stage, field: str) -> None:
    for place in range(getattr(stage, field).shape[1]):
        before = getattr(stage, field)[0, place]
        for broken in (np.nan, np.inf, -np.inf):
            getattr(stage, field)[0, place] = broken
            view = stage.view()._replace(geom_position=np.zeros((1, stage.simulation.ngeom, 3)))
            assert stage.judge.tick(view, np.ones(1, np.bool_), np.ones(1, np.bool_)) == [(0, DIVERGED)]
        getattr(stage, field)[0, place] = before
    assert stage.judge.tick(stage.view(), np.zeros(1, np.bool_), np.ones(1, np.bool_)) == [(0, DIVERGED)]


def test_a_start_that_no_robot_can_be_in(stage) -> None:
    stage.asked(RequirementSettings(requirements={}, objectives={}))
    stage.qpos[0, 2] -= 0.11 * stage.model.description.stand_height
    assert stage.tick() == IMPOSSIBLE_START
    stage.judge.start()
    stage.qpos[0, 2] += 0.03 * stage.model.description.stand_height
    assert stage.tick() == ""
    stage.judge.start()
    stage.planner["fault"] = GROUND_NOT_FOUND
    assert stage.tick() == IMPOSSIBLE_START


def test_both_forms_say_the_same_over_many_poses(stage) -> None:
    """A trace ends by the first requirement whose witness is negative, and only then."""
    random = np.random.default_rng(0)
    names = [spoken(name) for name in BUILT_IN]
    seen, judged = set(), 0
    stage.asked(RequirementSettings(objectives={}, deepest_start=1.0))
    for case in range(CASES):
        stage.judge.start()
        size = random.choice((0.1, 0.5, 1.0))
        stage.qpos[0, :3] = (0.0, 0.0, stage.model.description.stand_height) + 0.3 * size * random.normal(size=3)
        lean(stage, *(0.5 * size * random.normal(size=2)))
        stage.qpos[0, 7:] = stage.model.stand_joint_position + size * random.normal(size=12)
        stage.plan["foot_position"] = stage.feet + 0.3 * size * random.normal(size=(4, 3))
        stage.planner["fault"], stage.control["status"] = 0, random.choice((0, RELAXED, FAILED), p=(0.5, 0.4, 0.1))
        told = stage.tick()
        if told == IMPOSSIBLE_START:
            continue
        judged += 1
        negative = [name for name, value in zip(names, stage.judge.witness[0], strict=True) if not value >= 0.0]
        assert told == (negative[0] if negative else ""), case
        seen |= set(negative)
    assert judged > CASES // 2
    assert seen >= {"roll", "pitch", "base height", "joint range", "controller", "reach", "self collision", "non foot contact"}

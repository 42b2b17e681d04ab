# SPDX-License-Identifier: Apache-2.0
"""The policy for one robot, and that it is the policy of a batch."""

import math
from dataclasses import replace

import numpy as np
import pytest

from surefoot.gait.modes import STANCE
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import GAIT, gait_record
from surefoot.gait.records import PLAN
from surefoot.gait.settings import PlannerSettings
from surefoot.gait.timing import in_planned_stance
from surefoot.locomotion.compiled import policy
from surefoot.locomotion.compiled.records import CONTROL, FAILED, SOLVED, gains_record
from surefoot.locomotion.compiled.rigid_body import TERMS
from surefoot.locomotion.policy import Controlling, Planning, ScheduledChange, state_record
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.robot.tree import leg_tree

COMMAND = np.array((0.2, 0.0, 0.0))


@pytest.fixture
def planning(hyq: RobotModel) -> Planning:
    planning = Planning(hyq, gaits_of(hyq), PlannerSettings())
    planning.start(hyq.neutral())
    return planning


def later(state: RobotState, ticks: int) -> RobotState:
    return replace(state, time=state.time + 0.004 * ticks)


def run(planning: Planning, state: RobotState, ticks: int) -> list[int]:
    """Ticks at which the gait changed."""
    return [tick for tick in range(ticks) if planning.tick(later(state, tick), COMMAND, 0.5)]


def test_a_state_becomes_the_record_of_the_compiled_law(hyq: RobotModel) -> None:
    random = np.random.default_rng(2)
    state = replace(
        hyq.neutral(), time=3.0, base_position=random.normal(size=3), base_linear_velocity=random.normal(size=3),
        base_angular_velocity=random.normal(size=3), joint_velocity=random.normal(size=12), contact_probability=random.random(4),
    )  # fmt: skip
    record = state_record(state)[0]
    assert record["time"] == 3.0
    for field, name in (
        ("base_position", "base_position"), ("base_quaternion", "base_quaternion"), ("base_velocity", "base_linear_velocity"),
        ("base_rate", "base_angular_velocity"), ("joint_position", "joint_position"), ("joint_velocity", "joint_velocity"),
        ("contact_probability", "contact_probability"),
    ):  # fmt: skip
        assert np.array_equal(record[field].ravel(), getattr(state, name)), field


def test_it_begins_to_stand_where_it_is(hyq: RobotModel, planning: Planning) -> None:
    run(planning, hyq.neutral(), 5)
    assert planning.gait.name == "stand"
    assert (planning.plan_record["mode"] == STANCE).all()
    assert not planning.plan_record["moving"][0]
    assert planning.plan_record["base_position"][0] == pytest.approx(hyq.neutral().base_position, abs=5e-3)


@pytest.mark.parametrize("phase", [0.0, 0.25, 0.9])
def test_a_scheduled_change_is_made_once_at_its_time_and_phase(hyq: RobotModel, planning: Planning, phase: float) -> None:
    planning.schedule(ScheduledChange(planning.gaits["walk"], 0.1, phase))
    assert run(planning, hyq.neutral(), 25) == []
    assert planning.gait.name == "stand"
    assert planning.tick(later(hyq.neutral(), 25), COMMAND, 0.5)
    assert planning.gait.name == "walk"
    # The cycle of the new gait has gone on for the length of this tick at most.
    assert (planning.phase - phase) % 1.0 <= 0.004 / 0.8 + 1e-9
    assert run(planning, later(hyq.neutral(), 26), 50) == []


def test_a_cancelled_change_is_not_made(hyq: RobotModel, planning: Planning) -> None:
    planning.schedule(ScheduledChange(planning.gaits["walk"], 0.02, 0.0))
    planning.cancel()
    assert run(planning, hyq.neutral(), 50) == []
    assert planning.gait.name == "stand"


def test_a_later_change_takes_the_place_of_an_earlier_one(hyq: RobotModel, planning: Planning) -> None:
    planning.schedule(ScheduledChange(planning.gaits["walk"], 0.02, 0.0))
    planning.schedule(ScheduledChange(planning.gaits["trot"], 0.04, 0.0))
    assert run(planning, hyq.neutral(), 50) == [10]
    assert planning.gait.name == "trot"


def test_a_blended_change_is_made_bit_by_bit(hyq: RobotModel, planning: Planning) -> None:
    walk, trot = planning.gaits["walk"], planning.gaits["trot"]
    planning.schedule(ScheduledChange(walk, 0.0, 0.0))
    run(planning, hyq.neutral(), 100)
    planning.schedule(ScheduledChange(trot, 0.4, 0.3, blend_time=0.8))
    assert run(planning, later(hyq.neutral(), 100), 1) == [0]
    assert (planning.gait.name, planning.blending) == ("trot", True)
    heights = []
    for tick in range(101, 310):
        planning.tick(later(hyq.neutral(), tick), COMMAND, 0.5)
        heights.append(planning.blending)
    assert heights.index(False) == pytest.approx(200, abs=2)
    # In the end its clock is that of the new gait, as if it had run all along.
    assert 0.0 <= planning.phase < 1.0
    planning.schedule(ScheduledChange(walk, later(hyq.neutral(), 310).time, 0.0, blend_time=5.0))
    run(planning, later(hyq.neutral(), 310), 5)
    assert planning.blending


@pytest.mark.parametrize("cycles", [0.0, 1.0])
@pytest.mark.parametrize("asked_at", [0.0, 0.1, 0.3])
def test_from_trot_to_pace_the_timetable_is_that_of_the_pace_within_two_cycles(
    hyq: RobotModel, planning: Planning, cycles: float, asked_at: float
) -> None:  # case 174
    trot, pace = planning.gaits["trot"], planning.gaits["pace"]
    planning.schedule(ScheduledChange(trot, 0.0, 0.0))
    first = round((1.0 + asked_at) / 0.004)
    run(planning, hyq.neutral(), first)
    fading = cycles * pace.period
    planning.schedule(ScheduledChange(pace, later(hyq.neutral(), first).time, 0.25, fading))
    end = first + round(2.0 * pace.period / 0.004)
    run(planning, later(hyq.neutral(), first), end - first)
    assert not planning.blending
    # While it fades in, the period of the cycle goes from one to the other on a straight line.
    faded = fading / (trot.period - pace.period) * math.log(trot.period / pace.period)
    since = 0.25 + faded + (later(hyq.neutral(), end).time - later(hyq.neutral(), first).time - fading) / pace.period
    planning.tick(later(hyq.neutral(), end), COMMAND, 0.5)
    # Its clock has run from the change on, and every foot goes by it.
    assert abs((planning.phase - since + 0.5) % 1.0 - 0.5) <= 0.004 / pace.period + 1e-9
    for tick in range(end + 1, end + round(pace.period / 0.004)):
        planning.tick(later(hyq.neutral(), tick), COMMAND, 0.5)
        planned = [in_planned_stance(planning.phase, pace.liftoff[leg], pace.duty_factor[leg]) for leg in LEG_NAMES]
        assert planning.plan_record["planned_contact"][0].astype(bool).tolist() == planned


def test_of_a_full_stance_the_plan_says_the_same_things_as_of_a_walk(hyq: RobotModel, planning: Planning) -> None:  # case 168
    run(planning, hyq.neutral(), 5)
    standing = planning.plan_record.copy()
    planning.schedule(ScheduledChange(planning.gaits["walk"], 0.0, 0.0))
    run(planning, later(hyq.neutral(), 5), 5)
    for name in planning.plan_record.dtype.names:
        assert standing[name].shape == planning.plan_record[name].shape, name
        assert np.isfinite(standing[name]).all() or name == "time_to_next_event", name
    assert standing["planned_contact"].all()
    assert (standing["load"] > 0.0).all()


def test_a_stop_ends_a_blend(hyq: RobotModel, planning: Planning) -> None:
    planning.schedule(ScheduledChange(planning.gaits["walk"], 0.0, 0.0, blend_time=2.0))
    run(planning, hyq.neutral(), 100)
    planning.schedule(ScheduledChange(planning.gaits["stand"], 0.4, 0.0))
    assert run(planning, later(hyq.neutral(), 100), 1) == [0]
    assert (planning.gait.name, planning.blending) == ("stand", False)
    assert not planning.plan_record["moving"][0]


def test_the_body_is_carried_as_told_within_its_limits(hyq: RobotModel, planning: Planning) -> None:
    for tick in range(400):
        planning.carry(np.array((0.02, 0.1, -9.0, np.nan)))
        planning.tick(later(hyq.neutral(), tick), np.zeros(3), 0.5)
    gait, plan = planning.gait, planning.plan_record[0]
    limit = PlannerSettings().posture_limit
    ground = planning.planner["ground_height"][0]
    assert plan["base_position"][2] - ground == pytest.approx(gait.base_height + 0.02)
    assert plan["base_roll_pitch_yaw"] == pytest.approx((0.1, -limit[2], 0.0), abs=1e-9)


def test_the_body_twists_against_its_heading_and_the_feet_do_not_follow(hyq: RobotModel, planning: Planning) -> None:
    """The robot does what it is told: its yaw is that of the plan. The heading, and so the reference, stays where it was."""
    heading = 0.0
    for tick in range(300):
        planning.carry(np.array((0.0, 0.0, 0.0, 0.15)))
        yaw = planning.plan_record["base_roll_pitch_yaw"][0, 2] if tick else 0.0
        turned = replace(later(hyq.neutral(), tick), base_quaternion=np.array((0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2))))
        planning.tick(turned, np.zeros(3), 0.5)
        heading = planning.planner["reference_yaw"][0]
    assert planning.plan_record["base_roll_pitch_yaw"][0, 2] == pytest.approx(0.15)
    assert heading == pytest.approx(0.0, abs=1e-6)


def test_starting_again_forgets_everything(hyq: RobotModel, planning: Planning) -> None:
    planning.schedule(ScheduledChange(planning.gaits["walk"], 0.02, 0.0))
    run(planning, hyq.neutral(), 40)
    planning.schedule(ScheduledChange(planning.gaits["trot"], 10.0, 0.0))
    moved = replace(hyq.neutral(), time=1.0, base_position=np.array((3.0, 2.0, 0.6)))
    planning.start(moved)
    assert (planning.gait.name, planning.phase) == ("stand", 0.0)
    assert run(planning, replace(moved, time=11.0), 5) == []
    assert planning.planner["reference_position"][0, :2] == pytest.approx([3.0, 2.0])


def test_of_a_state_that_is_finite_and_absurd_no_plan_is_sound_until_it_starts_again(hyq: RobotModel, planning: Planning) -> None:
    state = hyq.neutral()
    planning.tick(state, np.zeros(3), 0.5)
    assert planning.sound
    planning.tick(replace(state, time=state.time + 0.004, base_quaternion=np.full(4, 1e300)), np.zeros(3), 0.5)
    assert not planning.sound
    planning.start(state)
    planning.tick(state, np.zeros(3), 0.5)
    assert planning.sound


def test_warming_up_leaves_no_trace(hyq: RobotModel) -> None:
    warm, cold = (Planning(hyq, gaits_of(hyq), PlannerSettings()) for _ in range(2))
    warm.warm_up(hyq)
    for planning in (warm, cold):
        planning.start(replace(hyq.neutral(), time=5.0))
        run(planning, replace(hyq.neutral(), time=5.0), 5)
    assert warm.plan_record.tobytes() == cold.plan_record.tobytes()
    assert warm.planner.tobytes() == cold.planner.tobytes()


def test_each_foot_has_the_less_of_what_is_believed_and_what_it_has_shown(hyq: RobotModel, planning: Planning) -> None:
    shown = np.array((np.nan, 0.1, 0.9, np.nan))
    planning.tick(replace(later(hyq.neutral(), 1), foot_friction=shown), COMMAND, 0.5)
    assert planning.plan_record["friction"][0].tolist() == [0.5, 0.1, 0.5, 0.5]
    planning.tick(replace(later(hyq.neutral(), 2), foot_friction=shown), COMMAND, np.array((0.3, 0.3, 0.6, 0.7)))
    assert planning.plan_record["friction"][0].tolist() == [0.3, 0.1, 0.6, 0.7]


def test_control_bears_the_weight(hyq: RobotModel, planning: Planning) -> None:
    controlling = Controlling(hyq)
    controlling.warm_up(hyq)
    run(planning, hyq.neutral(), 50)
    control = controlling.tick(planning.plan_record, later(hyq.neutral(), 50))[0]
    assert control["status"] == SOLVED
    assert control["force"].sum(axis=0)[2] == pytest.approx(hyq.total_mass * 9.81, rel=0.05)
    assert (np.abs(control["effort"].ravel()) <= hyq.effort_limit).all()


@pytest.mark.parametrize("field", ["base_position", "base_angular_velocity", "joint_position", "joint_velocity"])
def test_control_refuses_what_is_not_a_number(hyq: RobotModel, planning: Planning, field: str) -> None:
    state = later(hyq.neutral(), 1)
    planning.tick(state, COMMAND, 0.5)
    spoiled = getattr(state, field).copy()
    spoiled[1] = np.nan
    assert Controlling(hyq).tick(planning.plan_record, replace(state, **{field: spoiled}))["status"][0] == FAILED


@pytest.mark.parametrize("blend_time", [0.0, 0.2])
def test_one_robot_and_a_batch_are_under_one_law(hyq: RobotModel, planning: Planning, blend_time: float) -> None:
    """Three copies in a batch, the middle one dead: the others are given what a single robot is given, bit by bit."""
    gaits, schedule = np.zeros(3, GAIT), policy.schedule_records(3)
    gaits[0], gaits[1] = gait_record(planning.gaits["stand"])[0], gait_record(planning.gaits["trot"])[0]
    schedule["pending"], schedule["switch_time"], schedule["switch_phase"] = 1, 0.1, 0.25
    schedule["blend_time"] = blend_time
    planner, plans, controls = np.repeat(planning.planner, 3), np.zeros(3, PLAN), np.zeros(3, CONTROL)
    tree, settings, alive = np.array([leg_tree(hyq)]), PlannerSettings().record(hyq.description.stand_height), np.array([True, False, True])
    planning.schedule(ScheduledChange(planning.gaits["trot"], 0.1, 0.25, blend_time))
    controlling = Controlling(hyq)
    for tick in range(120):
        state = later(hyq.neutral(), tick)
        planning.tick(state, COMMAND, 0.5)
        alone = controlling.tick(planning.plan_record, state)
        states = np.repeat(state_record(state), 3)
        policy.plan(tree, settings, gaits, schedule, planner, states, COMMAND, np.full(4, 0.5), plans, alive)
        policy.control(tree, gains_record(hyq.description), plans, states, 0.004, np.zeros(1, TERMS), controls, alive)
        for i in (0, 2):
            assert plans[i].tobytes() == planning.plan_record[0].tobytes()
            assert controls[i].tobytes() == alone[0].tobytes()
    assert planner[0].tobytes() == planning.planner[0].tobytes()
    assert not plans[1]["friction"].any()
    assert schedule["pending"].tolist() == [-1, 1, -1]


@pytest.mark.parametrize("blend_time", [0.0, 0.2])
def test_a_change_through_an_intermediate_gait_is_made_in_two_halves(hyq: RobotModel, planning: Planning, blend_time: float) -> None:
    walk, trot, pace = (planning.gaits[name] for name in ("walk", "trot", "pace"))
    planning.schedule(ScheduledChange(walk, 0.0, 0.0))
    run(planning, hyq.neutral(), 100)
    planning.schedule(ScheduledChange(pace, 0.6, 0.3, blend_time, intermediate=trot, intermediate_time=1.0))
    gaits, phases = [], []
    for tick in range(100, 600):
        changed = planning.tick(later(hyq.neutral(), tick), COMMAND, 0.5)
        phases.append(planning.phase)
        if changed:
            gaits.append((tick, planning.gait.name, planning.changing, planning.blending))
    assert gaits == [(150, "trot", True, blend_time > 0.0), (400, "pace", False, blend_time > 0.0)]
    # The second half comes at whichever phase the cycle has: the feet go on.
    steps = np.diff(phases)[400 - 110 : 400 - 30] % 1.0
    # Where the blend is over its clock goes over to that of the gait alone.
    over = (400 - 100 + round(blend_time / 0.004)) - (400 - 110)
    assert np.delete(steps, range(over - 2, over + 2) if blend_time else []).max() < 0.02


def test_what_is_left_of_a_change_can_be_cancelled_half_way(hyq: RobotModel, planning: Planning) -> None:
    trot, pace = planning.gaits["trot"], planning.gaits["pace"]
    planning.schedule(ScheduledChange(pace, 0.0, 0.0, intermediate=trot, intermediate_time=1.0))
    assert run(planning, hyq.neutral(), 100) == [0]
    planning.cancel()
    assert run(planning, later(hyq.neutral(), 100), 300) == []
    assert (planning.gait.name, planning.changing) == ("trot", False)


def test_the_next_change_while_one_is_half_way_takes_its_place(hyq: RobotModel, planning: Planning) -> None:
    walk, trot, pace = (planning.gaits[name] for name in ("walk", "trot", "pace"))
    planning.schedule(ScheduledChange(pace, 0.0, 0.0, intermediate=trot, intermediate_time=1.0))
    run(planning, hyq.neutral(), 100)
    planning.schedule(ScheduledChange(walk, 0.5, 0.0))
    assert run(planning, later(hyq.neutral(), 100), 300) == [25]
    assert (planning.gait.name, planning.changing) == ("walk", False)

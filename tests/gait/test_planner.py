# SPDX-License-Identifier: Apache-2.0
"""The modes of the feet, one situation at a time."""

import numpy as np
import pytest

from surefoot.gait.modes import FAULT_TEXT, GROUND_FOUND_AGAIN, GROUND_NOT_FOUND, NO_FAULT, REACH, STANCE, SUPPORT, SWING
from surefoot.gait.swing import evaluate_swing
from surefoot.robot.description import LEG_NAMES

LF, RF, LH, RH = range(4)


def test_all_feet_begin_in_stance_where_they_are(rig) -> None:
    rig.walk(0.004)
    assert rig.modes[:2] == [STANCE, STANCE]
    assert rig.planner["anchor"][0] == pytest.approx(rig.tree["stand_foot_in_base"][0] + rig.state["base_position"][0], abs=1e-12)


def test_the_feet_take_their_turns_by_the_timetable(rig) -> None:
    for _ in range(500):
        rig.walk(0.004)
        planned = rig.plan["planned_contact"][0]
        assert [mode == SWING for mode in rig.modes] == [not each for each in planned]
        assert rig.plan["mode"][0].tolist() == rig.modes
        assert (rig.plan["load"][0] > 0.0).tolist() == [mode == STANCE for mode in rig.modes]


def test_a_stand_is_a_plan_like_any_other(rig) -> None:
    shape = rig.plan.dtype
    rig.change("stand")
    rig.walk(2.0)
    assert rig.plan.dtype == shape
    assert rig.modes == [STANCE] * 4
    assert rig.plan["moving"] == 0
    assert np.isfinite(rig.plan["foot_position"]).all()
    assert rig.plan["planned_contact"][0].tolist() == [1] * 4


def _follow(rig, leg: int, time: float, command: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
    """Tick for a time, s, while the body sinks as fast as a foot reaches, so that the foot is where it is asked to be."""
    for _ in range(round(time / 0.004)):
        rig.state["base_position"][0, 2] -= rig.settings["reach_speed"][0] * 0.004
        rig.walk(0.004, (leg,), command)


def test_a_foot_that_finds_no_ground_reaches_down_at_no_command_and_gives_up(rig) -> None:
    rig.walk_until(REACH, LF, off_the_ground=(LF,))
    touchdown, start = rig.planner["knot_position"][0, LF, 3, 2], rig.now
    speed, limit = (float(rig.settings[key][0]) for key in ("reach_speed", "reach_time"))
    _follow(rig, LF, 0.1)
    assert rig.plan["foot_position"][0, LF, 2] == pytest.approx(touchdown - speed * (rig.now - start), abs=1e-9)
    assert rig.plan["foot_velocity"][0, LF, 2] == -speed
    assert rig.planner["fault"][0] == NO_FAULT
    rig.walk(limit + start - rig.now - 0.01, (LF,))
    assert rig.modes[LF] == REACH
    assert rig.planner["fault"][0] == NO_FAULT
    rig.walk(0.02, (LF,))
    assert rig.planner["fault"][0] == GROUND_NOT_FOUND
    assert "without finding ground" in FAULT_TEXT[GROUND_NOT_FOUND]


def test_who_stepped_into_nothing_stops_steps_back_and_goes_on_only_when_asked_anew(rig) -> None:
    ahead = (0.2, 0.0, 0.0)
    rig.walk_until(REACH, LF, off_the_ground=(LF,))
    rig.state["base_position"][0, 2] -= rig.settings["reach_depth"][0] + 0.01
    rig.walk(0.004, (LF,))
    assert rig.planner["fault"][0] == GROUND_NOT_FOUND
    # It does not move, so the place under it is where the foot came from.
    assert rig.modes[LF] == SWING
    rig.walk(2.0, command=ahead)
    assert rig.modes[LF] != REACH
    assert rig.planner["command"][0].tolist() == [0.0, 0.0, 0.0]
    assert rig.planner["fault"][0] == GROUND_FOUND_AGAIN
    rig.walk(0.1)
    assert rig.planner["fault"][0] == NO_FAULT
    rig.walk(1.0, command=ahead)
    assert rig.planner["command"][0, 0] == 0.2


def test_a_reaching_foot_that_is_held_up_does_not_push_the_body_over(rig) -> None:
    rig.walk_until(REACH, LF, off_the_ground=(LF,))
    foot = rig.planner["knot_position"][0, LF, 3, 2]
    rig.walk(0.6, (LF,))
    assert rig.modes[LF] == REACH
    assert foot - rig.plan["foot_position"][0, LF, 2] < rig.settings["reach_lag"][0] + 0.01


def test_a_reaching_foot_that_is_held_up_while_walking_steps_again(rig) -> None:
    ahead = (0.2, 0.0, 0.0)
    rig.walk(1.0, command=ahead)
    rig.walk_until(REACH, LF, (LF,), ahead)
    entered, lag = rig.now, rig.settings["reach_lag"][0]
    rig.walk_until(SWING, LF, (LF,), ahead)
    assert rig.planner["fault"][0] == NO_FAULT
    patience = rig.settings["held_up_time"][0]
    assert patience < rig.now - entered < patience + 3.0 * lag / rig.settings["reach_speed"][0]


def test_a_reaching_foot_that_is_only_slow_is_asked_for_more_and_more(rig) -> None:
    ahead = (0.2, 0.0, 0.0)
    rig.walk_until(REACH, LF, (LF,), ahead)
    foot = rig.planner["knot_position"][0, LF, 3, 2]
    rig.state["base_velocity"][0, 2] = -0.5 * rig.settings["reach_speed"][0]
    rig.walk(3.0 * rig.settings["reach_lag"][0] / rig.settings["reach_speed"][0], (LF,), ahead)
    assert rig.modes[LF] == REACH
    assert foot - rig.plan["foot_position"][0, LF, 2] > 2.0 * rig.settings["reach_lag"][0]


def test_who_steps_again_and_again_and_never_lands_has_found_no_ground(rig) -> None:
    ahead = (0.2, 0.0, 0.0)
    rig.walk_until(REACH, LF, (LF,), ahead)
    entered, limit = rig.now, rig.settings["reach_time"][0]
    for _ in range(1000):
        rig.walk(0.004, (LF,), ahead)
        if rig.planner["fault"][0] != NO_FAULT:
            break
    assert rig.planner["fault"][0] == GROUND_NOT_FOUND
    assert 2.0 * limit < rig.now - entered < 2.0 * limit + 1.0


def test_who_is_told_to_stand_over_a_hole_steps_back_all_the_same(rig) -> None:
    rig.walk_until(REACH, LF, (LF,), (0.2, 0.0, 0.0))
    rig.change("stand")
    rig.walk(2.5 * rig.settings["reach_time"][0], (LF,))
    assert rig.planner["fault"][0] == GROUND_NOT_FOUND
    rig.walk(2.0)
    assert rig.modes == [STANCE] * 4
    assert rig.planner["fault"][0] == NO_FAULT


def test_a_foot_that_reached_too_deep_gives_up_before_its_time(rig) -> None:
    rig.walk_until(REACH, LF, off_the_ground=(LF,))
    rig.state["base_position"][0, 2] -= rig.settings["reach_depth"][0] - 0.01
    rig.walk(0.004, (LF,))
    assert rig.planner["fault"][0] == NO_FAULT
    rig.state["base_position"][0, 2] -= 0.02
    rig.walk(0.004, (LF,))
    assert rig.planner["fault"][0] == GROUND_NOT_FOUND


def test_a_reaching_foot_that_finds_ground_walks_on(rig) -> None:
    rig.walk_until(REACH, LF, off_the_ground=(LF,))
    rig.walk(0.05, (LF,))
    rig.walk(0.004)
    assert rig.modes[LF] == STANCE
    assert rig.planner["fault"][0] == NO_FAULT
    rig.walk_until(SWING, LF)


def test_one_foot_off_the_ground_keeps_the_others_in_support(rig) -> None:
    rig.walk_until(REACH, LF, off_the_ground=(LF,))
    supported, since = set(), {}
    while rig.now < rig.planner["mode_since"][0, LF] + rig.settings["reach_time"][0] - 0.01:
        rig.walk(0.004, (LF,))
        assert SWING not in rig.modes
        for leg in (RF, LH, RH):
            if rig.modes[leg] == SUPPORT:
                supported.add(LEG_NAMES[leg])
                # The time of support is that of the entry, however long it lasts.
                assert since.setdefault(leg, rig.planner["mode_since"][0, leg]) == rig.planner["mode_since"][0, leg]
                assert rig.plan["load"][0, leg] == 1.0
            else:
                since.pop(leg, None)
    assert supported == {"RF", "LH", "RH"}


def test_a_late_foot_shortens_the_next_swing_so_that_it_lands_on_time(rig) -> None:
    rig.walk_until(REACH, LH, off_the_ground=(LH,))
    assert rig.modes[LF] == SUPPORT
    rig.walk(0.06, (LH,))
    rig.walk(0.004)
    assert rig.modes[LF] == SWING
    touchdown = rig.planner["knot_time"][0, LF, 3]
    assert touchdown - rig.now == pytest.approx(0.25 - 0.064, abs=0.005)
    assert touchdown == pytest.approx(0.5, abs=1e-9)


def test_a_swing_that_would_be_too_short_is_left_out(rig) -> None:
    rig.walk_until(REACH, LH, off_the_ground=(LH,))
    while rig.modes[LF] == SUPPORT:
        rig.walk(0.004, (LH,))
    assert rig.modes[LF] == STANCE
    assert 0.5 - rig.now < rig.settings["minimum_swing_time"][0]
    rig.walk(0.3)
    assert rig.modes[LF] == STANCE
    rig.walk_until(SWING, LF)
    assert rig.planner["knot_time"][0, LF, 3] == pytest.approx(1.5, abs=1e-9)


def test_overreach_forces_a_swing_in_stance(rig) -> None:
    rig.change("trot", 0.1)
    rig.walk(0.02)
    assert rig.modes == [STANCE] * 4
    rig.tree["max_reach"] = 0.5
    rig.walk(0.004)
    # All four are too long, but they go one at a time.
    assert rig.modes == [SWING, STANCE, STANCE, STANCE]
    assert rig.planner["knot_time"][0, LF, 3] - rig.now == pytest.approx(0.2)


def test_overreach_forces_a_swing_out_of_support_though_another_foot_reaches(rig) -> None:
    rig.walk_until(REACH, LH, off_the_ground=(LH,))
    assert rig.modes[LF] == SUPPORT
    rig.tree["max_reach"] = 0.5
    rig.walk(0.004, (LH,))
    assert rig.modes[LF] == SWING


def test_a_foot_that_looks_where_the_body_has_left_looks_for_ground_under_it(rig) -> None:
    rig.walk_until(REACH, LH, off_the_ground=(LH,))
    left_behind = float(rig.planner["knot_position"][0, LH, 3, 0])
    rig.walk(0.05, (LH,))
    assert rig.modes[LH] == REACH
    rig.state["base_position"][0, 0] += 0.5
    rig.walk(0.004, (LH,))
    assert rig.modes[LH] == SWING
    assert rig.planner["knot_position"][0, LH, 3, 0] == pytest.approx(left_behind + 0.5, abs=0.02)
    assert rig.planner["fault"][0] == NO_FAULT


def test_early_contact_ends_a_swing_late_in_it_and_not_before(rig) -> None:
    rig.walk_until(SWING, LF)
    start, end = rig.planner["mode_since"][0, LF], rig.planner["knot_time"][0, LF, 3]
    landed = None
    while landed is None:
        rig.state["contact_probability"] = 1.0
        rig.tick()
        assert rig.plan["planned_contact"][0, LF] == 0
        if rig.modes[LF] == STANCE:
            landed = (rig.now - start) / (end - start)
    assert landed == pytest.approx(rig.settings["early_contact_from"][0], abs=0.02)
    assert rig.planner["anchor"][0, LF] == pytest.approx(rig.plan["foot_position"][0, LF])
    rig.walk(0.04)
    assert rig.modes[LF] == STANCE


def test_a_stance_foot_that_lost_its_ground_looks_for_it_and_a_light_one_does_not(rig) -> None:
    rig.change("stand")
    patience = float(rig.settings["lost_contact_time"][0])
    rig.walk(patience - 0.02, (RH,))
    rig.walk(0.004)
    rig.walk(patience - 0.02, (RH,))
    assert rig.modes == [STANCE] * 4
    rig.walk(0.05, (RH,))
    assert rig.modes == [STANCE, STANCE, STANCE, REACH]
    rig.walk(0.004)
    assert rig.modes == [STANCE] * 4


def test_a_new_command_moves_the_touchdown_and_not_the_foot(rig) -> None:
    rig.walk_until(SWING, LF)
    moved = 0
    for command in [(0.0, 0.0, 0.0)] * 4 + [(0.5, 0.2, 0.4)] * 50:
        before = [rig.planner[key][0, LF].copy() for key in ("knot_time", "knot_position", "knot_velocity")]
        rig.ideal_contacts()
        rig.tick(command=command)
        if rig.modes[LF] != SWING:
            break
        expected = np.empty((3, 3))
        evaluate_swing(rig.now, *before, expected[0], expected[1], expected[2])
        assert rig.plan["foot_position"][0, LF] == pytest.approx(expected[0], abs=1e-9)
        assert rig.plan["foot_velocity"][0, LF] == pytest.approx(expected[1], abs=1e-6)
        assert rig.planner["knot_time"][0, LF, 3] == before[0][3]
        moved += int(not np.array_equal(rig.planner["knot_position"][0, LF, 3], before[1][3]))
    assert moved > 5


def test_phase_comes_from_time_whatever_the_ticks(rig, hyq, plain_gaits) -> None:
    irregular = type(rig)(hyq, plain_gaits, "walk")
    rig.walk(0.004 * 14 * 20)
    for _ in range(20):
        for dt in [0.004] * 9 + [0.020]:
            irregular.ideal_contacts(dt=dt)
            irregular.tick(dt)
    assert irregular.now == pytest.approx(rig.now, abs=1e-9)
    assert irregular.plan["phase"][0] == pytest.approx(rig.plan["phase"][0], abs=1e-9)
    assert irregular.modes == rig.modes


def test_time_that_stands_still_or_runs_backwards_advances_nothing(rig) -> None:
    rig.walk(0.3, command=(0.3, 0.0, 0.1))
    before = rig.planner.copy()
    for dt in (0.0, -0.1, -5.0):
        rig.tick(dt, command=(0.3, 0.0, 0.1))
        for key in ("time", "phase", "command", "mode", "reference_position", "reference_yaw", "knot_time"):
            assert np.array_equal(rig.planner[key], before[key]), key
    rig.state["time"] = rig.now
    rig.walk(0.004)
    assert rig.now == pytest.approx(before["time"][0] + 0.004)


def test_a_command_is_followed_at_a_bounded_acceleration(rig) -> None:
    limits = rig.settings["acceleration_limit"][0]
    rig.walk(0.2, command=(0.3, -0.2, 0.3))
    assert rig.planner["command"][0] == pytest.approx((0.1, -0.1, 0.2), abs=limits.max() * 0.004)
    rig.walk(2.0, command=(0.3, -0.2, 0.3))
    before = rig.planner["command"][0].copy()
    assert before == pytest.approx((0.3, -0.2, 0.3))
    rig.tick(0.004)
    assert before - rig.planner["command"][0] == pytest.approx(0.004 * limits * (1, -1, 1))


def test_a_command_that_is_no_number_is_no_command(rig) -> None:
    rig.walk(0.5, command=(float("nan"), float("inf"), -float("inf")))
    limits = rig.gait["max_speed"][0]
    assert np.all(rig.planner["command"][0] == 0.0)
    rig.walk(2.0, command=(9.0, -9.0, 9.0))
    assert rig.planner["command"][0] == pytest.approx(limits * (1, -1, 1))


def test_the_plan_says_when_the_next_event_is_due(rig) -> None:
    rig.walk(0.1)
    assert rig.plan["time_to_next_event"][0] == pytest.approx([0.15, 0.65, 0.15, 0.4], abs=1e-9)


def test_a_foot_is_remembered_where_it_stood_and_not_where_it_came_down(rig) -> None:
    rig.change("stand")
    rig.walk(0.02)
    came_down = rig.planner["anchor"][0, LF].copy()
    rig.state["joint_position"][0, LF, 2] += 0.05
    rig.walk(0.02)
    stood = rig.planner["anchor"][0, LF].copy()
    assert np.linalg.norm(stood - came_down) > 0.01
    rig.state["joint_position"][0, LF, 2] += 0.05
    rig.walk(0.02, (LF,))
    assert rig.planner["anchor"][0, LF] == pytest.approx(stood)

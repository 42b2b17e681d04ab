# SPDX-License-Identifier: Apache-2.0
"""A robot that stands without an estimate."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefoot.robot.activity import Activity
from surefoot.servos.attitude import Attitude
from surefoot.servos.estimate import HELD, NO_PLAN, Estimate
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings
from surefoot.servos.unmet import NO_ESTIMATE

GONE: dict[str, Any] = {"attitude": None, "answered": None, "planner_activity": Activity.STANDING}
"""A tick without an estimate: nobody says the attitude, and who would need a state says nothing."""


def standing(rig: Any) -> Any:
    """Under balance control, on its feet; joints carry 60 N m of feed-forward."""
    rig.ready().balance(150, planner_activity=Activity.STANDING)
    for _ in range(150):
        rig.tick(command=rig.command_at(rig.time + rig.TICK, effort=60.0), planner_activity=Activity.STANDING)
    return rig


def gone(rig: Any, duration: float, **inputs: Any) -> Any:
    """What the bridge says after some seconds without an estimate."""
    for _ in range(round(duration / rig.TICK)):
        output = rig.tick(**GONE | inputs)
    return output


def test_it_is_held_where_it_is_with_the_torque_that_it_had(rig: Any) -> None:
    standing(rig)
    place = rig.position.copy()
    carried = rig.torque(rig.outputs[-1].command, place)
    begin = len(rig.outputs)
    for _ in range(round(2.0 / rig.TICK)):
        rig.tick(sample=rig.sample_at(rig.time + rig.TICK, place), **GONE)
    held = rig.outputs[begin:]
    assert {output.mode for output in held} == {Mode.READY}
    for output in held:
        np.testing.assert_allclose(rig.torque(output.command, place), carried, atol=1e-6)
    assert held[-1].command.effort.max() == 0.0, "springs alone, once the hand-over is through"
    assert held[-1].command.stiffness.min() == rig.bridge._servos.posture_stiffness
    assert HELD not in held[11].reason, "not before a gate would trip"
    assert held[-1].reason == held[13].reason
    assert held[-1].reason.startswith(f"pose reached; {HELD} since ")
    assert held[-1].counters["estimates_lost"] == 1
    assert not any(name.startswith("trips") for name in held[-1].counters)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (GONE, "attitude: none for 0.0"),
        (GONE | {"estimate_problem": "the IMU is silent"}, "the IMU is silent"),
        ({"planner_activity": Activity.INACTIVE}, NO_PLAN),
    ],
)
def test_whatever_it_is_that_is_not_known_the_reason_says_it(rig: Any, inputs: dict[str, Any], words: str) -> None:
    standing(rig)
    for _ in range(30):
        output = rig.tick(**inputs)
    assert output.mode == Mode.READY
    assert f": {words}" in output.reason


def test_an_attitude_alone_that_stops_coming_is_enough(rig: Any) -> None:
    standing(rig)
    output = rig.balance(60, attitude=None, planner_activity=Activity.STANDING)
    assert output.mode == Mode.READY
    assert "attitude: none for 0.05" in output.reason
    output = rig.balance(3, planner_activity=Activity.STANDING)
    assert output.reason == "pose reached"


def test_with_a_new_estimate_balance_control_takes_over_without_a_jump(rig: Any) -> None:
    place = standing(rig).position.copy()
    gone(rig, 8.0)
    begin = len(rig.outputs) - 1
    for _ in range(250):
        time = rig.time + rig.TICK
        rig.tick(sample=rig.sample_at(time, place), command=rig.command_at(time, effort=30.0), planner_activity=Activity.STANDING)
    after = rig.outputs[begin:]
    torques = np.array([rig.torque(output.command, place) for output in after])
    assert np.abs(np.diff(torques, axis=0)).max() <= 1.5 * 30.0 * rig.TICK / 0.4 + 1e-6
    assert (after[-1].mode, after[-1].reason) == (Mode.READY, "pose reached")
    np.testing.assert_allclose(torques[-1], 30.0, atol=1e-6)
    assert rig.balance(request=Request.WALK, planner_activity=Activity.STANDING).mode == Mode.WALKING


def test_after_its_time_it_lies_down_and_is_not_dropped(rig: Any) -> None:
    standing(rig)
    output = gone(rig, 10.0)
    assert output.mode == Mode.READY
    output = gone(rig, 0.1)
    assert output.mode == Mode.SITTING_DOWN
    assert output.reason.startswith("estimate lost: attitude: none for 0.052 s; held for 10.0")
    assert output.reason.endswith("limit 10.000 s; the robot lies down")
    while output.mode == Mode.SITTING_DOWN:
        output = gone(rig, rig.TICK)
    assert output.mode == Mode.SITTING
    assert "attitude of the base is not known" in rig.tick(request=Request.STAND, **GONE | {"answered": rig.time + rig.TICK}).refused


def test_one_that_comes_back_has_its_whole_time_again_and_the_controller_its_own(rig: Any) -> None:
    standing(rig)
    gone(rig, 9.0)
    # An estimator that begins says the attitude before it says a state, and only then anybody has a command.
    output = rig.tick(planner_activity=Activity.STANDING, answered=None)
    assert output.mode == Mode.READY
    rig.balance(150, planner_activity=Activity.STANDING)
    assert gone(rig, 9.0).mode == Mode.READY


def test_meanwhile_it_may_be_stopped_and_told_to_sit_and_does_not_walk(make_rig: Any) -> None:
    for request, mode in ((Request.WALK, Mode.READY), (Request.SIT, Mode.SITTING_DOWN), (Request.STOP, Mode.STOPPED)):
        rig = standing(make_rig())
        gone(rig, 1.0)
        output = rig.tick(request=request, **GONE)
        assert output.mode == mode
        assert (NO_ESTIMATE in output.refused) == (request == Request.WALK)
    rig = standing(make_rig())
    gone(rig, 1.0)
    rig.tick(request=Request.SIT, **GONE)
    assert rig.outputs[-1].mode == Mode.SITTING_DOWN
    assert gone(rig, 3.0).mode == Mode.SITTING


def fault_of(rig: Any, **inputs: Any) -> str:
    output = gone(rig, 0.6, **inputs)
    assert output.mode == Mode.FAULT, output.reason
    return str(output.reason)


def test_every_other_gate_is_asked_meanwhile(make_rig: Any) -> None:
    def held() -> Any:
        rig = standing(make_rig())
        gone(rig, 1.0)
        return rig

    rig = held()
    assert fault_of(rig, sample=None).startswith("joint state stale")
    rig = held()
    assert fault_of(rig, attitude=Attitude(0.6, 0.0)).startswith("attitude: roll 0.60 rad")
    rig = held()
    pushed = rig.position.copy()
    pushed[4] += 0.4
    for _ in range(round(0.6 / rig.TICK)):
        output = rig.tick(sample=rig.sample_at(rig.time + rig.TICK, pushed), **GONE)
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("following: RF_HFE")
    rig = held()
    broken = replace(rig.command_at(rig.time + rig.TICK), effort=np.full(12, np.nan))
    assert rig.tick(**GONE | {"command": broken}).reason.startswith("numbers")


@pytest.mark.parametrize("activity", [Activity.MOVING, Activity.HELD, 77])
def test_feet_that_are_not_known_to_stand_are_not_stood_on(rig: Any, activity: int) -> None:
    rig.ready().balance(150, planner_activity=Activity.STANDING)
    rig.balance(planner_activity=activity)
    assert gone(rig, 0.3, planner_activity=activity).mode in (Mode.FAULT, Mode.SITTING_DOWN)


def test_a_planner_that_has_no_state_in_the_middle_of_a_step_does_not_stand(rig: Any) -> None:
    rig.walking()
    rig.balance(50, planner_activity=Activity.MOVING)
    assert rig.balance(request=Request.STAND, planner_activity=Activity.MOVING).mode == Mode.READY
    for _ in range(30):
        output = rig.tick(planner_activity=Activity.INACTIVE)
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("command stale")


def test_a_controller_that_falls_silent_beside_a_good_estimate_is_a_fault_as_before(rig: Any) -> None:
    standing(rig)
    for _ in range(30):
        output = rig.tick(answered=None, planner_activity=Activity.STANDING)
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("command stale")


def test_without_time_for_it_it_is_a_fault_as_well(make_rig: Any) -> None:
    rig = standing(make_rig(estimate_hold=0.0))
    assert gone(rig, 0.3).mode == Mode.FAULT
    assert rig.outputs[-1].reason.startswith("command stale")


def test_before_anything_was_heard_nothing_is_known() -> None:
    estimate = Estimate(BridgeSettings())
    assert estimate.age(3.0) == np.inf
    assert estimate.recent(3.0) is None
    assert (estimate.blind, estimate.words, estimate.over(99.0)) == (False, "", "")


def test_an_attitude_that_comes_out_of_a_queue_is_as_old_as_its_stamp(rig: Any) -> None:
    rig.walking()
    began = rig.time
    for tick in range(200):
        output = rig.balance(attitude_stamp=rig.time - min(0.06, 0.0005 * tick))
    assert output.mode == Mode.WALKING
    for tick in range(60):
        output = rig.balance(attitude_stamp=began + 0.75 + 0.001 * tick)
    assert (output.mode, output.reason[:16]) == (Mode.FAULT, "attitude missing")
    assert "none for 0.15" in output.reason


def test_the_same_word_again_is_no_news(rig: Any) -> None:
    rig.walking()
    began = rig.time
    for _ in range(14):
        output = rig.balance(attitude_stamp=began)
    assert (output.mode, output.reason[:16]) == (Mode.FAULT, "attitude missing")
    assert "the newest word: 0.052 s old, limit 0.050 s" in output.reason


def test_who_does_not_know_is_given_time_and_who_says_nothing_is_not(rig: Any) -> None:
    """An estimator that lost its way finds it within a tenth of a second; one that is silent may be gone for good."""
    rig.walking()
    for _ in range(30):
        output = rig.balance(attitude=None, attitude_stamp=rig.time + rig.TICK, estimate_problem="it does not know")
    assert output.mode == Mode.WALKING
    rig.balance()
    for _ in range(13):
        output = rig.balance(attitude=None)
    assert output.mode == Mode.FAULT


def test_an_attitude_of_the_future_or_from_before_the_last_one_is_none(rig: Any) -> None:
    rig.walking()
    upside_down = Attitude(3.0, 0.0)
    assert rig.balance(attitude=upside_down, attitude_stamp=rig.time + 0.1).mode == Mode.WALKING
    assert rig.balance(attitude=upside_down, attitude_stamp=rig.time - 0.1).mode == Mode.WALKING
    output = rig.balance(attitude=upside_down, attitude_stamp=float("nan"))
    assert (output.mode, output.counters["attitudes_out_of_time"]) == (Mode.WALKING, 3)
    assert rig.balance(attitude=upside_down, attitude_stamp=rig.time).mode == Mode.FAULT


def test_an_attitude_whose_stamp_is_of_another_time_is_not_known(rig: Any) -> None:
    for _ in range(100):
        rig.tick(attitude_stamp=0.0)
    rig.tick(request=Request.ARM, attitude_stamp=0.0)
    refused = rig.tick(request=Request.STAND, attitude_stamp=0.0).refused
    assert refused.endswith("wait for the state estimate (the newest one is 0.408 s old by its stamp)")


def test_without_an_attitude_nobody_stands_up(rig: Any) -> None:
    rig.tick(attitude=None)
    rig.tick(request=Request.ARM, attitude=None)
    refused = rig.tick(request=Request.STAND, attitude=None).refused
    assert refused.endswith("the attitude of the base is not known; wait for the state estimate (none has come)")


def test_an_attitude_that_stops_coming(rig: Any) -> None:  # case 68
    rig.walking()
    modes = [rig.balance(attitude=None).mode for _ in range(13)]
    assert modes == [Mode.WALKING] * 12 + [Mode.FAULT]
    assert rig.outputs[-1].reason.startswith("attitude missing")

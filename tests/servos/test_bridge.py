# SPDX-License-Identifier: Apache-2.0
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from damping import is_damping
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.errors import RobotDescriptionError
from surefoot.robot.model import RobotModel
from surefoot.servos.attitude import Attitude, attitude_of
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.gates import UNDER_TORQUE
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings


def test_nothing_moves_until_armed(rig: Any) -> None:
    for request in (Request.NONE, Request.STAND, Request.WALK, Request.SIT):
        output = rig.tick(command=rig.command_at(rig.time, effort=100.0), request=request)
        assert output.mode == Mode.OFF
        for array in (output.command.effort, output.command.stiffness, output.command.damping):
            assert not array.any()
    assert output.refused == "SIT has no meaning in OFF; accepted now: STOP, ARM"
    output = rig.tick(request=Request.ARM)
    assert output.mode == Mode.DAMPING
    assert is_damping(output)
    assert output.refused == ""


def test_arming_needs_a_fresh_joint_state(rig: Any) -> None:
    assert "no fresh joint state" in rig.tick(sample=None, request=Request.ARM).refused
    nothing = np.full(12, np.nan)
    output = rig.tick(sample=rig.sample_at(rig.time + rig.TICK, nothing), request=Request.ARM)
    assert output.remarks[0].startswith("LF_HAA position is nan")
    assert output.refused.startswith("ARM in OFF: no fresh joint state (LF_HAA position is nan")
    rig.tick()
    for _ in range(13):
        rig.tick(sample=None)
    assert rig.tick(sample=None, request=Request.ARM).mode == Mode.OFF
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


def test_a_whole_day(rig: Any) -> None:
    rig.ready()
    np.testing.assert_allclose(rig.position, rig.STAND, atol=0.26)
    speeds = np.abs(np.diff([output.command.position for output in rig.outputs[2:]], axis=0)) / rig.TICK
    assert speeds.max() <= 3.0 + 1e-6
    assert "no active command yet" in rig.tick(request=Request.WALK).refused
    rig.balance(150)
    assert rig.balance(request=Request.WALK).mode == Mode.WALKING
    assert "accepted now: STOP, STAND" in rig.balance(request=Request.SIT).refused
    assert rig.balance(request=Request.STAND).mode == Mode.READY
    assert "still steps" in rig.balance(request=Request.SIT, planner_activity=2).refused
    assert rig.balance(request=Request.SIT, planner_activity=1).mode == Mode.SITTING_DOWN
    assert is_damping(rig.until(Mode.SITTING))
    np.testing.assert_allclose(rig.position, rig.LIE, atol=0.26)
    assert rig.tick(request=Request.STAND).mode == Mode.STANDING_UP


def test_standing_up_starts_at_the_measured_pose_wherever_it_is(rig: Any) -> None:  # cases 122, 140
    rig.position = rig.LIE - np.tile([0.3, 0.9, -0.5], 4)
    start = rig.position.copy()
    rig.tick()
    rig.tick(request=Request.ARM)
    output = rig.tick(request=Request.STAND)
    assert output.mode == Mode.STANDING_UP
    np.testing.assert_allclose(rig.torque(output.command, start), 0.0, atol=1e-9)
    folded = min(np.abs(rig.tick().command.position - rig.LIE).max() for _ in range(800))
    assert folded < 1e-3
    rig.until(Mode.READY)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"attitude": Attitude(0.4, 0.0)}, "roll 0.40 rad, limit 0.35 rad"),
        ({"attitude": attitude_of([0.0, 0.0, 0.0, 0.0])}, "roll nan rad"),
        ({"position": np.tile([0.0, 1.2, -3.0], 4)}, "outside its limits (LF_KFE at -3.000 rad, limits -2.700 to -0.300; and 3 more)"),
        ({"velocity": 1.0}, "LF_HAA moves at 1.00 rad/s"),
    ],
)
def test_a_pose_that_cannot_stand_is_refused(rig: Any, inputs: dict[str, Any], words: str) -> None:
    rig.tick()
    rig.tick(request=Request.ARM)
    sample = rig.sample_at(rig.time + rig.TICK, inputs.get("position", rig.LIE), inputs.get("velocity", 0.0))
    output = rig.tick(request=Request.STAND, sample=sample, attitude=inputs.get("attitude", Attitude(0.0, 0.0)))
    assert output.mode == Mode.DAMPING
    assert output.refused.startswith("STAND in DAMPING: ")
    assert words in output.refused


def test_a_robot_that_lies_on_stops_which_give_way_is_armed_again_and_led_off_them(rig: Any) -> None:
    rig.walking()
    rig.position = np.tile([0.0, 1.2, -2.85], 4)
    assert rig.tick(request=Request.STOP).mode == Mode.STOPPED
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING
    start = rig.position.copy()
    given = [rig.tick(request=Request.STAND, sample=rig.sample_at(rig.time + rig.TICK, start)).command]
    # What is measured changes in its last digits.
    given += [rig.tick(sample=rig.sample_at(rig.time + rig.TICK, start, 1e-9 * tick)).command for tick in range(50)]
    # Not one jump to where the stop should be, and nothing outwards.
    knees = [rig.torque(command, start)[2::3] for command in given]
    assert np.abs(knees[0]).max() < 1.0
    assert all((torque >= 0.0).all() for torque in knees)
    targets = np.array([start, *(command.position for command in given)])
    speed = rig.bridge._servos.posture_speed
    assert (np.abs(np.diff(targets, axis=0)) <= speed * rig.TICK + 1e-9).all()
    assert (np.abs(targets[1:] - start) <= speed * rig.TICK * np.arange(len(given))[:, np.newaxis] + 1e-9).all()
    assert (np.diff(targets[:, 2::3], axis=0) >= 0.0).all()
    assert (targets[-1, 2::3] > start[2::3]).all()
    assert rig.until(Mode.READY).reason == "pose reached"
    assert (rig.outputs[-1].command.position >= rig.bridge._limits.lower).all()


def test_a_leg_that_is_stuck_is_a_fault_with_its_name(rig: Any) -> None:
    rig.tick()
    rig.tick(request=Request.ARM)
    rig.tick(request=Request.STAND)
    for _ in range(2000):
        stuck = rig.position.copy()
        stuck[5] = rig.LIE[5]
        output = rig.tick(sample=rig.sample_at(rig.time + rig.TICK, stuck))
    assert output.mode == Mode.FAULT
    assert output.reason == "posture: RF_KFE is 1.200 rad off after 3.0 s, limit 0.250 rad"
    assert is_damping(output)


def test_the_hand_over_makes_no_jump_of_torque(rig: Any) -> None:
    rig.ready()
    sagged = rig.STAND - 0.1
    torques = []
    for tick in range(200):
        time = rig.time + rig.TICK
        command = rig.command_at(time, effort=60.0) if tick > 20 else None
        torques.append(rig.torque(rig.tick(sample=rig.sample_at(time, sagged), command=command).command, sagged))
    steps = np.abs(np.diff(torques, axis=0))
    np.testing.assert_allclose(torques[0], 30.0)
    np.testing.assert_allclose(torques[-1], 65.0)
    assert steps.max() <= 1.5 * 35.0 * rig.TICK / 0.4 + 1e-6


def test_sitting_down_takes_over_without_a_jump(rig: Any) -> None:
    rig.ready().balance(150)
    sagged = rig.STAND - 0.1
    before = rig.torque(
        rig.tick(command=rig.command_at(rig.time + rig.TICK, effort=60.0), sample=rig.sample_at(rig.time + rig.TICK, sagged)).command,
        sagged,
    )
    after = rig.torque(rig.tick(request=Request.SIT, sample=rig.sample_at(rig.time + rig.TICK, sagged)).command, sagged)
    assert np.abs(after - before).max() < 1.0


def test_a_controller_that_never_comes_is_a_fault(rig: Any) -> None:
    rig.ready()
    output = rig.until(Mode.FAULT)
    assert output.reason.startswith("take-over: no active command within 5.0 s")
    assert rig.time - output.since < 1e-6


def test_one_lost_command_is_held_and_a_gap_is_latched(rig: Any) -> None:  # cases 102, 130, 146
    rig.walking()
    held = rig.balance().command
    for _ in range(12):
        output = rig.tick()
        assert output.mode == Mode.WALKING
        np.testing.assert_array_equal(output.command.effort, held.effort)
        np.testing.assert_array_equal(output.command.position, held.position)
    output = rig.tick()
    assert output.mode == Mode.FAULT
    assert is_damping(output)
    assert output.reason.startswith("command stale: command: 0.052 s old, limit 0.050 s")
    assert output.counters["ticks_held"] == 12
    assert output.counters["trips_command_stale"] == 1
    for _ in range(50):
        assert is_damping(rig.balance())
    assert "accepted now: STOP, ARM" in rig.balance(request=Request.STAND).refused
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


def test_old_commands_sent_again_do_not_feed_the_watchdog(rig: Any) -> None:
    rig.walking()
    old = rig.command_at(rig.time)
    outputs = [rig.tick(command=old) for _ in range(14)]
    assert outputs[-1].mode == Mode.FAULT
    assert outputs[-1].reason.startswith("command stale")


def test_a_stale_joint_state_is_latched(rig: Any) -> None:
    rig.walking()
    modes = [rig.balance(sample=None).mode for _ in range(13)]
    assert modes == [Mode.WALKING] * 12 + [Mode.FAULT]
    assert rig.outputs[-1].reason.startswith("joint state stale: joint state: 0.052 s old")
    assert rig.balance().mode == Mode.FAULT


def test_a_burst_of_nan_samples_is_a_stale_state(rig: Any) -> None:
    rig.walking()
    nothing = np.full(12, np.nan)
    outputs = [rig.balance(sample=rig.sample_at(rig.time + rig.TICK, nothing)) for _ in range(13)]
    assert outputs[-2].mode == Mode.WALKING
    assert outputs[-1].mode == Mode.FAULT
    assert outputs[-1].counters["samples_refused"] == 13


@pytest.mark.parametrize("key", ["position", "velocity", "effort", "stiffness", "damping"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_trips_at_once_by_name(rig: Any, key: str, value: float) -> None:
    rig.walking()
    wrong = np.zeros(12)
    wrong[10] = value
    output = rig.tick(command=replace(rig.command_at(rig.time + rig.TICK), **{key: wrong}))
    assert output.mode == Mode.FAULT
    assert output.reason == f"numbers: RH_HFE {key} is {value}"
    assert is_damping(output)


@pytest.mark.parametrize(
    ("attitude", "words"),
    [
        (Attitude(0.6, 0.0), "attitude: roll 0.60 rad, limit 0.50 rad"),  # case 136
        (Attitude(0.0, -0.7), "attitude: pitch -0.70 rad, limit 0.50 rad"),
        (attitude_of([0.0, math.sin(math.radians(50)), 0.0, math.cos(math.radians(50))]), "fall: the base is 1.75 rad from up"),  # case 142
        (Attitude(math.nan, 0.0), "attitude: roll nan rad"),
    ],
)
def test_the_tick_that_falls_is_damped_itself_and_the_robot_gets_up_again(rig: Any, attitude: Attitude, words: str) -> None:
    rig.walking()
    output = rig.balance(attitude=attitude)
    assert is_damping(output)
    assert output.reason.startswith(words)
    assert "tilted" in rig.tick(request=Request.ARM, attitude=Attitude(1.2, 0.0)).refused
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING  # case 138
    assert rig.tick(request=Request.STAND).mode == Mode.STANDING_UP
    rig.until(Mode.READY)


def test_stop_is_latched_and_deaf_to_commands(rig: Any) -> None:  # case 140
    rig.walking()
    output = rig.balance(request=Request.STOP)
    assert output.mode == Mode.STOPPED
    assert is_damping(output)
    for request in (Request.NONE, Request.STAND, Request.WALK):
        assert is_damping(rig.balance(request=request))
    assert rig.tick(request=Request.ARM, attitude=Attitude(0.0, 0.4)).mode == Mode.STOPPED
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


def test_an_absent_operator_is_no_fault(rig: Any) -> None:  # case 150
    rig.walking()
    assert rig.balance(500).mode == Mode.WALKING


def test_a_slow_simulation_is_not_late(rig: Any) -> None:  # case 128: only stamps count
    assert rig.walking().balance(10).mode == Mode.WALKING


def test_an_exception_is_damped(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.walking()

    def broken(*_: object) -> None:
        raise ZeroDivisionError("nobody thought of this")

    monkeypatch.setattr(rig.bridge._limiter, "limit", broken)
    output = rig.balance()
    assert output.mode == Mode.FAULT
    assert output.reason == "internal error: ZeroDivisionError: nobody thought of this"
    assert is_damping(output)
    monkeypatch.undo()
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


def test_the_same_inputs_give_the_same_outputs(make_rig: Any) -> None:
    first, second = make_rig().walking(), make_rig().walking()
    for one, other in zip(first.outputs, second.outputs, strict=True):
        assert (one.mode, one.reason, one.remarks, dict(one.counters)) == (other.mode, other.reason, other.remarks, dict(other.counters))
        for key in ("position", "velocity", "effort", "stiffness", "damping"):
            np.testing.assert_array_equal(getattr(one.command, key), getattr(other.command, key))


number = st.one_of(st.floats(-2.0, 2.0), st.floats(), st.sampled_from([math.nan, math.inf, 1e300, -1e12]))


@st.composite
def inputs(draw: st.DrawFn) -> dict[str, Any]:
    """One tick of anything; by half it is good, or nothing would ever get as far as walking."""
    kind = draw(st.sampled_from(["good", "good", "bad sample", "bad command", "bad attitude", "bad time", "nothing"]))
    return {
        "kind": kind,
        "values": [draw(number) for _ in range(6)],
        "place": draw(st.integers(0, 11)),
        "request": draw(st.sampled_from([0, 0, 0, *range(6), 99])),
    }


@settings(max_examples=40, deadline=None)
@given(st.lists(inputs(), max_size=40), st.booleans(), st.booleans())
def test_whatever_comes_in_what_goes_out_is_finite_and_inside(
    make_rig: Any, limits: JointLimits, story: list[Any], walk: bool, rate: bool
) -> None:
    rig = make_rig(effort_rate_limit=3000.0 if rate else None, torque_speed_diamond=rate, blend_time=0.05, takeover_timeout=0.5)
    rig.bridge._servos = rig.bridge._servos.model_copy(update={"posture_speed": 20.0})
    if walk:
        rig.walking(settled=2)
    last, origin = rig.outputs[-1].mode if rig.outputs else Mode.OFF, rig.position.copy()
    for step in story:
        time, kind, values = rig.time + rig.TICK, step["kind"], step["values"]
        sample, command, attitude = rig.sample_at(time, rig.position), rig.command_at(time), Attitude(0.0, 0.0)
        if kind == "bad sample":
            sample.joint_position[step["place"]], sample.joint_velocity[step["place"]] = values[0], values[1]
            sample = replace(sample, time=values[2] if values[3] > 0 else time)
        elif kind == "bad command":
            for key, value in zip(("position", "velocity", "effort", "stiffness", "damping"), values, strict=False):
                getattr(command, key)[step["place"]] = value
            command = replace(command, time=values[5] if values[4] > 0 else time)
        elif kind == "bad attitude":
            attitude = Attitude(values[0], values[1])
        elif kind == "bad time":
            rig.bridge.tick(values[0])
        given_inputs = {} if kind == "nothing" else {"sample": sample, "command": command, "attitude": attitude}
        output = rig.tick(request=step["request"], **given_inputs)
        made = output.command
        for array in (made.position, made.velocity, made.effort, made.stiffness, made.damping):
            assert np.isfinite(array).all()
        assert (np.abs(made.effort) <= limits.effort).all()
        if made.stiffness.any():
            assert rig.inwards(made, origin if last in UNDER_TORQUE else rig.bridge._state.joint_position)
            assert (np.abs(made.velocity) <= limits.velocity).all()
            state = rig.bridge._state
            assert (np.abs(rig.torque(made, state.joint_position, state.joint_velocity)) <= limits.effort * (1.0 + 1e-6)).all()
        if output.mode in (Mode.STOPPED, Mode.FAULT, Mode.DAMPING, Mode.SITTING):
            # A joint that is fast is braked with no more than its effort limit.
            assert is_damping(replace(output, command=replace(made, damping=np.where(made.damping > 0.0, 8.0, 0.0))))
            assert (made.damping <= 8.0).all()
        if last in (Mode.STOPPED, Mode.FAULT):
            assert output.mode in (Mode.STOPPED, Mode.FAULT, Mode.DAMPING)
        assert output.counters.get("exceptions", 0) == 0
        last, origin = output.mode, made.position.copy()


def test_nobody_stands_up_before_the_controller_answers_lately_and_soundly(rig: Any) -> None:
    rig.tick(answered=None)
    assert "; STAND waits: the balance controller does not answer" in rig.tick(answered=None, request=Request.ARM).reason
    assert "the balance controller does not answer" in rig.tick(answered=None, request=Request.STAND).refused
    broken = replace(rig.command_at(rig.time + rig.TICK), effort=np.full(12, np.nan))
    for word in ({"answered": rig.time - 0.05}, {"command": broken}):
        assert rig.tick(request=Request.STAND, **word).mode == Mode.DAMPING, word
    assert rig.tick().reason == "ARM by the operator"
    assert rig.tick(answered=None, request=Request.STAND).mode == Mode.STANDING_UP


def test_a_word_that_comes_late_is_no_news_and_silence_is(rig: Any) -> None:
    rig.tick(request=Request.ARM)
    reasons = [rig.tick(answered=None).reason for _ in range(round(0.6 / rig.TICK))]
    assert reasons[round(0.4 / rig.TICK)] == "ARM by the operator"
    assert "; STAND waits" in reasons[-1]


def test_a_robot_without_damping_to_end_in_has_no_bridge(hyq: RobotModel) -> None:
    servos = hyq.description.servos.model_copy(update={"safe_damping": 0.0})
    with pytest.raises(RobotDescriptionError, match=r"servos.safe_damping of 'hyq' is 0; it must be above 0 N m s/rad"):
        ServoBridge(hyq.description.model_copy(update={"servos": servos}), JointLimits.of(hyq), BridgeSettings())


def test_the_torque_of_damping_stays_inside_the_effort_limit_at_the_measured_speed(rig: Any, limits: JointLimits) -> None:
    rig.walking()
    speed = np.linspace(-60.0, 60.0, 12)
    stopped = rig.tick(request=Request.STOP, sample=rig.sample_at(round(rig.time + rig.TICK, 6), rig.position, speed))
    assert stopped.mode == Mode.STOPPED
    torque = rig.torque(stopped.command, rig.position, speed)
    assert (np.abs(torque) <= limits.effort + 1e-9).all()
    assert (torque * speed < 0.0).all()
    # What was measured long ago lowers nothing.
    rig.time += 1.0
    late = rig.bridge.tick(rig.time)
    np.testing.assert_array_equal(late.command.damping, 8.0)

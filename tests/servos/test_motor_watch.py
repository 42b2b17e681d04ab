# SPDX-License-Identifier: Apache-2.0
"""What servos and joints measure takes the torque away, by name; through the bridge."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefoot.servos.attitude import Attitude
from surefoot.servos.bus import BusHealth
from surefoot.servos.modes import Mode, Request


def beyond(rig: Any, ticks: int, **fields: np.ndarray) -> Any:
    """Some ticks in which the joints measure something else than they do."""
    for _ in range(ticks):
        time = rig.time + rig.TICK
        output = rig.balance(sample=replace(rig.sample_at(time, rig.position), **fields))
        if output.mode == Mode.FAULT:
            return output
    return output


def values(place: int, value: float) -> np.ndarray:
    array = np.zeros(12)
    array[place] = value
    return array


STAND = np.tile([0.0, 0.6, -1.2], 4)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"joint_velocity": values(4, -18.5)}, "velocity: RF_HFE -18.5 rad/s, limit 18, since "),
        ({"joint_effort": values(2, 200.0)}, "torque: LF_KFE 200 N m, limit 180, since "),
        ({"joint_effort": values(3, 100.0), "joint_velocity": values(3, 6.0)}, "power: 600 W, most of it from RF_HAA (600 W), limit 500"),
        ({"joint_position": STAND + values(0, 1.3)}, "position: LF_HAA is at 1.3 rad, allowed are -1.2 to 1.2, since "),
    ],
)
def test_what_lasts_trips_and_what_does_not_passes(make_rig: Any, fields: dict[str, np.ndarray], reason: str) -> None:
    rig = make_rig(max_power=500.0).walking()
    assert beyond(rig, 20, **fields).mode == Mode.WALKING
    assert rig.balance(30).mode == Mode.WALKING
    output = beyond(rig, 40, **fields)
    assert output.mode == Mode.FAULT
    assert output.reason.startswith(reason)


@pytest.mark.parametrize(
    ("health", "reason"),
    [
        (BusHealth(faults=("LF_KFE (id 3): overload",)), "servo fault: LF_KFE (id 3): overload"),
        (BusHealth(temperature=np.where(np.arange(12) == 5, 71.0, np.nan)), "temperature: RF_KFE has 71.0 degrees Celsius, limit 70.0"),
        (BusHealth(voltage=np.where(np.arange(12) == 6, 9.5, 12.0)), "voltage: LH_HAA has 9.50 V, limit 10.00 V"),
    ],
)
def test_what_servos_say_trips_at_once_and_keeps_it_so(make_rig: Any, health: BusHealth, reason: str) -> None:
    rig = make_rig(min_voltage=10.0).walking()
    assert rig.balance(health=BusHealth()).mode == Mode.WALKING
    output = rig.balance(health=health)
    assert (output.mode, output.reason) == (Mode.FAULT, reason)
    assert rig.tick(request=Request.ARM, health=health).refused == f"ARM in FAULT: {reason}"
    assert rig.tick(request=Request.ARM, health=BusHealth()).mode == Mode.DAMPING
    assert rig.tick(request=Request.STAND, health=health).mode == Mode.DAMPING
    assert rig.tick(request=Request.STAND, health=BusHealth()).mode == Mode.STANDING_UP


def test_the_bus_says_why_nothing_comes(rig: Any) -> None:
    rig.walking()
    for _ in range(20):
        output = rig.balance(sample=None, health=BusHealth("LF_KFE (id 3) is silent for 0.020 s"))
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("joint state stale: joint state: 0.05")
    assert output.reason.endswith("LF_KFE (id 3) is silent for 0.020 s")


def test_the_estimator_says_why_there_is_no_attitude(rig: Any) -> None:
    rig.walking()
    for _ in range(52):
        stamp = rig.time + rig.TICK
        output = rig.balance(attitude=None, attitude_stamp=stamp, estimate_problem="the estimator does not know the attitude")
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("estimator invalid: the estimator does not know the attitude; attitude: none for 0.1")


def test_a_walking_robot_stands_when_the_side_of_the_operator_falls_silent(rig: Any) -> None:
    rig.walking()
    rig.balance(300)
    assert rig.outputs[-1].mode == Mode.WALKING, "where it never spoke, its silence means nothing"
    rig.balance(operator=True)
    rig.balance(249)
    assert rig.outputs[-1].mode == Mode.WALKING
    output = rig.balance(3)
    assert output.mode == Mode.READY
    assert output.reason.startswith("operator lost: no word for 1.00")
    rig.balance(500)
    assert rig.outputs[-1].mode == Mode.READY
    assert rig.balance(request=Request.WALK, operator=True).mode == Mode.WALKING


def test_walking_needs_the_servos_often_enough(make_rig: Any) -> None:
    rig = make_rig(least_rate=300.0).ready()
    rig.balance(150)
    assert rig.balance(request=Request.WALK).refused.startswith("WALK in READY: joint states come at 250 Hz, and walking needs 300 Hz")


def test_walking_is_refused_where_a_lost_sample_would_be_a_fault(make_rig: Any) -> None:
    rig = make_rig(stale_after=0.011).ready()
    rig.balance(150)
    refused = rig.balance(request=Request.WALK).refused
    assert refused.startswith("WALK in READY: joint states come at 250 Hz, and walking needs 273 Hz; ")
    assert make_rig(stale_after=0.013).walking()


def test_walking_is_refused_where_commands_come_too_seldom(make_rig: Any) -> None:
    rig = make_rig().ready()
    for tick in range(300):
        rig.balance() if tick % 6 == 0 else rig.tick()
    refused = rig.tick(request=Request.WALK).refused
    assert refused.startswith("WALK in READY: commands of the balance controller come at 42 Hz, and walking needs 60 Hz; ")


@pytest.mark.parametrize("what", ["joint states", "commands"])
def test_a_robot_that_walks_and_is_reached_too_seldom_stands(what: str, make_rig: Any) -> None:
    rig, modes = make_rig().walking(), []
    for tick in range(600):
        new = tick % 6 == 0
        told = {} if new or what == "commands" else {"sample": None}
        modes.append((rig.balance(**told) if new or what == "joint states" else rig.tick(**told)).mode)
    assert modes[50] == Mode.WALKING, "a short while is no rate"
    assert modes[-1] == Mode.READY
    reason = next(output.reason for output in rig.outputs if output.reason.startswith("too slow to walk"))
    assert f"{what}" in reason
    assert "42 Hz" in reason or "come at 5" in reason
    rig.balance(400)
    assert rig.balance(request=Request.WALK).mode == Mode.WALKING


@pytest.mark.parametrize(("between", "moved"), [("hold", 0.0), ("interpolate", 0.008)])
def test_a_slower_controller_is_held_or_moved_on(make_rig: Any, between: str, moved: float) -> None:
    rig = make_rig(between_commands=between).ready()
    rig.balance(150)
    asked = replace(rig.command_at(rig.time + rig.TICK), velocity=np.full(12, 1.0))
    first = rig.tick(command=asked, attitude=Attitude(0.0, 0.0)).command.position
    rig.tick()
    np.testing.assert_allclose(rig.tick().command.position - first, moved, atol=1e-9)


def test_joints_that_do_not_do_what_they_are_told_are_named(rig: Any) -> None:
    rig.walking()
    stuck = rig.position.copy()
    stuck[7] += 0.3
    for _ in range(60):
        output = rig.balance(sample=rig.sample_at(rig.time + rig.TICK, stuck))
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("following: LH_HFE is 0.3 rad from its target, limit 0.25, since ")


def test_a_gate_that_cannot_trip_on_this_robot_is_named(make_rig: Any) -> None:
    rig = make_rig(min_voltage=10.0, max_power=500.0)
    rig.tick()
    torque = "torque (not measured)"
    blind = ("servo fault (no bus of its own)", "voltage (not measured)", "temperature (not measured)", torque, "power (not measured)")
    assert rig.bridge.unwatched == blind
    temperature = np.where(np.arange(12) == 5, np.nan, 40.0)
    rig.tick(health=BusHealth(voltage=np.full(12, 12.0), temperature=temperature))
    assert rig.bridge.unwatched == ("temperature (not measured of RF_KFE)", torque, "power (not measured)")
    rig.tick(sample=replace(rig.sample_at(rig.time + rig.TICK, rig.position), joint_effort=np.zeros(12)))
    assert rig.bridge.unwatched == ("temperature (not measured of RF_KFE)",)
    rig = make_rig()
    rig.tick(health=BusHealth(voltage=np.full(12, 12.0), temperature=np.full(12, 40.0)))
    assert rig.bridge.unwatched == ("voltage (no min_voltage)", torque, "power (no max_power)")


def test_a_knee_that_swings_wildly_takes_the_torque_away(rig: Any) -> None:
    rig.walking()
    for tick in range(250):
        phase = 2.0 * np.pi * 6.0 * tick * rig.TICK
        place, fast, hard = values(2, 0.9 * np.sin(phase)), values(2, 34.0 * np.cos(phase)), values(2, 600.0 * np.sin(phase))
        sample = rig.sample_at(rig.time + rig.TICK, STAND + place, fast)
        output = rig.balance(sample=replace(sample, joint_effort=hard))
    assert output.mode == Mode.FAULT
    assert output.reason.startswith(("position: LF_KFE ", "velocity: LF_KFE ", "torque: LF_KFE ", "following: LF_KFE "))

# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from surefoot.nodes.tick_clock import TickClock
from surefoot.servos.attitude import Attitude
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput

SWING = 0.2
"""rad, at 1 Hz: at most 1.3 rad/s."""


def walk(rig: Any, seconds: float, *, stuck: str = "", effort: float = 5.0) -> BridgeOutput:
    """Have a walking robot swing its joints, while one source says from the first tick on what it said then."""
    measured, tilt, asked, output = rig.position.copy(), Attitude(0.01, 0.0), rig.STAND, rig.outputs[-1]
    for _ in range(round(seconds / rig.TICK)):
        if output.mode != Mode.WALKING:
            break
        now = rig.time + rig.TICK
        wave = SWING * np.sin(2.0 * np.pi * rig.count * rig.TICK)
        rig.count += 1
        asked = asked if stuck == "command" else rig.STAND + wave
        tilt = tilt if stuck == "attitude" else Attitude(0.01 * wave, 0.0)
        measured = measured if stuck == "joint state" else rig.STAND + wave
        command = rig.command_at(now, asked, effort)
        rig.spoken = {"joint state": measured, "attitude": tilt, "command": asked}
        output = rig.tick(command=command, sample=rig.sample_at(now, measured), attitude=tilt)
    return output


@pytest.fixture
def walking(rig: Any) -> Any:
    rig.ready()
    rig.balance(150)
    assert rig.balance(request=Request.WALK).mode == Mode.WALKING
    rig.count = 0
    assert walk(rig, 2.0).mode == Mode.WALKING
    return rig


@pytest.mark.parametrize("stuck", ["joint state", "attitude", "command"])
def test_a_source_that_repeats_itself_while_the_robot_walks_takes_the_torque_away(walking: Any, stuck: str) -> None:
    began = walking.time
    output = walk(walking, 1.0, stuck=stuck)
    assert output.mode == Mode.FAULT
    assert output.reason.startswith(f"frozen: {stuck}: the same to the last digit for 0.0")
    assert "limit 0.050 s, while a " in output.reason
    assert walking.time - began < 0.15
    assert not output.command.stiffness.any()


def test_who_commands_positions_alone_may_mean_to_stay(walking: Any) -> None:
    """Springs that are pushed, and an animation that pauses."""
    assert walk(walking, 0.2, stuck="command", effort=0.0).mode == Mode.WALKING


def test_a_robot_that_stands_still_may_measure_the_same(rig: Any) -> None:
    rig.ready()
    level = Attitude(0.0, 0.0)
    for _ in range(300):
        output = rig.tick(command=rig.command_at(rig.time + rig.TICK, effort=5.0), attitude=level)
    assert output.mode == Mode.READY


def test_the_last_two_joint_states_again_and_again_are_stale(rig: Any) -> None:
    """By the clock of the node: neither is the same as the one before."""
    rig.walking()
    clock, began, wall, output = TickClock(2.0 * rig.TICK, rig.settings.stale_after), rig.time, 0.0, rig.outputs[-1]
    samples = [rig.sample_at(began - late, rig.position + late) for late in (rig.TICK, 0.0)]
    clock.look(began, wall)
    for tick in range(round(1.0 / rig.TICK)):
        wall += rig.TICK
        sample = samples[tick % 2]
        now = clock.look(sample.time, wall)
        output = rig.bridge.tick(now, sample=sample, command=rig.command_at(now), attitude=Attitude(1e-9 * now, 0.0), answered=now)
        if output.mode != Mode.WALKING:
            break
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("joint state stale: joint state: 0.05")
    assert output.counters["samples_late"] >= 5
    assert wall < rig.settings.stale_after + 0.1


def test_joint_states_that_overtake_each_other_now_and_then_stop_nobody(rig: Any) -> None:
    rig.walking()
    clock, begin, count = TickClock(2.0 * rig.TICK, rig.settings.stale_after), rig.time, round(2.0 / rig.TICK)
    order = list(range(1, count))
    for place in range(20, count - 2, 50):
        order[place], order[place + 1] = order[place + 1], order[place]
    for tick, place in enumerate(order):
        sample = rig.sample_at(begin + place * rig.TICK, rig.position)
        now = clock.look(sample.time, tick * rig.TICK)
        output = rig.bridge.tick(now, sample=sample, command=rig.command_at(now), attitude=Attitude(1e-9 * tick, 0.0), answered=now)
        assert output.mode == Mode.WALKING, output.reason
    assert output.counters["samples_late"] == 10


def freeze(rig: Any, mode: Mode, stuck: str) -> BridgeOutput:
    """Have one source repeat, under new stamps, what it says now, while the robot is in that mode."""
    measured, tilt, output = rig.position.copy(), Attitude(0.01, 0.0), rig.outputs[-1]
    while output.mode == mode:
        said = {"joint state": {"sample": rig.sample_at(rig.time + rig.TICK, measured)}, "attitude": {"attitude": tilt}}[stuck]
        output = rig.tick(**said)
    return output


@pytest.mark.parametrize("stuck", ["joint state", "attitude"])
@pytest.mark.parametrize("ticks", [0, 60])
def test_a_source_that_repeats_itself_while_the_robot_rises_takes_the_torque_away(rig: Any, stuck: str, ticks: int) -> None:
    rig.tick()
    rig.tick(request=Request.ARM)
    rig.tick(request=Request.STAND)
    for _ in range(ticks):
        rig.tick()
    began = rig.time
    output = freeze(rig, Mode.STANDING_UP, stuck)
    assert output.mode == Mode.FAULT
    assert output.reason.startswith(f"frozen: {stuck}: the same to the last digit for ")
    assert rig.time - began < 0.5


@pytest.mark.parametrize("stuck", ["joint state", "attitude"])
def test_a_source_that_repeats_itself_while_the_robot_lies_down_takes_the_torque_away(rig: Any, stuck: str) -> None:
    rig.ready()
    rig.balance(20)
    assert rig.balance(request=Request.SIT).mode == Mode.SITTING_DOWN
    output = freeze(rig, Mode.SITTING_DOWN, stuck)
    assert output.reason.startswith(f"frozen: {stuck}: ")


@pytest.mark.parametrize("stuck", ["joint state", "attitude", "command"])
def test_nobody_is_armed_while_the_culprit_still_repeats_itself(walking: Any, stuck: str) -> None:
    walk(walking, 1.0, stuck=stuck)
    last = walking.spoken
    for _ in range(20):
        now = walking.time + walking.TICK
        told = {
            "joint state": {"sample": walking.sample_at(now, last["joint state"])},
            "attitude": {"attitude": last["attitude"]},
            "command": {"command": walking.command_at(now, last["command"], 5.0)},
        }[stuck]
        output = walking.tick(request=Request.ARM, **told)
        assert output.mode == Mode.FAULT
        assert output.refused.startswith(f"ARM in FAULT: frozen: {stuck}: the same to the last digit for ")
    # A balance controller that has nothing to command says so.
    walking.tick()
    assert walking.tick(request=Request.ARM).mode == Mode.DAMPING
    assert walking.tick(request=Request.STAND).mode == Mode.STANDING_UP


def test_a_robot_that_is_held_at_rest_may_measure_the_same(rig: Any) -> None:
    """Nobody takes over, and what the springs of the bridge ask for stays where it is."""
    rig.ready()
    level, measured = Attitude(0.0, 0.0), rig.position.copy()
    for _ in range(1000):
        output = rig.tick(sample=rig.sample_at(rig.time + rig.TICK, measured), attitude=level)
        assert output.mode == Mode.READY


def test_a_base_on_a_stand_without_noise_says_the_same_while_the_legs_move(rig: Any) -> None:
    level = Attitude(0.0, 0.0)
    rig.tick(attitude=level)
    rig.tick(attitude=level, request=Request.ARM)
    output = rig.tick(attitude=level, request=Request.STAND)
    while output.mode == Mode.STANDING_UP:
        output = rig.tick(attitude=level)
    assert output.mode == Mode.READY


def test_targets_that_leap_as_another_takes_over_are_no_witness(rig: Any) -> None:
    """Springs carry a weight by their error, a feed-forward does at none; the joints rest where they are."""
    rig.ready()
    level, measured = Attitude(0.0, 0.0), rig.position.copy()
    for _ in range(50):
        rig.tick(sample=rig.sample_at(rig.time + rig.TICK, measured), attitude=level)
    for _ in range(250):
        now = rig.time + rig.TICK
        told = rig.command_at(now, measured - 0.1, effort=5.0)
        output = rig.tick(sample=rig.sample_at(now, measured), attitude=level, command=told)
        assert output.mode == Mode.READY

# SPDX-License-Identifier: Apache-2.0
"""Servos that are not as they should be are named, until they are."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.emulation.line import EmulatedLine


def test_overload_is_named_by_both_protocols(hand: Any, bus: DynamixelBus, emulated: EmulatedLine) -> None:
    hand.read(bus)
    assert bus.health().faults == ()
    emulated.servo(1).overload()
    emulated.servo(11).overload()
    for _ in range(300):
        bus.read()
        if all("overload" in words for words in bus.health().faults) and len(bus.health().faults) == 2:
            break
    first, second = bus.health().faults
    assert first == "lf_haa_joint (id 1): overload"
    assert second.startswith("rh_hfe_joint (id 11): overload; once its cause is gone, restart it: surefoot servos reboot")
    assert not emulated.servo(11).under_torque


def test_temperature_and_voltage_are_watched_one_servo_at_a_time(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    bus = hand.opened(links, links_settings.model_copy(update={"health_every": 2}), emulated)
    emulated.servo(2).temperature, emulated.servo(2).voltage = 71, 10.5
    assert np.isnan(bus.health().temperature).all()
    for _ in range(2 * 12 + 2):
        bus.read()
    health = bus.health()
    assert (health.temperature[1], health.voltage[1]) == (71.0, pytest.approx(10.5))
    assert np.isfinite(health.temperature).sum() >= 11
    bus.close()


@pytest.fixture
def looking(hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> Iterator[DynamixelBus]:
    """A bus that looks after one servo at every read."""
    made = hand.opened(links, links_settings.model_copy(update={"health_every": 1}), emulated)
    yield made
    made.close()


def faults(hand: Any, bus: DynamixelBus, least: int, writing: JointCommand | None = None) -> tuple[str, ...]:
    """What it says of faults, once it has found as many."""
    for _ in range(40):
        if writing is not None:
            bus.write(writing)
        hand.read(bus)
        if len(bus.health().faults) == least:
            break
    return bus.health().faults


def test_torque_that_should_not_be_is_named_until_it_is_gone(hand: Any, looking: DynamixelBus, emulated: EmulatedLine) -> None:
    emulated.servo(4)._put("torque_enable", 1)
    assert faults(hand, looking, 1) == ("rf_haa_joint (id 4): is still under torque, which was switched off",)
    assert faults(hand, looking, 0, hand.damped()) == ()
    assert not emulated.servo(4).under_torque


def test_a_servo_that_was_restarted_is_named_and_made_ready_under_damping(hand: Any, looking: DynamixelBus, emulated: EmulatedLine) -> None:
    held = hand.command(np.zeros(12))
    for _ in range(4):
        looking.write(held)
    hand.read(looking)
    emulated.servo(11).restart()
    (words,) = faults(hand, looking, 1, held)
    assert words.startswith("rh_hfe_joint (id 11): has lost its torque: it was restarted, or never heard of it; its bus watchdog is off")
    assert not emulated.servo(11).under_torque, "a servo that is held in its place is not told anew: it could jump"
    assert faults(hand, looking, 0, hand.damped()) == ()
    assert hand.memory(emulated, 11, "bus_watchdog") == 5


def tripped(hand: Any, bus: DynamixelBus, line: EmulatedLine, identity: int) -> None:
    for _ in range(4):
        bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    line.servo(identity).watchful = True
    time.sleep(0.15)
    hand.read(bus)
    line.servo(identity).watchful = False
    assert hand.memory(line, identity, "bus_watchdog") == -1


def test_a_bus_watchdog_that_tripped_is_named_and_armed_again_under_damping(
    hand: Any, looking: DynamixelBus, emulated: EmulatedLine
) -> None:
    tripped(hand, looking, emulated, 11)
    held = hand.command(np.zeros(12))
    assert faults(hand, looking, 1, held) == ("rh_hfe_joint (id 11): its bus watchdog tripped: it ignores every goal",)
    assert hand.memory(emulated, 11, "bus_watchdog") == -1
    assert faults(hand, looking, 0, hand.damped()) == ()
    assert hand.memory(emulated, 11, "bus_watchdog") == 5


def test_goals_are_heard_after_a_watchdog_that_nobody_saw(hand: Any, bus: DynamixelBus, emulated: EmulatedLine, links: RobotModel) -> None:
    tripped(hand, bus, emulated, 8)
    before = hand.memory(emulated, 8, "goal_position")
    bus.write(hand.command(links.stand_joint_position))
    hand.read(bus)
    assert hand.memory(emulated, 8, "goal_position") == before
    bus.write(hand.damped())
    bus.write(hand.command(links.stand_joint_position))
    hand.read(bus)
    assert hand.memory(emulated, 8, "goal_position") != before
    assert hand.memory(emulated, 8, "bus_watchdog") == 5

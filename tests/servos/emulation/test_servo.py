# SPDX-License-Identifier: Apache-2.0
"""What makers' servos do and a friendlier emulation would not."""

from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.packets import RANGE_ERROR, REBOOT, Instruction
from surefoot.servos.emulation.servo import EmulatedServo


def made(name: str = "dynamixel_x") -> EmulatedServo:
    return EmulatedServo(read_table(name), 1)


def put(servo: EmulatedServo, name: str, number: int) -> int:
    return servo.write(servo.table.items[name].address, servo.table.bytes_of(name, number))


def test_goals_beyond_its_own_limits_are_refused_and_the_one_before_stays() -> None:
    servo = made()
    assert put(servo, "goal_position", 3000) == 0
    assert put(servo, "goal_position", 5000) == RANGE_ERROR
    assert servo._get("goal_position") == 3000
    assert put(servo, "operating_mode", 0) == 0
    assert put(servo, "goal_current", -1193) == 0
    assert put(servo, "goal_current", -1194) == RANGE_ERROR
    assert servo._get("goal_current") == -1193
    old = made("dynamixel_rx24f")
    assert put(old, "most_position", 600) == 0
    assert put(old, "goal_position", 601) != 0
    assert old._get("goal_position") == 512


def test_a_watchdog_that_trips_refuses_goals_until_it_is_cleared() -> None:
    servo = made()
    servo.watchful = True
    put(servo, "bus_watchdog", 5)
    servo.advance(0.2)
    assert servo._get("bus_watchdog") == 5, "without torque nothing trips"
    put(servo, "torque_enable", 1)
    servo.advance(0.09)
    assert servo._get("bus_watchdog") == 5
    servo.advance(0.11)
    assert servo._get("bus_watchdog") == -1
    assert put(servo, "goal_position", 2100) == RANGE_ERROR
    assert put(servo, "bus_watchdog", 0) == 0
    assert put(servo, "goal_position", 2100) == 0


def test_a_restart_loses_what_is_not_kept_without_power() -> None:
    servo = made()
    put(servo, "return_delay", 3)
    put(servo, "bus_watchdog", 5)
    servo.overload()
    assert servo.answer(Instruction(2, 1, REBOOT, b"", 10)) is not None
    assert put(servo, "torque_enable", 1) == 0
    assert (servo._get("return_delay"), servo._get("bus_watchdog"), servo._get("hardware_error")) == (3, 0, 0)


def test_a_goal_switches_torque_on_where_the_servo_is_of_that_kind() -> None:
    servo = made("dynamixel_rx24f")
    put(servo, "goal_position", 512)
    assert not servo.under_torque
    servo.torque_on_goal = True
    put(servo, "goal_position", 512)
    assert servo.under_torque

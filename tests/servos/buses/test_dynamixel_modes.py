# SPDX-License-Identifier: Apache-2.0
"""What each mode of the servos makes of a command, and servos whose tables differ."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo


@pytest.fixture
def twelve_modern() -> Iterator[EmulatedLine]:
    line = EmulatedLine([EmulatedServo(read_table("dynamixel_x"), identity) for identity in range(1, 13)])
    yield line
    line.close()


def test_current_mode_makes_the_torque_of_the_law(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    bus = hand.opened(links, hand.modern(links, links_settings, "current"), twelve_modern)
    measured = hand.read(bus)
    bus.write(hand.command(measured + 0.1, stiffness=5.0, effort=0.24))
    hand.read(bus)
    assert hand.memory(twelve_modern, 3, "operating_mode") == 0
    assert hand.memory(twelve_modern, 3, "goal_current") == round((0.24 + 0.5) / 0.0048)
    # Here damping is what it says: torque stays on, against the speed.
    time.sleep(0.02)
    sample = bus.read()
    assert sample is not None
    assert sample.joint_velocity[2] > 0.5
    bus.write(JointCommand.damped(0.0, measured, 0.15))
    hand.read(bus)
    assert twelve_modern.servo(3).under_torque
    assert hand.memory(twelve_modern, 3, "goal_current") == round(-0.15 * sample.joint_velocity[2] / 0.0048) < 0
    bus.close()


def test_the_torque_of_a_servo_is_of_its_own_last_answer_or_there_is_none(
    hand: Any,
    links: RobotModel,
    links_settings: DynamixelSettings,
    twelve_modern: EmulatedLine,
    eventually: Callable[[Callable[[], bool]], None],
) -> None:
    now = [0.0]
    settings = hand.modern(links, links_settings, "current").model_copy(update={"port": twelve_modern.name, "stale_after": 0.05})
    bus = DynamixelBus(links, settings, lambda: now[0])
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert not any(servo.under_torque for servo in twelve_modern.servos), "nothing was heard yet"
    bus.write(hand.command(np.zeros(12), stiffness=0.0, effort=0.3))
    time.sleep(0.02)
    assert np.abs(hand.read(bus)).min() > 0.0
    bus._line._port._reply_time = hand.HASTE
    twelve_modern.servo(5).gone = True

    def at_rest() -> bool:
        assert bus.read() is None
        bus.write(hand.damped())
        return hand.memory(twelve_modern, 3, "present_velocity") == hand.memory(twelve_modern, 3, "goal_current") == 0

    eventually(at_rest)
    now[0] = 0.06
    bus.read()
    bus.write(hand.damped())
    bus.read()
    assert twelve_modern.servo(3).under_torque
    now[0] = 1.0
    bus.write(hand.command(np.zeros(12), effort=0.3))
    bus.read()
    assert not any(servo.under_torque for servo in twelve_modern.servos if not servo.gone), "what is known is too old"
    assert hand.memory(twelve_modern, 3, "goal_current") == 0
    bus.close()


def test_a_torque_beyond_the_servos_own_limit_is_cut_to_it(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    twelve_modern.servo(3)._put("current_limit", 50)
    bus = hand.opened(links, hand.modern(links, links_settings, "current"), twelve_modern)
    hand.read(bus)
    for effort in (9.0, -9.0):
        bus.write(hand.command(np.zeros(12), stiffness=0.0, effort=effort))
        hand.read(bus)
        assert hand.memory(twelve_modern, 3, "goal_current") == np.sign(effort) * 50
        assert hand.memory(twelve_modern, 4, "goal_current") == np.sign(effort) * 1193
    bus.close()


def test_current_based_position_mode_bounds_the_torque_and_leads_the_target(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    bus = hand.opened(links, hand.modern(links, links_settings, "current_based_position"), twelve_modern)
    hand.read(bus)
    bus.write(hand.command(np.zeros(12), stiffness=5.0, effort=-0.4))
    hand.read(bus)
    assert hand.memory(twelve_modern, 1, "operating_mode") == 5
    assert hand.memory(twelve_modern, 1, "goal_current") == round((0.4 + 1.0) / 0.0048)
    assert hand.memory(twelve_modern, 1, "goal_position") == 2048 + round(-0.4 / 20.0 / twelve_modern.servo(1).table.radians_per_count)
    bus.close()


def test_tables_that_differ_are_read_in_one_bulk(hand: Any, links: RobotModel, links_settings: DynamixelSettings) -> None:
    moved = read_table("dynamixel_x").model_dump()
    for name in ("present_load", "present_velocity", "present_position", "goal_position"):
        moved["items"][name]["address"] += 50
    table = type(read_table("dynamixel_x")).model_validate(moved)
    line = EmulatedLine([EmulatedServo(table if identity < 7 else read_table("dynamixel_x"), identity) for identity in range(1, 13)])
    bus = hand.opened(links, hand.modern(links, links_settings, "position"), line)
    for place in range(6):
        bus._members.tables[place] = table
        bus._stretches[place] = bus._stretches[place]._replace(start=176)
    heard = line.instructions
    hand.read(bus)
    assert line.instructions - heard <= 2
    bus.write(hand.command(np.full(12, 0.1)))
    hand.read(bus)
    assert {hand.memory(line, identity, "goal_position") for identity in (1, 12)} == {2048 + round(0.1 / table.radians_per_count)}
    bus.close()
    line.close()

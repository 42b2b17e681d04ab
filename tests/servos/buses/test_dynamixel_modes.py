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
        assert hand.memory(twelve_modern, 4, "goal_current") == np.sign(effort) * int(links.effort_limit[3] / 0.0048)
    bus.close()


@pytest.mark.parametrize("mode", ["current", "current_based_position"])
def test_no_current_is_worth_more_than_the_effort_limit_of_the_joint(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine, mode: str
) -> None:
    settings = hand.modern(links, links_settings, mode).model_copy(update={"torque_reserve": 5.0})
    settings.joints[links.joint_names[4]] = settings.joints[links.joint_names[4]].model_copy(update={"gear": 0.5})
    bus = hand.opened(links, settings, twelve_modern)
    # The bridge bounded the torque at the state of its tick; here it is worked out from a newer one, far away.
    measured = hand.read(bus)
    for side in (1.0, -1.0):
        bus.write(hand.command(measured + side, stiffness=500.0, effort=side * 0.9 * links.effort_limit.min()))
        hand.read(bus)
        units = np.array([hand.memory(twelve_modern, identity, "goal_current") for identity in range(1, 13)])
        torque, gear = np.abs(units) * 0.0048, np.where(np.arange(12) == 4, 0.5, 1.0)
        assert (torque * gear <= links.effort_limit + 1e-9).all()
        assert (torque * gear > np.minimum(links.effort_limit, 1193 * 0.0048 * gear) - 0.01).all(), "and no less"
    bus.close()


def test_a_target_that_leads_stays_inside_of_the_limits_of_the_joint(
    hand: Any,
    links: RobotModel,
    links_settings: DynamixelSettings,
    twelve_modern: EmulatedLine,
    eventually: Callable[[Callable[[], bool]], None],
) -> None:
    bus = hand.opened(links, hand.modern(links, links_settings, "current_based_position"), twelve_modern)
    hand.read(bus)
    for end, effort in ((links.position_upper, 2.0), (links.position_lower, -2.0)):
        counts = bus._members.counts(end)

        def there(end: np.ndarray = end, effort: float = effort, counts: list[int] = counts) -> bool:
            bus.write(hand.command(end, effort=effort))
            hand.read(bus)
            goals = [hand.memory(twelve_modern, identity, "goal_position") for identity in range(1, 13)]
            outwards = np.sign(effort) * (np.array(goals) - counts)
            assert (outwards <= 0).all()
            return goals == counts

        eventually(there)
    bus.close()


def test_a_servo_that_can_keeps_its_own_torque_inside_of_the_effort_limit(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine, bus: DynamixelBus
) -> None:
    most = int(links.effort_limit[0] / 0.0026 + 1e-9)
    assert most < 1023
    assert hand.memory(emulated, 1, "torque_limit") == most
    # It is not kept without power.
    hand.read(bus)
    emulated.servo(1).restart()
    assert hand.memory(emulated, 1, "torque_limit") == 1023
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert hand.memory(emulated, 1, "torque_limit") == most


def test_a_torque_limit_that_is_lower_already_is_left(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    emulated.servo(1)._put("torque_limit", 300)
    bus = hand.opened(links, links_settings, emulated)
    emulated.servo(1).restart()
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert hand.memory(emulated, 1, "torque_limit") == 300
    bus.close()


def test_current_based_position_mode_bounds_the_torque_and_leads_the_target(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    bus = hand.opened(links, hand.modern(links, links_settings, "current_based_position"), twelve_modern)
    hand.read(bus)
    for _ in range(2):  # the first target leads by nothing
        bus.write(hand.command(np.zeros(12), stiffness=5.0, effort=-0.4))
        hand.read(bus)
        time.sleep(0.02)
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

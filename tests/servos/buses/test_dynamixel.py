# SPDX-License-Identifier: Apache-2.0
"""The bus against servos that speak the protocols byte by byte on a pseudo terminal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.emulation.line import EmulatedLine


def test_the_joints_go_where_they_are_told(
    hand: Any, bus: DynamixelBus, links: RobotModel, emulated: EmulatedLine, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    np.testing.assert_array_equal(hand.read(bus), np.zeros(12))
    assert not any(servo.under_torque for servo in emulated.servos), "nothing is under torque before the first command"
    bus.write(hand.command(links.stand_joint_position))
    eventually(lambda: bool(np.abs(hand.read(bus) - links.stand_joint_position).max() < 0.003))
    assert all(servo.under_torque for servo in emulated.servos)
    assert all(servo.return_delay == 0.0 for servo in emulated.servos)
    # The right side turns the other way.
    assert emulated.servo(5).position == pytest.approx(-links.stand_joint_position[4], abs=0.003)
    bus.write(JointCommand.damped(0.0, links.stand_joint_position, 0.15))
    eventually(lambda: not any(servo.under_torque for servo in emulated.servos))


def test_the_end_takes_the_torque_away(
    hand: Any, bus: DynamixelBus, links: RobotModel, emulated: EmulatedLine, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    bus.write(hand.command(links.stand_joint_position))
    eventually(lambda: all(servo.under_torque for servo in emulated.servos))
    bus.close()
    bus.close()
    eventually(lambda: not any(servo.under_torque for servo in emulated.servos))
    assert bus.read() is None
    assert bus.health().problem == "closed"


def test_one_bridge_holds_the_line(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, bus: DynamixelBus, emulated: EmulatedLine
) -> None:
    with pytest.raises(ConfigurationError, match="does no other bridge hold it"):
        hand.opened(links, links_settings, emulated)


@pytest.mark.parametrize("identity", [5, 8])
def test_a_servo_that_vanishes_is_named_and_comes_back(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine, identity: int
) -> None:
    bus = hand.opened(links, links_settings, emulated)
    bus._line._port._reply_time = hand.HASTE
    name = next(joint for joint, servo in links_settings.joints.items() if servo.id == identity)
    emulated.servo(identity).gone = True
    for _ in range(30):
        assert bus.read() is None
        if bus.health().problem.startswith(f"{name} (id {identity}) is silent for ") and ";" not in bus.health().problem:
            break
    else:
        raise AssertionError(bus.health().problem)
    emulated.servo(identity).gone = False
    hand.read(bus)
    assert bus.health().problem == ""
    bus.close()


def test_torque_goes_off_though_the_packet_that_says_so_is_lost(hand: Any, bus: DynamixelBus, emulated: EmulatedLine) -> None:
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert all(servo.under_torque for servo in emulated.servos)
    emulated.mischief.deaf_for = 2  # one packet in each protocol
    bus.write(hand.damped())
    hand.read(bus)
    assert all(servo.under_torque for servo in emulated.servos), "nobody heard it"
    bus.write(hand.damped())
    hand.read(bus)
    assert not any(servo.under_torque for servo in emulated.servos)


def test_torque_comes_on_though_the_packets_that_say_so_are_lost(hand: Any, bus: DynamixelBus, emulated: EmulatedLine) -> None:
    hand.read(bus)
    emulated.mischief.deaf_for = 7  # two for the watchdogs, one for torque limits, two for goals, two for torque
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert not any(servo.under_torque for servo in emulated.servos), "nobody heard it"
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert all(servo.under_torque for servo in emulated.servos)


def test_a_goal_that_switches_torque_on_is_said_only_where_torque_is_wanted(hand: Any, bus: DynamixelBus, emulated: EmulatedLine) -> None:
    for servo in emulated.servos:
        servo.torque_on_goal = True
    for _ in range(3):
        bus.write(hand.damped(0.3))
    hand.read(bus)
    assert not any(servo.under_torque for servo in emulated.servos)
    assert hand.memory(emulated, 4, "goal_position") == 512


def test_a_joint_that_the_limits_leave_nothing_is_still_held(hand: Any, bus: DynamixelBus, emulated: EmulatedLine) -> None:
    asked = hand.command(np.zeros(12))
    bus.write(asked)
    asked.stiffness[[2, 7]] = 0.0
    bus.write(asked)
    hand.read(bus)
    assert all(servo.under_torque for servo in emulated.servos)


def test_a_line_that_is_pulled_is_gone_for_good(
    hand: Any, links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    bus = hand.opened(links, links_settings, emulated)
    hand.read(bus)
    emulated.close()
    for _ in range(3):
        assert bus.read() is None
        with pytest.raises(SurefootError, match="is gone"):
            bus.write(hand.command(np.zeros(12)))
    assert "is gone" in bus.health().problem
    bus.close()


@pytest.mark.parametrize("protocol", [1, 2])
def test_a_command_of_which_a_part_does_not_leave_is_raised(hand: Any, bus: DynamixelBus, protocol: int) -> None:
    port = bus._line._port
    whole = port.writePort
    second = lambda packet: bytes(packet[:3]) == b"\xff\xff\xfd"  # noqa: E731
    port.writePort = lambda packet: len(packet) - 3 if second(packet) == (protocol == 2) else whole(packet)
    for made in (hand.damped(), hand.command(np.zeros(12))):
        with pytest.raises(SurefootError, match="takes nothing; look at its adapter"):
            bus.write(made)
    assert bus.health().counters["instructions_unsent"] > 1
    port.writePort = whole
    bus.write(hand.damped())


@pytest.mark.parametrize("late", [0.002, 0.01])
def test_replies_that_are_late_but_come_are_taken(hand: Any, bus: DynamixelBus, emulated: EmulatedLine, late: float) -> None:
    emulated.mischief.late = late  # of each of twelve, one after the other
    for position in (0.3, -0.2):
        for servo in emulated.servos:
            servo._follower.position[:] = position
        np.testing.assert_allclose(np.abs(hand.read(bus)), abs(position), atol=0.003)
    assert bus.health().counters["replies_lost"] == 0


def test_replies_that_are_too_late_are_lost_and_answer_no_later_question(
    hand: Any,
    links: RobotModel,
    links_settings: DynamixelSettings,
    emulated: EmulatedLine,
    eventually: Callable[[Callable[[], bool]], None],
) -> None:
    bus = hand.opened(links, links_settings, emulated)
    bus._line._port._reply_time = hand.HASTE
    emulated.mischief.late = 3.0 * hand.HASTE
    assert bus.read() is None
    assert "is silent for" in bus.health().problem
    assert bus.health().counters["replies_lost"] > 0
    # All that was asked for is on its way still: it says where the joints were.
    emulated.mischief.late = 0.0
    heard = [-1]

    def quiet() -> bool:
        heard.append(emulated.instructions)
        return len(heard) > 50 and heard[-1] == heard[-50]

    eventually(quiet)
    bus._line._port._reply_time = links_settings.reply_time
    for servo in emulated.servos:
        servo._follower.position[:] = 0.4
    np.testing.assert_allclose(np.abs(hand.read(bus)), 0.4, atol=0.003)
    assert bus.health().problem == ""
    bus.close()

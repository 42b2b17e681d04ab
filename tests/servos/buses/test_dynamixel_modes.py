# SPDX-License-Identifier: Apache-2.0
"""What each mode of the servos makes of a command, and servos whose tables differ."""

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo


class Modern:
    """LINKS on twelve servos of the newer protocol, all in one mode.

    Attributes:
        line: that they hang on.
        settings: of a bus in position mode.
        read, command, damped: see ServoHand.
    """

    def __init__(self, hand: Any, links: RobotModel, settings: DynamixelSettings) -> None:
        self.line = EmulatedLine([EmulatedServo(read_table("dynamixel_x"), identity) for identity in range(1, 13)])
        self._hand, self._links, self._buses = hand, links, list[DynamixelBus]()
        self.settings: DynamixelSettings = hand.modern(links, settings, "position")
        self.read, self.command, self.damped = hand.read, hand.command, hand.damped

    def opened(self, mode: str, model: RobotModel | None = None, **changes: Any) -> DynamixelBus:
        """A bus, of another robot or with other settings; it is closed after the test."""
        settings = self.settings.model_copy(update={"mode": mode} | changes)
        self._buses.append(self._hand.opened(model or self._links, settings, self.line))
        return self._buses[-1]

    def weak(self, effort: np.ndarray | float) -> RobotModel:
        """The robot with other effort limits, (12,), N m."""
        other = copy.copy(self._links)
        other.effort_limit = np.zeros(12) + effort
        return other

    def gear(self, place: int, gear: float) -> None:
        """Put a gear on one servo, before the bus is opened."""
        joints, name = self.settings.joints, self._links.joint_names[place]
        joints[name] = joints[name].model_copy(update={"gear": gear})

    def memory(self, identity: int, name: str) -> int:
        return int(self._hand.memory(self.line, identity, name))

    def memories(self, name: str) -> list[int]:
        """Of all servos."""
        return [self.memory(identity, name) for identity in range(1, 13)]

    def close(self) -> None:
        for bus in self._buses:
            bus.close()
        self.line.close()


@pytest.fixture
def modern(hand: Any, links: RobotModel, links_settings: DynamixelSettings) -> Iterator[Modern]:
    made = Modern(hand, links, links_settings)
    yield made
    made.close()


def test_current_mode_makes_the_torque_of_the_law(modern: Modern) -> None:
    bus = modern.opened("current")
    measured = modern.read(bus)
    bus.write(modern.command(measured + 0.1, stiffness=5.0, effort=0.24))
    modern.read(bus)
    assert modern.memory(3, "operating_mode") == 0
    assert modern.memory(3, "goal_current") == round((0.24 + 0.5) / 0.0048)
    # Here damping is what it says: torque stays on, against the speed.
    time.sleep(0.02)
    sample = bus.read()
    assert sample is not None
    assert sample.joint_velocity[2] > 0.5
    bus.write(JointCommand.damped(0.0, measured, 0.15))
    modern.read(bus)
    assert modern.line.servo(3).under_torque
    assert modern.memory(3, "goal_current") == round(-0.15 * sample.joint_velocity[2] / 0.0048) < 0


def test_the_torque_of_a_servo_is_of_its_own_last_answer_or_there_is_none(
    hand: Any, modern: Modern, links: RobotModel, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    now = [0.0]
    settings = modern.settings.model_copy(update={"mode": "current", "port": modern.line.name, "stale_after": 0.05})
    bus = DynamixelBus(links, settings, lambda: now[0])
    bus.write(modern.command(np.zeros(12)))
    modern.read(bus)
    assert not any(servo.under_torque for servo in modern.line.servos), "nothing was heard yet"
    bus.write(modern.command(np.zeros(12), stiffness=0.0, effort=0.3))
    time.sleep(0.02)
    assert np.abs(modern.read(bus)).min() > 0.0
    bus._line._port._reply_time = hand.HASTE
    modern.line.servo(5).gone = True

    def at_rest() -> bool:
        assert bus.read() is None
        bus.write(modern.damped())
        return modern.memory(3, "present_velocity") == modern.memory(3, "goal_current") == 0

    eventually(at_rest)
    now[0] = 0.06
    bus.read()
    bus.write(modern.damped())
    bus.read()
    assert modern.line.servo(3).under_torque
    now[0] = 1.0
    bus.write(modern.command(np.zeros(12), effort=0.3))
    bus.read()
    assert not any(servo.under_torque for servo in modern.line.servos if not servo.gone), "what is known is too old"
    assert modern.memory(3, "goal_current") == 0
    bus.close()


def test_a_torque_beyond_the_servos_own_limit_is_cut_to_it(modern: Modern, links: RobotModel) -> None:
    modern.line.servo(3)._put("current_limit", 50)
    bus = modern.opened("current")
    modern.read(bus)
    for effort in (9.0, -9.0):
        bus.write(modern.command(np.zeros(12), stiffness=0.0, effort=effort))
        modern.read(bus)
        assert modern.memory(3, "goal_current") == np.sign(effort) * 50
        assert modern.memory(4, "goal_current") == np.sign(effort) * int(links.effort_limit[3] / 0.0048)


@pytest.mark.parametrize("mode", ["current", "current_based_position"])
def test_no_current_is_worth_more_than_the_effort_limit_of_the_joint(modern: Modern, links: RobotModel, mode: str) -> None:
    modern.gear(4, 0.5)
    bus = modern.opened(mode, torque_reserve=5.0)
    # The bridge bounded the torque at the state of its tick; here it is worked out from a newer one, far away.
    measured = modern.read(bus)
    for side in (1.0, -1.0):
        bus.write(modern.command(measured + side, stiffness=500.0, effort=side * 0.9 * links.effort_limit.min()))
        modern.read(bus)
        units = np.array(modern.memories("goal_current"))
        torque, gear = np.abs(units) * 0.0048, np.where(np.arange(12) == 4, 0.5, 1.0)
        assert (torque * gear <= links.effort_limit + 1e-9).all()
        assert (torque * gear > np.minimum(links.effort_limit, 1193 * 0.0048 * gear) - 0.01).all(), "and no less"


def test_a_target_that_leads_stays_inside_of_the_limits_of_the_joint(
    modern: Modern, links: RobotModel, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    bus = modern.opened("current_based_position")
    modern.read(bus)
    for end, effort in ((links.position_upper, 2.0), (links.position_lower, -2.0)):
        counts = bus._members.counts(end)

        def there(end: np.ndarray = end, effort: float = effort, counts: list[int] = counts) -> bool:
            bus.write(modern.command(end, effort=effort))
            modern.read(bus)
            goals = modern.memories("goal_position")
            outwards = np.sign(effort) * (np.array(goals) - counts)
            assert (outwards <= 0).all()
            return goals == counts

        eventually(there)


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


def test_in_position_mode_the_share_of_the_voltage_keeps_the_torque_inside_of_the_effort_limit(modern: Modern) -> None:
    limits, gear = np.linspace(0.3, 5.0, 12), np.ones(12)
    for place in (1, 11):
        gear[place] = 1.7
        modern.gear(place, 1.7)
    modern.line.servo(3).voltage = 14.8
    modern.line.servo(4).voltage = 11.1
    wide = modern.weak(limits)
    wide.position_lower, wide.position_upper = np.full(12, -1.0), np.full(12, 1.0)
    modern.opened("position", wide)
    stall = gear * 4.1 * np.where(np.arange(12) == 2, 14.8 / 12.0, 1.0)
    share = np.minimum(1.0, limits / stall)
    assert not any(servo.under_torque for servo in modern.line.servos), "it is written before the torque is on"
    # Address 100, two bytes, the lower one first [ROBOTIS e-Manual, XM430-W350].
    written = [int.from_bytes(servo.read(100, 2), "little") for servo in modern.line.servos]
    assert written == [int(885 * part + 1e-9) for part in share]
    assert (np.array(written) / 885 * stall <= limits + 1e-9).all()
    assert written[10:] == [int(885 * limits[10] / 4.1) if limits[10] < 4.1 else 885, int(885 * 5.0 / (1.7 * 4.1))]


def test_the_bound_of_the_voltage_comes_back_after_a_restart_and_before_the_torque(modern: Modern) -> None:
    bus = modern.opened("position", modern.weak(2.05))
    modern.read(bus)
    servo = modern.line.servo(3)
    assert servo.most_torque == pytest.approx(4.1 * 442 / 885)
    servo.restart()
    assert modern.memory(3, "goal_pwm") == 885
    written: list[int] = []
    take = servo.write

    def watched(start: int, data: bytes) -> int:
        written.append(start)
        return take(start, data)

    servo.write = watched  # type: ignore[method-assign]
    bus.write(modern.command(np.zeros(12)))
    modern.read(bus)
    assert modern.memory(3, "goal_pwm") == 442
    assert written.index(100) < written.index(116) < written.index(64)
    # A load beyond that takes the shaft along, one inside does not.
    before = servo.position
    for load, moves in ((2.0, False), (2.1, True)):
        servo.load = load
        servo.advance(0.05)
        assert (servo.position - before > 0.1) == moves


def test_a_voltage_that_is_bounded_lower_already_is_left(modern: Modern) -> None:
    modern.line.servo(3)._put("goal_pwm", 300)
    modern.opened("position", modern.weak(2.05))
    assert [modern.memory(identity, "goal_pwm") for identity in (3, 4)] == [300, 442]


@pytest.mark.parametrize("mode", ["current", "current_based_position"])
def test_where_the_current_bounds_the_torque_the_voltage_is_whole(modern: Modern, mode: str) -> None:
    for servo in modern.line.servos:
        servo._put("goal_pwm", 100)
    bus = modern.opened(mode, modern.weak(2.05))
    bus.write(modern.command(np.zeros(12)))
    modern.read(bus)
    assert set(modern.memories("goal_pwm")) == {885}


def test_a_bound_that_somebody_else_lifts_is_named(modern: Modern, eventually: Callable[[Callable[[], bool]], None]) -> None:
    bus = modern.opened("position", modern.weak(2.05), health_every=1)
    for _ in range(30):
        bus.write(modern.command(np.zeros(12)))
        modern.read(bus)
    assert bus.health().faults == ()
    modern.line.servo(3)._put("goal_pwm", 885)

    def named() -> bool:
        bus.write(modern.command(np.zeros(12)))
        modern.read(bus)
        return any("(id 3): goal_pwm is beyond the effort limit of its joint" in fault for fault in bus.health().faults)

    eventually(named)


@pytest.mark.parametrize(("limit", "stall", "problem"), [
    (0.004, 4.1, r"\(id 1\) stalls at 4.10 N m at its joint, and the effort limit there is 0.004 N m: less than one of its 885 steps"),
    (2.0, None, r"\(id 1\) is a XM430-W350, whose table has no stall_torque: .* effort limit of its joint, 2.00 N m"),
])  # fmt: skip
def test_a_servo_whose_torque_cannot_be_bounded_is_refused(
    modern: Modern, monkeypatch: pytest.MonkeyPatch, limit: float, stall: float | None, problem: str
) -> None:
    table = read_table("dynamixel_x")
    first = table.models[1020].model_copy(update={"stall_torque": stall})
    table = table.model_copy(update={"models": table.models | {1020: first}})
    monkeypatch.setattr("surefoot.servos.dynamixel.members.read_table", lambda name: table)
    with pytest.raises(ConfigurationError, match=problem):
        modern.opened("position", modern.weak(limit))
    assert not any(servo.under_torque for servo in modern.line.servos)


def test_a_servo_that_does_not_keep_its_bound_is_refused(modern: Modern) -> None:
    servo = modern.line.servo(7)
    take = servo.write
    servo.write = lambda start, data: 0 if start == 100 else take(start, data)  # type: ignore[method-assign]
    with pytest.raises(SurefootError, match=r"\(id 7\) does not confirm goal_pwm = 442: it says 885"):
        modern.opened("position", modern.weak(2.05))


def test_current_based_position_mode_bounds_the_torque_and_leads_the_target(modern: Modern) -> None:
    bus = modern.opened("current_based_position")
    modern.read(bus)
    for _ in range(2):  # the first target leads by nothing
        bus.write(modern.command(np.zeros(12), stiffness=5.0, effort=-0.4))
        modern.read(bus)
        time.sleep(0.02)
    assert modern.memory(1, "operating_mode") == 5
    assert modern.memory(1, "goal_current") == round((0.4 + 1.0) / 0.0048)
    assert modern.memory(1, "goal_position") == 2048 + round(-0.4 / 20.0 / modern.line.servo(1).table.radians_per_count)


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

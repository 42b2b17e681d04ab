# SPDX-License-Identifier: Apache-2.0
"""The bus against servos that speak the protocols byte by byte on a pseudo terminal."""

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.settings import DynamixelSettings, JointServo
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo

HASTE = 0.02
"""s that is waited for a servo that is known to be silent."""


def opened(model: RobotModel, settings: DynamixelSettings, line: EmulatedLine) -> DynamixelBus:
    return DynamixelBus(model, settings.model_copy(update={"port": line.name}), time.monotonic)


@pytest.fixture
def bus(links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> Iterator[DynamixelBus]:
    made = opened(links, links_settings, emulated)
    yield made
    made.close()


def command(position: np.ndarray, stiffness: float = 12.0, effort: float = 0.0) -> JointCommand:
    one = np.ones(12)
    return JointCommand(0.0, position, 0.0 * one, effort * one, stiffness * one, 0.3 * one)


def read(bus: DynamixelBus) -> np.ndarray:
    """The joint positions, however long the machine takes."""
    for _ in range(20):
        sample = bus.read()
        if sample is not None:
            return sample.joint_position
    raise AssertionError(bus.health().problem)


def test_the_joints_go_where_they_are_told(
    bus: DynamixelBus, links: RobotModel, emulated: EmulatedLine, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    np.testing.assert_array_equal(read(bus), np.zeros(12))
    assert not any(servo.under_torque for servo in emulated.servos), "nothing is under torque before the first command"
    bus.write(command(links.stand_joint_position))
    eventually(lambda: bool(np.abs(read(bus) - links.stand_joint_position).max() < 0.003))
    assert all(servo.under_torque for servo in emulated.servos)
    assert all(servo.return_delay == 0.0 for servo in emulated.servos)
    # The right side turns the other way.
    assert emulated.servo(5).position == pytest.approx(-links.stand_joint_position[4], abs=0.003)
    bus.write(JointCommand.damped(0.0, links.stand_joint_position, 0.15))
    eventually(lambda: not any(servo.under_torque for servo in emulated.servos))


def test_the_end_takes_the_torque_away(
    bus: DynamixelBus, links: RobotModel, emulated: EmulatedLine, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    bus.write(command(links.stand_joint_position))
    eventually(lambda: all(servo.under_torque for servo in emulated.servos))
    bus.close()
    bus.close()
    eventually(lambda: not any(servo.under_torque for servo in emulated.servos))
    assert bus.read() is None
    assert bus.health().problem == "closed"


def test_what_is_missing_at_the_start_is_named(links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> None:
    hasty = links_settings.model_copy(update={"reply_time": HASTE})
    emulated.servo(3).gone = emulated.servo(11).gone = True
    words = r"no answer on .* from .*lf_kfe_joint \(id 3\).*rh_hfe_joint \(id 11\); answers: .*surefoot servos find"
    with pytest.raises(SurefootError, match=words):
        opened(links, hasty, emulated)


def test_a_servo_of_another_kind_is_named(links: RobotModel, links_settings: DynamixelSettings) -> None:
    servos = [EmulatedServo(read_table(one.table if one.id != 8 else "dynamixel_x"), one.id) for one in links_settings.joints.values()]
    line = EmulatedLine(servos)
    try:
        with pytest.raises(SurefootError, match=r"lh_hfe_joint \(id 8\) is of model number 1020, and its table is for MX-64 \(311\)"):
            opened(links, links_settings, line)
    finally:
        line.close()


def test_one_bridge_holds_the_line(links: RobotModel, links_settings: DynamixelSettings, bus: DynamixelBus, emulated: EmulatedLine) -> None:
    with pytest.raises(ConfigurationError, match="does no other bridge hold it"):
        opened(links, links_settings, emulated)


@pytest.mark.parametrize("identity", [5, 8])
def test_a_servo_that_vanishes_is_named_and_comes_back(
    links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine, identity: int
) -> None:
    bus = opened(links, links_settings, emulated)
    bus._line._port._reply_time = HASTE
    name = next(joint for joint, servo in links_settings.joints.items() if servo.id == identity)
    emulated.servo(identity).gone = True
    for _ in range(30):
        assert bus.read() is None
        if bus.health().problem.startswith(f"{name} (id {identity}) is silent for ") and ";" not in bus.health().problem:
            break
    else:
        raise AssertionError(bus.health().problem)
    emulated.servo(identity).gone = False
    read(bus)
    assert bus.health().problem == ""
    bus.close()


def test_overload_is_named_by_both_protocols(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    read(bus)
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
    links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    bus = opened(links, links_settings.model_copy(update={"health_every": 2}), emulated)
    emulated.servo(2).temperature, emulated.servo(2).voltage = 71, 10.5
    assert np.isnan(bus.health().temperature).all()
    for _ in range(2 * 12 + 2):
        bus.read()
    health = bus.health()
    assert (health.temperature[1], health.voltage[1]) == (71.0, pytest.approx(10.5))
    assert np.isfinite(health.temperature).sum() >= 11
    bus.close()


@pytest.mark.parametrize("kind", ["lost", "corrupted", "halved", "deaf"])
def test_mischief_on_the_line_is_counted_and_never_believed(
    links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine, kind: str
) -> None:
    bus = opened(links, links_settings, emulated)
    bus._line._port._reply_time = 0.005
    setattr(emulated.mischief, kind, 0.03)
    for _ in range(30):
        sample = bus.read()
        bus.write(command(np.zeros(12)))
        if sample is not None:
            # A step of the encoder; anything else would be a packet that only looked sound.
            assert np.abs(sample.joint_position).max() < 0.01
            assert np.abs(sample.joint_velocity).max() < 1.0
    counters = bus.health().counters
    assert sum(counters[name] for name in counters if name.startswith("replies")) > 0
    assert counters.get("line_exceptions", 0) <= 2
    setattr(emulated.mischief, kind, 0.0)
    bus._line._port._reply_time = 3.0
    read(bus)
    bus.close()


def test_garbage_between_replies_costs_nothing(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    emulated.mischief.noise = 1.0
    emulated.servo(9)._follower.position[:] = 0.4
    sample = bus.read()
    assert sample is not None
    assert sample.joint_position[8] == pytest.approx(0.4, abs=0.003)
    assert np.abs(np.delete(sample.joint_position, 8)).max() == 0.0


def damped(position: np.ndarray | float = 0.0) -> JointCommand:
    return JointCommand.damped(0.0, np.zeros(12) + position, 0.15)


def test_torque_goes_off_though_the_packet_that_says_so_is_lost(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    bus.write(command(np.zeros(12)))
    read(bus)
    assert all(servo.under_torque for servo in emulated.servos)
    emulated.mischief.deaf_for = 2  # one packet in each protocol
    bus.write(damped())
    read(bus)
    assert all(servo.under_torque for servo in emulated.servos), "nobody heard it"
    bus.write(damped())
    read(bus)
    assert not any(servo.under_torque for servo in emulated.servos)


def test_torque_comes_on_though_the_packets_that_say_so_are_lost(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    read(bus)
    emulated.mischief.deaf_for = 6
    bus.write(command(np.zeros(12)))
    read(bus)
    assert not any(servo.under_torque for servo in emulated.servos), "nobody heard it"
    bus.write(command(np.zeros(12)))
    read(bus)
    assert all(servo.under_torque for servo in emulated.servos)


def test_a_goal_that_switches_torque_on_is_said_only_where_torque_is_wanted(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    for servo in emulated.servos:
        servo.torque_on_goal = True
    for _ in range(3):
        bus.write(damped(0.3))
    read(bus)
    assert not any(servo.under_torque for servo in emulated.servos)
    assert memory(emulated, 4, "goal_position") == 512


def test_a_joint_that_the_limits_leave_nothing_is_still_held(bus: DynamixelBus, emulated: EmulatedLine) -> None:
    asked = command(np.zeros(12))
    bus.write(asked)
    asked.stiffness[[2, 7]] = 0.0
    bus.write(asked)
    read(bus)
    assert all(servo.under_torque for servo in emulated.servos)


@pytest.fixture
def looking(links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> Iterator[DynamixelBus]:
    """A bus that looks after one servo at every read."""
    made = opened(links, links_settings.model_copy(update={"health_every": 1}), emulated)
    yield made
    made.close()


def faults(bus: DynamixelBus, least: int, writing: JointCommand | None = None) -> tuple[str, ...]:
    """What it says of faults, once it has found as many."""
    for _ in range(40):
        if writing is not None:
            bus.write(writing)
        read(bus)
        if len(bus.health().faults) == least:
            break
    return bus.health().faults


def test_torque_that_should_not_be_is_named_until_it_is_gone(looking: DynamixelBus, emulated: EmulatedLine) -> None:
    emulated.servo(4)._put("torque_enable", 1)
    assert faults(looking, 1) == ("rf_haa_joint (id 4): is still under torque, which was switched off",)
    assert faults(looking, 0, damped()) == ()
    assert not emulated.servo(4).under_torque


def test_a_servo_that_was_restarted_is_named_and_made_ready_under_damping(looking: DynamixelBus, emulated: EmulatedLine) -> None:
    held = command(np.zeros(12))
    for _ in range(4):
        looking.write(held)
    read(looking)
    emulated.servo(11).restart()
    (words,) = faults(looking, 1, held)
    assert words.startswith("rh_hfe_joint (id 11): has lost its torque: it was restarted, or never heard of it; its bus watchdog is off")
    assert not emulated.servo(11).under_torque, "a servo that is held in its place is not told anew: it could jump"
    assert faults(looking, 0, damped()) == ()
    assert memory(emulated, 11, "bus_watchdog") == 5


def tripped(bus: DynamixelBus, line: EmulatedLine, identity: int) -> None:
    for _ in range(4):
        bus.write(command(np.zeros(12)))
    read(bus)
    line.servo(identity).watchful = True
    time.sleep(0.15)
    read(bus)
    line.servo(identity).watchful = False
    assert memory(line, identity, "bus_watchdog") == -1


def test_a_bus_watchdog_that_tripped_is_named_and_armed_again_under_damping(looking: DynamixelBus, emulated: EmulatedLine) -> None:
    tripped(looking, emulated, 11)
    held = command(np.zeros(12))
    assert faults(looking, 1, held) == ("rh_hfe_joint (id 11): its bus watchdog tripped: it ignores every goal",)
    assert memory(emulated, 11, "bus_watchdog") == -1
    assert faults(looking, 0, damped()) == ()
    assert memory(emulated, 11, "bus_watchdog") == 5


def test_goals_are_heard_after_a_watchdog_that_nobody_saw(bus: DynamixelBus, emulated: EmulatedLine, links: RobotModel) -> None:
    tripped(bus, emulated, 8)
    before = memory(emulated, 8, "goal_position")
    bus.write(command(links.stand_joint_position))
    read(bus)
    assert memory(emulated, 8, "goal_position") == before
    bus.write(damped())
    bus.write(command(links.stand_joint_position))
    read(bus)
    assert memory(emulated, 8, "goal_position") != before
    assert memory(emulated, 8, "bus_watchdog") == 5


def test_limits_that_are_written_in_a_servo_are_kept(
    links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine
) -> None:
    emulated.servo(2)._put("most_position", 520)
    with pytest.raises(ConfigurationError, match=r"lf_hfe_joint \(id 2\) would have to go .* can go to 0 to 520; .* written in the servo"):
        opened(links, links_settings, emulated)


def test_what_is_as_it_should_be_is_not_written_again(links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> None:
    opened(links, links_settings, emulated).close()
    written: list[int] = []
    for servo in emulated.servos:
        servo.write = lambda start, data: written.append(start) or 0  # type: ignore[method-assign,func-returns-value]
    opened(links, links_settings, emulated).close()
    assert written == []


def test_a_line_that_is_pulled_is_gone_for_good(links: RobotModel, links_settings: DynamixelSettings, emulated: EmulatedLine) -> None:
    bus = opened(links, links_settings, emulated)
    read(bus)
    emulated.close()
    for _ in range(3):
        assert bus.read() is None
        bus.write(command(np.zeros(12)))
    assert "is gone" in bus.health().problem
    bus.close()


def modern(links: RobotModel, settings: DynamixelSettings, mode: str) -> DynamixelSettings:
    joints = {name: JointServo(id=place + 1, table="dynamixel_x", stiffness=20.0) for place, name in enumerate(links.joint_names)}
    return settings.model_copy(update={"joints": joints, "mode": mode})


@pytest.fixture
def twelve_modern() -> Iterator[EmulatedLine]:
    line = EmulatedLine([EmulatedServo(read_table("dynamixel_x"), identity) for identity in range(1, 13)])
    yield line
    line.close()


def memory(line: EmulatedLine, identity: int, name: str) -> int:
    servo = line.servo(identity)
    item = servo.table.items[name]
    return servo.table.value(name, servo.read(item.address, item.size), item.address)


def test_current_mode_makes_the_torque_of_the_law(
    links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    bus = opened(links, modern(links, links_settings, "current"), twelve_modern)
    measured = read(bus)
    bus.write(command(measured + 0.1, stiffness=5.0, effort=0.24))
    read(bus)
    assert memory(twelve_modern, 3, "operating_mode") == 0
    assert memory(twelve_modern, 3, "goal_current") == round((0.24 + 0.5) / 0.0048)
    # Here damping is what it says: torque stays on, against the speed.
    time.sleep(0.02)
    sample = bus.read()
    assert sample is not None
    assert sample.joint_velocity[2] > 0.5
    bus.write(JointCommand.damped(0.0, measured, 0.15))
    read(bus)
    assert twelve_modern.servo(3).under_torque
    assert memory(twelve_modern, 3, "goal_current") == round(-0.15 * sample.joint_velocity[2] / 0.0048) < 0
    bus.close()


def test_the_torque_of_a_servo_is_of_its_own_last_answer_or_there_is_none(
    links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    now = [0.0]
    settings = modern(links, links_settings, "current").model_copy(update={"port": twelve_modern.name, "stale_after": 0.05})
    bus = DynamixelBus(links, settings, lambda: now[0])
    bus.write(command(np.zeros(12)))
    read(bus)
    assert not any(servo.under_torque for servo in twelve_modern.servos), "nothing was heard yet"
    bus.write(command(np.zeros(12), stiffness=0.0, effort=0.3))
    time.sleep(0.02)
    assert np.abs(read(bus)).min() > 0.0
    bus._line._port._reply_time = HASTE
    twelve_modern.servo(5).gone = True

    def at_rest() -> bool:
        assert bus.read() is None
        bus.write(damped())
        return memory(twelve_modern, 3, "present_velocity") == memory(twelve_modern, 3, "goal_current") == 0

    eventually(at_rest)
    now[0] = 0.06
    bus.read()
    bus.write(damped())
    bus.read()
    assert twelve_modern.servo(3).under_torque
    now[0] = 1.0
    bus.write(command(np.zeros(12), effort=0.3))
    bus.read()
    assert not any(servo.under_torque for servo in twelve_modern.servos if not servo.gone), "what is known is too old"
    assert memory(twelve_modern, 3, "goal_current") == 0
    bus.close()


def test_a_torque_beyond_the_servos_own_limit_is_cut_to_it(
    links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    twelve_modern.servo(3)._put("current_limit", 50)
    bus = opened(links, modern(links, links_settings, "current"), twelve_modern)
    read(bus)
    for effort in (9.0, -9.0):
        bus.write(command(np.zeros(12), stiffness=0.0, effort=effort))
        read(bus)
        assert memory(twelve_modern, 3, "goal_current") == np.sign(effort) * 50
        assert memory(twelve_modern, 4, "goal_current") == np.sign(effort) * 1193
    bus.close()


def test_current_based_position_mode_bounds_the_torque_and_leads_the_target(
    links: RobotModel, links_settings: DynamixelSettings, twelve_modern: EmulatedLine
) -> None:
    bus = opened(links, modern(links, links_settings, "current_based_position"), twelve_modern)
    read(bus)
    bus.write(command(np.zeros(12), stiffness=5.0, effort=-0.4))
    read(bus)
    assert memory(twelve_modern, 1, "operating_mode") == 5
    assert memory(twelve_modern, 1, "goal_current") == round((0.4 + 1.0) / 0.0048)
    assert memory(twelve_modern, 1, "goal_position") == 2048 + round(-0.4 / 20.0 / twelve_modern.servo(1).table.radians_per_count)
    bus.close()


def test_tables_that_differ_are_read_in_one_bulk(links: RobotModel, links_settings: DynamixelSettings) -> None:
    moved = read_table("dynamixel_x").model_dump()
    for name in ("present_load", "present_velocity", "present_position", "goal_position"):
        moved["items"][name]["address"] += 50
    table = type(read_table("dynamixel_x")).model_validate(moved)
    line = EmulatedLine([EmulatedServo(table if identity < 7 else read_table("dynamixel_x"), identity) for identity in range(1, 13)])
    bus = opened(links, modern(links, links_settings, "position"), line)
    for place in range(6):
        bus._members.tables[place] = table
        bus._stretches[place] = bus._stretches[place]._replace(start=176)
    heard = line.instructions
    read(bus)
    assert line.instructions - heard <= 2
    bus.write(command(np.full(12, 0.1)))
    read(bus)
    assert {memory(line, identity, "goal_position") for identity in (1, 12)} == {2048 + round(0.1 / table.radians_per_count)}
    bus.close()
    line.close()


def test_the_emulation_leaves_no_file_open(emulated: EmulatedLine) -> None:
    before = len(os.listdir("/proc/self/fd"))
    EmulatedLine([]).close()
    assert len(os.listdir("/proc/self/fd")) == before

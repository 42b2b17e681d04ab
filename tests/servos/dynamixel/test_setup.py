# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.servos.dynamixel.line import MISHEARD, NO_ANSWER, Line, Stretch, refusal_of
from surefoot.servos.dynamixel.members import Members
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.setup import Found, find_servos, make_ready, restart, set_baud_rate
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.packets import CHECKSUM_ERROR, WRITE, Instruction, status_packet
from surefoot.servos.emulation.servo import EmulatedServo

PATIENCES = (0.03, 0.3, 3.0)
"""s for each answer, also for those that never come; a busy machine needs the longer ones."""


def found(line: EmulatedLine, baud_rates: tuple[int, ...], identities: tuple[int, ...], count: int) -> list[Found]:
    for patience in PATIENCES:
        servos = find_servos(line.name, baud_rates, identities, patience)
        if len(servos) == count:
            break
    return servos


def mishear(servo: EmulatedServo, times: int) -> None:
    """Let a servo find the checksum wrong of the next instructions of writing."""
    answer: Callable[[Instruction], bytes | None] = servo.answer
    left = [times]

    def answering(asked: Instruction) -> bytes | None:
        if asked.code != WRITE or left[0] == 0:
            return answer(asked)
        left[0] -= 1
        return status_packet(servo.table.protocol, servo.identity, CHECKSUM_ERROR if servo.table.protocol == 2 else 1 << 4)

    servo.answer = answering  # type: ignore[method-assign]


@pytest.fixture
def line() -> Iterator[EmulatedLine]:
    made = EmulatedLine(
        [
            EmulatedServo(read_table("dynamixel_x"), 3, 57600),
            EmulatedServo(read_table("dynamixel_x"), 4),
            EmulatedServo(read_table("dynamixel_rx24f"), 5),
        ]
    )
    yield made
    made.close()


def test_every_servo_is_found_at_its_rate_and_by_its_protocol(line: EmulatedLine) -> None:
    assert found(line, (57600, 1000000), (3, 4, 5), 3) == [
        Found(3, 2, 57600, 1020, "XM430-W350 (dynamixel_x)"),
        Found(4, 2, 1000000, 1020, "XM430-W350 (dynamixel_x)"),
        Found(5, 1, 1000000, 24, "RX-24F (dynamixel_rx24f)"),
    ]


def test_a_servo_is_given_another_rate(line: EmulatedLine) -> None:
    (servo,) = found(line, (57600,), (3,), 1)
    mishear(line.servo(3), 1)
    set_baud_rate(line.name, servo, "dynamixel_x", 2000000, PATIENCES[-1])
    assert line.servo(3).baud_rate == 2000000
    with pytest.raises(SurefootError, match="does not know 1234 baud; it knows 9600"):
        set_baud_rate(line.name, servo, "dynamixel_x", 1234)
    line.servo(3).gone = True
    with pytest.raises(SurefootError, match="does not answer at 4000000 baud after it was set"):
        set_baud_rate(line.name, servo._replace(baud_rate=2000000), "dynamixel_x", 4000000, PATIENCES[0])


def test_an_overloaded_servo_is_restarted(line: EmulatedLine) -> None:
    line.servo(4).overload()
    restart(line.name, Found(4, 2, 1000000, 1020, ""), PATIENCES[-1])
    table = line.servo(4).table
    assert line.servo(4).write(table.items["torque_enable"].address, b"\1") == 0, "it may have torque again"
    with pytest.raises(SurefootError, match=r"servo 5 speaks Protocol 1\.0, which knows no restart"):
        restart(line.name, Found(5, 1, 1000000, 24, ""))


def test_what_a_servo_refuses_is_no_success(line: EmulatedLine) -> None:
    table = line.servo(4).table
    line.servo(4).write(table.items["torque_enable"].address, b"\1")
    wire = Line(Port(line.name, 1000000, PATIENCES[-1]))
    try:
        baud_rate, goal = table.items["baud_rate"].address, table.items["goal_position"].address
        assert "locked by the torque" in wire.write_one(2, 4, baud_rate, b"\2")
        assert "out of the range" in wire.write_one(2, 4, goal, (1 << 20).to_bytes(4, "little"))
        assert wire.write_one(2, 4, goal, (2048).to_bytes(4, "little")) == ""
        assert "out of the range" in wire.write_one(1, 5, 250, bytes(20))
        assert wire.counters["instructions_refused"] == 3
        line.servo(4).gone = True
        assert wire.write_one(2, 4, goal, (2048).to_bytes(4, "little")) == NO_ANSWER
    finally:
        wire.close()


def test_the_error_byte_in_words() -> None:
    assert refusal_of(2, 0x80) == "", "an alert is about the servo, not about what it was told"
    assert "limit" in refusal_of(2, 0x86)
    assert refusal_of(2, 0x55) == "error 85"
    assert refusal_of(1, 1 << 5 | 1 << 2) == "", "overload and heat as well"
    assert "range" in refusal_of(1, 1 << 3 | 1 << 5)


def test_what_came_damaged_is_no_refusal(line: EmulatedLine) -> None:
    assert refusal_of(2, CHECKSUM_ERROR) == refusal_of(1, 1 << 4) == ""
    wire = Line(Port(line.name, 1000000, PATIENCES[-1]))
    try:
        for protocol, identity in ((2, 4), (1, 5)):
            servo = line.servo(identity)
            item = servo.table.items["torque_enable"]
            mishear(servo, 1)
            assert wire.write_one(protocol, identity, item.address, b"\1") == MISHEARD
            assert not servo.under_torque
            assert wire.write_one(protocol, identity, item.address, b"\1") == ""
            damaged = status_packet(protocol, identity, CHECKSUM_ERROR if protocol == 2 else 1 << 4, b"\0")
            servo.report = lambda *_, damaged=damaged: damaged  # type: ignore[method-assign]
            servo.answer = lambda _, damaged=damaged: damaged  # type: ignore[method-assign]
            assert wire.read(protocol, {identity: Stretch(item.address, 1)}) == {}, "its answer is to another question"
        assert (wire.counters["instructions_misheard"], wire.counters["instructions_refused"]) == (4, 0)
    finally:
        wire.close()


def test_what_came_damaged_is_said_again(emulated: EmulatedLine, links_settings: DynamixelSettings) -> None:
    members = Members(links_settings, tuple(links_settings.joints), np.full(12, 2.6))
    wire = Line(Port(emulated.name, links_settings.baud_rate, PATIENCES[-1]))
    try:
        for servo in emulated.servos:
            mishear(servo, 2)
        make_ready(wire, members, links_settings)
        assert [servo.return_delay for servo in emulated.servos] == [0.0] * 12
        servo = emulated.servos[0]
        servo._put("return_delay", 250)
        mishear(servo, 99)
        with pytest.raises(SurefootError, match=r"return_delay = 0: it heard a wrong checksum; look at its cable"):
            make_ready(wire, members, links_settings)
    finally:
        wire.close()


def test_a_port_that_is_not_there_or_not_free() -> None:
    with pytest.raises(ConfigurationError, match=r"serial port /dev/not_there cannot be used.*dialout"):
        find_servos("/dev/not_there", (57600,), (1,))

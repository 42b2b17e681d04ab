# SPDX-License-Identifier: Apache-2.0
from collections.abc import Iterator

import pytest

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.servos.dynamixel.line import NO_ANSWER, Line, refusal_of
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.setup import Found, find_servos, restart, set_baud_rate
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo

PATIENCES = (0.03, 0.3, 3.0)
"""s for each answer, also for those that never come; a busy machine needs the longer ones."""


def found(line: EmulatedLine, baud_rates: tuple[int, ...], identities: tuple[int, ...], count: int) -> list[Found]:
    for patience in PATIENCES:
        servos = find_servos(line.name, baud_rates, identities, patience)
        if len(servos) == count:
            break
    return servos


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


def test_a_port_that_is_not_there_or_not_free() -> None:
    with pytest.raises(ConfigurationError, match=r"serial port /dev/not_there cannot be used.*dialout"):
        find_servos("/dev/not_there", (57600,), (1,))

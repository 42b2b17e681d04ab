# SPDX-License-Identifier: Apache-2.0
"""Answers that come after they were given up, and servos in another mode than they were told."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from surefoot.errors import SurefootError
from surefoot.robot.model import RobotModel
from surefoot.servos.buses.dynamixel import DynamixelBus
from surefoot.servos.dynamixel.line import Line, Stretch
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.servos.dynamixel.table import read_table
from surefoot.servos.emulation.line import EmulatedLine
from surefoot.servos.emulation.servo import EmulatedServo

PATIENCE = 0.15
"""s that is waited for each answer."""


class OneLate:
    """Every answer takes a little, and one of them more than anybody waits for.

    Args:
        which: of the answers, from 1 on.
    """

    def __init__(self, line: EmulatedLine, which: int) -> None:
        self._left, upon = which, line.mischief.upon
        # What becomes of one answer is asked after its delay was: the delay is set for the next one.
        line.mischief.upon = lambda packet: self._next(line, upon(packet))  # type: ignore[method-assign]
        self._next(line, b"")

    def _next(self, line: EmulatedLine, packet: bytes) -> bytes:
        self._left -= 1
        line.mischief.late = 1.3 * PATIENCE if self._left == 0 else 0.006
        return packet


@pytest.fixture
def line() -> Iterator[EmulatedLine]:
    made = EmulatedLine([EmulatedServo(read_table("dynamixel_x"), identity) for identity in range(1, 13)])
    yield made
    made.close()


@pytest.fixture
def settings(hand: Any, links: RobotModel, links_settings: DynamixelSettings) -> DynamixelSettings:
    modern: DynamixelSettings = hand.modern(links, links_settings, "current")
    return modern.model_copy(update={"reply_time": PATIENCE})


@pytest.mark.parametrize("which", [13, 14, 15, 16])
def test_one_late_answer_leaves_every_servo_as_it_is_to_be(
    hand: Any, links: RobotModel, settings: DynamixelSettings, line: EmulatedLine, which: int
) -> None:
    """Twelve have said who they are; then questions go out about torque, return delay and mode of the first."""
    OneLate(line, which)
    bus = hand.opened(links, settings, line)
    told = {name: [hand.memory(line, servo.identity, name) for servo in line.servos] for name in ("operating_mode", "return_delay")}
    assert told == {"operating_mode": [0] * 12, "return_delay": [0] * 12}
    assert bus._line.counters["replies_lost"] >= 1
    bus.close()


def test_an_answer_that_was_given_up_answers_no_later_question(line: EmulatedLine) -> None:
    table = line.servo(3).table
    wire = Line(Port(line.name, 1000000, PATIENCE))
    try:
        OneLate(line, 1)
        mode, delay = (Stretch(table.items[name].address, 1) for name in ("operating_mode", "return_delay"))
        assert wire.read(2, {3: mode}) == {}
        for _ in range(3):
            assert wire.read(2, {3: delay})[3].data == b"\x7f"
            assert wire.read(2, {3: mode})[3].data == b"\x03"
    finally:
        wire.close()


def test_a_line_that_is_never_silent_is_not_waited_for_without_an_end(eventually: Callable[[Callable[[], bool]], None]) -> None:
    far, near = os.openpty()
    port = Port(os.ttyname(near), 1000000, 0.02)
    try:
        os.write(far, b"\n")
        eventually(lambda: port.getBytesAvailable() > 0)
        heard = list[int]()
        # Whatever is dropped, there is more.
        port.clearPort = lambda: heard.append(1)
        port.drain(0.0)
        assert heard
    finally:
        port.closePort()
        os.close(far)
        os.close(near)


@pytest.mark.parametrize(("name", "wanted", "said"), [("operating_mode", 0, 3), ("return_delay", 0, 127), ("bus_watchdog", 5, 0)])
def test_what_a_servo_confirms_and_does_not_keep_is_refused(
    hand: Any, links: RobotModel, settings: DynamixelSettings, line: EmulatedLine, name: str, wanted: int, said: int
) -> None:
    servo = line.servo(7)
    address, take = servo.table.items[name].address, servo.write
    servo.write = lambda start, data: 0 if start == address else take(start, data)  # type: ignore[method-assign]
    with pytest.raises(SurefootError, match=rf"\(id 7\) does not confirm {name} = {wanted}: it says {said}; .*latency timer"):
        hand.opened(links, settings.model_copy(update={"reply_time": 3.0}), line)
    assert not any(servo.under_torque for servo in line.servos)


def test_a_servo_that_leaves_its_mode_is_named_and_loses_its_torque(
    hand: Any,
    links: RobotModel,
    settings: DynamixelSettings,
    line: EmulatedLine,
    eventually: Callable[[Callable[[], bool]], None],
) -> None:
    bus: DynamixelBus = hand.opened(links, settings.model_copy(update={"reply_time": 3.0, "health_every": 1}), line)
    hand.read(bus)

    def damped() -> tuple[str, ...]:
        bus.write(hand.damped())
        hand.read(bus)
        return bus.health().faults

    for _ in range(30):
        assert damped() == ()
    assert all(servo.under_torque for servo in line.servos), "in this mode damping is a torque"
    line.servo(5)._put("operating_mode", 3)
    eventually(lambda: damped() != ())
    assert bus.health().faults[0].startswith(f"{links.joint_names[4]} (id 5): is in operating mode 3, told mode 0; start the bridge anew")
    damped()
    assert [servo.identity for servo in line.servos if not servo.under_torque] == [5]
    bus.write(hand.command(np.zeros(12)))
    hand.read(bus)
    assert not line.servo(5).under_torque, "a goal means something else to it"
    line.servo(5)._put("operating_mode", 0)
    eventually(lambda: damped() == () and line.servo(5).under_torque)
    bus.close()

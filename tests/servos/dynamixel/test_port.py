# SPDX-License-Identifier: Apache-2.0
"""A line of one owner, and a clock that nobody sets."""

import os
import termios
import time
from collections.abc import Callable

import pytest

from surefoot.errors import ConfigurationError
from surefoot.servos.dynamixel.port import Port
from surefoot.servos.dynamixel.setup import Found, find_servos, restart, set_baud_rate

SERVO = Found(1, 2, 57600, 1020, "")


@pytest.mark.parametrize("opens", [
    lambda name: find_servos(name, [57600], range(3)),
    lambda name: set_baud_rate(name, SERVO, "dynamixel_x", 1000000),
    lambda name: restart(name, SERVO),
])  # fmt: skip
def test_who_is_refused_a_line_leaves_it_as_it_was(opens: Callable[[str], object]) -> None:
    far, near = os.openpty()
    try:
        name = os.ttyname(near)
        owner = Port(name, 1000000, 3.0)
        before = termios.tcgetattr(near)
        assert before[5] == termios.B1000000
        os.write(far, b"an answer to its owner")
        with pytest.raises(ConfigurationError, match="does no other bridge hold it"):
            opens(name)
        assert termios.tcgetattr(near) == before
        owner.setPacketTimeout(64)
        assert owner.readPort(64) == b"an answer to its owner"
        owner.closePort()
        Port(name, 57600, 3.0).closePort()
    finally:
        os.close(far)
        os.close(near)


def test_a_clock_that_is_set_neither_prolongs_nor_ends_a_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    far, near = os.openpty()
    try:
        port = Port(os.ttyname(near), 1000000, 3600.0)
        port.setPacketTimeout(1)
        set_to = [time.time() + 1e6, 0.0]
        monkeypatch.setattr(time, "time", lambda: set_to[0])
        assert not port.isPacketTimeout()
        port.setPacketTimeoutMillis(0.0)
        set_to.reverse()
        begin = time.monotonic()
        while time.monotonic() == begin:
            pass
        assert port.isPacketTimeout(), "by a clock that went back it never would be"
        port.closePort()
    finally:
        os.close(far)
        os.close(near)

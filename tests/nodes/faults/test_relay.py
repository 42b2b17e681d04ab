# SPDX-License-Identifier: Apache-2.0
"""The relay's own bookkeeping, without a middleware."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.taps import Kind, Letter, Tap
from surefoot.nodes.faults.relay import Relay


def test_healed_ways_are_sound_and_what_was_illegal_is_forgotten() -> None:
    tap = Tap(lambda body, generator: body, lambda body: body)
    tap.fail(Kind.OFF, 0.0)
    assert tap.send(0.1, Letter(0.1, b"")) == []
    relay: Any = SimpleNamespace(_lock=threading.RLock(), _taps={"imu": tap}, shift=10.0, illegal="torque in FAULT")
    Relay.heal(relay)
    assert tap.send(0.2, Letter(0.2, b"")) == [Letter(0.2, b"")]
    assert (relay.shift, relay.illegal) == (0.0, "")


def test_the_first_illegal_command_is_kept_and_each_is_counted_and_carried_on() -> None:
    said = iter(("", "torque in FAULT", "something else"))
    carried: list[bytes] = []
    relay: Any = SimpleNamespace(
        _lock=threading.RLock(), commands=0, illegal="", _watch=SimpleNamespace(illegal=lambda data: next(said)),
        _hear_any=lambda name, data: carried.append(data),
    )  # fmt: skip
    for data in (b"1", b"2", b"3"):
        Relay._hear_command(relay, "joint_command", data)
    assert (relay.commands, relay.illegal, carried) == (3, "torque in FAULT", [b"1", b"2", b"3"])


def test_a_callback_that_raises_is_told_to_whoever_waits() -> None:
    def spin(*_: Any, **named: Any) -> None:
        raise ValueError("12 values, not 11")

    relay: Any = SimpleNamespace(_over=threading.Event(), broken=None, _executor=SimpleNamespace(spin_until_future_complete=spin))
    Relay.require_sound(relay)
    Relay._spin(relay)
    with pytest.raises(SurefootError, match="the relay itself broke: ValueError: 12 values, not 11"):
        Relay.require_sound(relay)

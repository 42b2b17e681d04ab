# SPDX-License-Identifier: Apache-2.0
"""The relay's own bookkeeping, without a middleware."""

import threading
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.taps import Kind, Letter, Tap
from surefoot.nodes.faults.messages import stamp_in, with_stamp
from surefoot.nodes.faults.relay import LOST_IN_A_ROW, Relay


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


def test_for_what_was_lost_here_the_robot_does_not_wait_a_few_times() -> None:
    said: list[tuple[float, bytes]] = []
    names = ("robot_state", "imu", "joint_command")
    publish = dict.fromkeys(names, lambda data: None) | {"joint_command": lambda data: said.append((stamp_in(data), data[12:]))}
    relay: Any = SimpleNamespace(
        _lock=threading.RLock(), time=0.0, silent=set(), _lost=Counter(), _commanded=b"", _publish=publish,
        _taps={name: Tap(lambda body, generator: body, lambda body: body) for name in names},
    )  # fmt: skip
    relay._say = lambda name, letters: Relay._say(relay, name, letters)

    def hear(name: str, body: bytes = b"") -> list[tuple[float, bytes]]:
        before, relay.time = len(said), relay.time + 1.0
        Relay._hear_any(relay, name, with_stamp(bytes(12) + body, relay.time))
        return said[before:]

    for name in names[:2]:
        relay._taps[name].fail(Kind.OFF, 0.0)
    assert hear("robot_state") == [], "nothing was commanded yet"
    relay._taps["robot_state"].heal()
    hear("robot_state")
    assert hear("joint_command", b"it") == [(3.0, b"it")]
    relay._taps["robot_state"].fail(Kind.OFF, 0.0)
    assert hear("imu") == [], "a command comes without it"
    again = [word for _ in range(LOST_IN_A_ROW + 2) for word in hear("robot_state")]
    assert again == [(5.0 + place, b"it") for place in range(LOST_IN_A_ROW)], "under the stamp of each sample"


def test_a_callback_that_raises_is_told_to_whoever_waits() -> None:
    def spin(*_: Any, **named: Any) -> None:
        raise ValueError("12 values, not 11")

    relay: Any = SimpleNamespace(_over=threading.Event(), broken=None, _executor=SimpleNamespace(spin_until_future_complete=spin))
    Relay.require_sound(relay)
    Relay._spin(relay)
    with pytest.raises(SurefootError, match="the relay itself broke: ValueError: 12 values, not 11"):
        Relay.require_sound(relay)

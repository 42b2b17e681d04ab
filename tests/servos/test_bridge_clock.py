# SPDX-License-Identifier: Apache-2.0
"""A clock that jumps is a fault, and nothing that was stamped before it went back counts any more."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from damping import is_damping

from surefoot.robot.activity import Activity
from surefoot.servos.attitude import Attitude
from surefoot.servos.modes import Mode, Request
from surefoot.servos.settings import BridgeSettings


@pytest.mark.parametrize("time", [math.nan, math.inf, -5.0])
def test_a_clock_that_jumps(rig: Any, time: float) -> None:
    rig.walking()
    output = rig.bridge.tick(time, attitude=Attitude(0.0, 0.0))
    assert output.mode == Mode.FAULT
    assert output.reason.startswith("clock: ")
    assert is_damping(output)


def test_a_clock_that_starts_again_while_nothing_moves_is_no_trouble(rig: Any) -> None:  # case 152
    rig.time = 100.0
    rig.tick()
    rig.time = 0.0
    rig.tick()
    rig.tick()
    assert rig.tick(request=Request.ARM).mode == Mode.DAMPING


LATE = 1e6
"""s; no number of a bridge but a time is as large."""


def times_kept(thing: object, path: str, seen: set[int]) -> list[str]:
    """Where something keeps a number that is a time near LATE."""
    if id(thing) in seen or isinstance(thing, (str, bytes, int, BridgeSettings, Callable)):  # type: ignore[arg-type]
        return []
    seen.add(id(thing))
    if isinstance(thing, float):
        return [path] if 0.9 * LATE < abs(thing) < 1.1 * LATE else []
    if isinstance(thing, np.ndarray):
        size = np.abs(thing) if thing.dtype.kind == "f" else np.zeros(0)
        return [path] if ((size > 0.9 * LATE) & (size < 1.1 * LATE)).any() else []
    if isinstance(thing, dict):
        parts = {str(key): part for key, part in thing.items()}
    elif isinstance(thing, (list, tuple, deque)):
        parts = {str(place): part for place, part in enumerate(thing)}
    else:
        parts = getattr(thing, "__dict__", {})
    return [found for name, part in parts.items() for found in times_kept(part, f"{path}.{name}", seen)]


def held_off_the_ground(rig: Any) -> None:
    rig.ready()
    rig.balance(20)
    rig.tick(planner_activity=int(Activity.HELD))


def without_an_estimate(rig: Any) -> None:
    rig.ready()
    rig.balance(20, planner_activity=int(Activity.STANDING))
    for _ in range(60):
        rig.tick(attitude=None, command=None, planner_activity=int(Activity.INACTIVE), estimate_problem="it does not know")


def with_a_stale_command(rig: Any) -> None:
    rig.walking()
    for _ in range(30):
        rig.tick()


def beyond_its_limits(rig: Any) -> None:
    rig.walking()
    rig.balance(10, operator=True)
    for _ in range(10):
        sample = rig.sample_at(rig.time + rig.TICK, rig.position, 20.0)
        rig.balance(sample=replace(sample, joint_effort=np.full(12, 300.0)), operator=True)


@pytest.mark.parametrize(
    "before", [lambda rig: rig.tick(), held_off_the_ground, without_an_estimate, with_a_stale_command, beyond_its_limits]
)
def test_nothing_is_kept_that_was_stamped_before_the_clock_went_back(rig: Any, before: Callable[[Any], object]) -> None:
    rig.time = LATE
    before(rig)
    assert times_kept(rig.bridge, "bridge", set()), "this would find one"
    rig.time = 0.0
    rig.tick()
    assert times_kept(rig.bridge, "bridge", set()) == []
    assert rig.outputs[-1].since <= rig.time


def test_the_take_over_has_its_time_after_the_clock_went_back(rig: Any) -> None:
    rig.time = 1000.0
    held_off_the_ground(rig)
    rig.time = 0.0
    assert rig.tick().mode == Mode.FAULT
    rig.tick()
    rig.tick(request=Request.ARM)
    rig.tick(request=Request.STAND)
    rig.until(Mode.READY)
    began, limit = rig.time, rig.settings.takeover_timeout
    output = rig.until(Mode.FAULT, 2.0 * limit)
    assert output.reason.startswith("take-over: ")
    assert rig.time - began == pytest.approx(limit, abs=2.0 * rig.TICK)

# SPDX-License-Identifier: Apache-2.0
"""Random messages of every kind into the bridge; SUREFOOT_RANDOM_CASES in the environment makes them more, however long they take."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefoot.servos.attitude import Attitude
from surefoot.servos.bus import BusHealth
from surefoot.servos.gates import UNDER_TORQUE
from surefoot.servos.limits import JointLimits
from surefoot.servos.modes import MOVES, Mode, Request

CASES = int(os.environ.get("SUREFOOT_RANDOM_CASES", "3000"))
if "SUREFOOT_RANDOM_CASES" in os.environ:
    pytestmark = pytest.mark.timeout(0)
STRANGE = np.array(
    [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-308, 1e-320, 1.0, -1.0, 1e3, -1e3, 1e6, -1e6, 1e9, -1e9, 1e300, -1e300, 1.79e308, 3.2, 0.5]
)
LEGAL = {(move.source, move.target) for move in MOVES} | {(mode, mode) for mode in Mode}
LATCHED = (Mode.STOPPED, Mode.FAULT)


class Fuzzer:
    """Draws what comes to the bridge: most of it sound, so that every mode is reached, and the rest as strange as numbers get."""

    def __init__(self, rig: Any, seed: int) -> None:
        self.rig, self.generator = rig, np.random.default_rng(seed)

    def chance(self, probability: float) -> bool:
        return bool(self.generator.random() < probability)

    def strange(self) -> float:
        if self.chance(0.7):
            return float(self.generator.choice(STRANGE))
        return float(self.generator.normal() * 10.0 ** self.generator.uniform(-3, 9))

    def spoilt(self, values: np.ndarray) -> np.ndarray:
        """The same array with strange numbers, or of another shape."""
        values = values.copy()
        if self.chance(0.1):
            return values[: int(self.generator.integers(0, 12))]
        if self.chance(0.2):
            values[:] = [self.strange() for _ in values]
        else:
            values[int(self.generator.integers(12))] = self.strange()
        return values

    def message(self, made: Any, *names: str) -> Any:
        """A message with one of its arrays, or its stamp, spoilt."""
        if self.chance(0.2):
            return replace(made, time=self.strange() if self.chance(0.5) else made.time + self.generator.normal() * 0.1)
        name = str(self.generator.choice(names))
        return replace(made, **{name: self.spoilt(getattr(made, name))})

    def inputs(self, time: float, bad: float) -> dict[str, Any]:
        rig, given = self.rig, {}
        sample = rig.sample_at(time, rig.position, self.generator.normal() * 0.01)
        command = rig.command_at(time, effort=self.generator.normal())
        if not self.chance(0.02):
            spoil = self.chance(bad)
            given["sample"] = self.message(sample, "joint_position", "joint_velocity", "joint_effort") if spoil else sample
        if not self.chance(0.02):
            spoil = self.chance(bad)
            given["command"] = self.message(command, "position", "velocity", "effort", "stiffness", "damping") if spoil else command
        given["answered"] = self.strange() if self.chance(bad) else time
        given["attitude"] = None if self.chance(0.02) else Attitude(0.0, 0.0)
        if self.chance(bad):
            given["attitude"] = Attitude(self.strange(), self.strange())
        if self.chance(bad):
            hot = BusHealth(temperature=np.full(12, self.strange()), voltage=np.full(12, self.strange()))
            given["health"] = hot if self.chance(0.5) else BusHealth("silent", ("x",) if self.chance(0.2) else ())
        elif self.chance(0.3):
            given["health"] = BusHealth()
        if self.chance(bad):
            given["request"] = int(self.generator.integers(-3, 300))
        given["planner_activity"] = int(self.generator.integers(0, 4)) if self.chance(bad) else 1
        given["operator"] = self.chance(0.5)
        given["estimate_problem"] = "none" if self.chance(bad) else ""
        return given


def wanted(mode: Mode) -> int:
    """What a person would ask for, to get the robot to walk."""
    ways = {Mode.OFF: Request.ARM, Mode.DAMPING: Request.STAND, Mode.SITTING: Request.STAND, Mode.READY: Request.WALK}
    return ways.get(mode, Request.ARM if mode in LATCHED else Request.NONE)


def test_random_messages_never_crash_it_and_nothing_illegal_comes_out(make_rig: Any, limits: JointLimits) -> None:
    messages, ticks, seen = 0, 0, set[Mode]()
    rounds = 0
    while messages < CASES:
        fast = bool(rounds % 2)
        rig = make_rig(
            effort_rate_limit=3000.0 if fast else None, torque_speed_diamond=fast, blend_time=0.05, max_power=5000.0 if fast else None,
            between_commands="interpolate" if fast else "hold", min_voltage=1.0 if fast else None,
        )  # fmt: skip
        rig.bridge._servos = rig.bridge._servos.model_copy(update={"posture_speed": 20.0})
        fuzzer, before, origin = Fuzzer(rig, rounds), Mode.OFF, rig.position.copy()
        bad = float(fuzzer.generator.choice((0.0005, 0.003, 0.03, 0.3)))
        for _ in range(min(2500, max(400, CASES // 8))):
            rig.time = round(rig.time + rig.TICK, 6)
            time = rig.time if not fuzzer.chance(0.1 * bad) else fuzzer.strange()
            given = fuzzer.inputs(rig.time, bad)
            given.setdefault("request", wanted(before) if fuzzer.chance(0.1) else 0)
            output = rig.bridge.tick(time, **given)
            messages += sum(given.get(name) is not None for name in ("sample", "command", "attitude", "health")) + (given["request"] != 0)
            ticks += 1
            check(rig, limits, before, origin, output)
            origin = output.command.position.copy()
            if output.command.stiffness.any():
                rig.position = output.command.position.copy()
            if np.isfinite(time) and time > rig.time + 1.0:
                break  # such a clock never comes back by itself
            before = output.mode
            seen.add(before)
        rounds += 1
    print(f"{messages} messages in {ticks} ticks, modes {sorted(mode.name for mode in seen)}")
    assert {Mode.DAMPING, Mode.STANDING_UP, Mode.READY, Mode.WALKING, Mode.FAULT} <= seen


def check(rig: Any, limits: JointLimits, before: Mode, origin: np.ndarray, output: Any) -> None:
    made = output.command
    for array in (made.position, made.velocity, made.effort, made.stiffness, made.damping):
        assert np.isfinite(array).all()
    assert output.counters.get("exceptions", 0) == 0, output.reason
    assert (before, output.mode) in LEGAL
    assert (np.abs(made.effort) <= limits.effort).all()
    if made.stiffness.any():
        assert rig.inwards(made, origin if before in UNDER_TORQUE else rig.bridge._state.joint_position)
        assert (np.abs(made.velocity) <= limits.velocity).all()
        state = rig.bridge._state
        torque = rig.torque(made, state.joint_position, state.joint_velocity)
        assert (np.abs(torque) <= limits.effort * (1.0 + 1e-6)).all()
    if output.mode in (Mode.OFF, Mode.DAMPING, Mode.SITTING, *LATCHED):
        assert not made.stiffness.any()
        assert not made.effort.any()
        assert (made.damping == (0.0 if output.mode == Mode.OFF else 8.0)).all()

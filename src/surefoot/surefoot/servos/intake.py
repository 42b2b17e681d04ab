# SPDX-License-Identifier: Apache-2.0
"""What the bridge believes of what it is told: measurements and commands that cannot be are refused and counted, never raised."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.robot.state import SensorSample
from surefoot.servos.bounds import all_between
from surefoot.servos.limits import not_finite

Array = NDArray[np.float64]

MOST_TARGET = 1e6
"""rad and rad/s; a target beyond this is garbage."""
MOST_POSITION = 100.0
"""rad; a joint that measures more than this measures nonsense."""
MOST_VELOCITY = 1000.0
"""rad/s"""
MOST_GAIN = 1e6
"""N m/rad and N m s/rad; a gain above this is garbage, and would overflow further on."""
MOST_EFFORT = 1e9
"""N m"""


class StateIntake:
    """The newest joint state that can be believed.

    Attributes:
        time: of that sample, s; None before the first.
        joint_position: (12,), rad.
        joint_velocity: (12,), rad/s; from differences where it is not measured.
        joint_effort: (12,), N m, as it came; NaN where it is not measured.
        problem: why the last sample was refused; empty if it was not.
    """

    def __init__(self, joint_names: Sequence[str], counters: "Counter[str]") -> None:
        self._names, self._counters = tuple(joint_names), counters
        self.restart()

    def restart(self) -> None:
        """Forget every sample."""
        self.time: float | None = None
        self.joint_position = np.zeros(len(self._names))
        self.joint_velocity = np.zeros(len(self._names))
        self.joint_effort = np.full(len(self._names), np.nan)
        self.problem = ""

    def take(self, sample: SensorSample | None, latest: float) -> None:
        """Take one sample; a repeated stamp is nothing new, and one from before the newest or after the time latest (s) is dropped."""
        if sample is None:
            return
        position, velocity = np.asarray(sample.joint_position), np.asarray(sample.joint_velocity)
        self.problem = self._refusal(sample.time, position, velocity)
        if not self.problem and sample.time > latest:
            self.problem = f"joint state is stamped {sample.time:.3f} s, in the future"
        if self.problem:
            self._counters["samples_refused"] += 1
            return
        if self.time is not None and sample.time <= self.time:
            self._counters["samples_late"] += sample.time < self.time
            return
        if not np.isfinite(velocity).all():
            elapsed = math.inf if self.time is None else sample.time - self.time
            difference = np.clip((position - self.joint_position) / elapsed, -MOST_VELOCITY, MOST_VELOCITY)
            velocity = np.where(np.isfinite(velocity), velocity, difference)
        self.time, self.joint_position, self.joint_velocity = sample.time, position.astype(float), velocity.astype(float)
        effort = np.asarray(sample.joint_effort, dtype=float)
        self.joint_effort = effort if effort.shape == position.shape else np.full(position.shape, np.nan)

    def _refusal(self, time: float, position: Array, velocity: Array) -> str:
        shape = (len(self._names),)
        if position.shape != shape or velocity.shape != shape:
            return f"joint state has shapes {position.shape} and {velocity.shape}, not {shape}"
        if not math.isfinite(time):
            return f"joint state is stamped {time}"
        problem = not_finite(self._names, position=position)
        if problem:
            return problem
        worst = int(np.argmax(np.abs(position)))
        if abs(position[worst]) > MOST_POSITION:
            return f"{self._names[worst]} position {position[worst]:.4g} rad is beyond anything a joint can measure ({MOST_POSITION:g})"
        # NaN is "not measured" and passes here; infinity does not.
        if (np.abs(velocity) > MOST_VELOCITY).any():
            worst = int(np.nanargmax(np.abs(velocity)))
            return f"{self._names[worst]} velocity {velocity[worst]:.4g} rad/s is beyond anything a joint can measure ({MOST_VELOCITY:g})"
        return ""


COMMAND_RANGES = {
    "position": (-MOST_TARGET, MOST_TARGET),
    "velocity": (-MOST_TARGET, MOST_TARGET),
    "effort": (-MOST_EFFORT, MOST_EFFORT),
    "stiffness": (0.0, MOST_GAIN),
    "damping": (0.0, MOST_GAIN),
}
"""What the numbers of a command may be at all; the limits of the robot come later."""
_LOWEST, _HIGHEST = (np.array([bounds[side] for bounds in COMMAND_RANGES.values()]) for side in (0, 1))


def command_problem(joint_names: Sequence[str], command: JointCommand) -> str:
    """Why a command must not come near a motor: shape, NaN, infinity, gains that are negative or absurd; empty if it may pass on."""
    shape = (len(joint_names),)
    rows = (command.position, command.velocity, command.effort, command.stiffness, command.damping)
    arrays = dict(zip(COMMAND_RANGES, map(np.asarray, rows), strict=True))
    for key, values in arrays.items():
        if values.shape != shape:
            return f"{key} of the command has shape {values.shape}, not {shape}"
    if not math.isfinite(command.time):
        return f"the command is stamped {command.time}"
    table = np.array(rows)
    # Stated as what is right, so that a NaN is wrong; the words are looked for only then.
    if all_between(table, _LOWEST, _HIGHEST):
        return ""
    row, place = np.argwhere(~((table >= _LOWEST[:, np.newaxis]) & (table <= _HIGHEST[:, np.newaxis])))[0]
    key = list(COMMAND_RANGES)[row]
    lower, upper = COMMAND_RANGES[key]
    problem = not_finite(joint_names, **arrays)
    return problem or f"{joint_names[place]} {key} {table[row, place]:.4g} is outside {lower:g} to {upper:g}"

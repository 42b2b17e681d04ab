# SPDX-License-Identifier: Apache-2.0
"""What of a plan and a state a controller reads, and whether it can be read."""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

STATE_FIELDS = ("base_position", "base_quaternion", "base_velocity", "base_rate", "joint_position", "joint_velocity")
PLAN_FIELDS = (
    "base_position",
    "base_roll_pitch_yaw",
    "base_velocity",
    "base_rate",
    "base_acceleration",
    "foot_position",
    "foot_velocity",
    "foot_acceleration",
    "load",
    "normal",
    "friction",
)
UNIT_TOLERANCE = 1e-3
"""On the squared length of the base quaternion: more than rounding is not an attitude."""


def usable_inputs(plan: np.void, state: np.void) -> bool:
    """Whether every number that a controller reads is finite and the attitude is one.

    A clamp would turn a NaN into a limit and a comparison would drop a bound that is NaN, so neither may see one.
    """
    total = _sum(np.frombuffer(state), _words(state.dtype, STATE_FIELDS)) + _sum(np.frombuffer(plan), _words(plan.dtype, PLAN_FIELDS))
    x, y, z, w = state["base_quaternion"].tolist()
    return math.isfinite(total) and abs(x * x + y * y + z * z + w * w - 1.0) <= UNIT_TOLERANCE


@compiled
def _sum(record: Array, words: NDArray[np.int64]) -> float:
    """Of some words of a record; it is finite only if each of them is."""
    total = 0.0
    for word in words:
        total += abs(record[word])
    return total


@cache
def _words(record: np.dtype[Any], fields: tuple[str, ...]) -> NDArray[np.int64]:
    """Where the numbers of those fields are among the words of 8 bytes that a record consists of."""
    columns = np.zeros(1, record)
    columns.view(np.float64)[:] = np.arange(record.itemsize // 8)
    return np.concatenate([columns[field].ravel() for field in fields]).astype(np.int64)

# SPDX-License-Identifier: Apache-2.0
"""What of a plan and a state a controller reads, and whether it can be read."""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    quaternion = state["base_quaternion"]
    total = _sum(state, STATE_FIELDS) + _sum(plan, PLAN_FIELDS)
    return math.isfinite(total) and abs(float(quaternion.dot(quaternion)) - 1.0) <= UNIT_TOLERANCE


def _sum(record: np.void, fields: tuple[str, ...]) -> float:
    """Of all numbers of some fields of a record; it is finite only if each of them is."""
    return float(sum(np.frombuffer(record)[_words(record.dtype, fields)].tolist()))


@cache
def _words(record: np.dtype[Any], fields: tuple[str, ...]) -> NDArray[np.int64]:
    """Where the numbers of those fields are among the words of 8 bytes that a record consists of."""
    columns = np.zeros(1, record)
    columns.view(np.float64)[:] = np.arange(record.itemsize // 8)
    return np.concatenate([columns[field].ravel() for field in fields]).astype(np.int64)

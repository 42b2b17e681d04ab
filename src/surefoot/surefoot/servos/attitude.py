# SPDX-License-Identifier: Apache-2.0
"""Roll and pitch of the base, and when they are too much."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Attitude(NamedTuple):
    """Tilt of the base against the vertical (rotations about y, then x, after the heading)."""

    roll: float
    """rad"""
    pitch: float
    """rad"""


def attitude_of(odom_from_base: Sequence[float] | NDArray[np.float64]) -> Attitude:
    """Roll and pitch of a quaternion x y z w of any length but zero; NaN where there is no direction to read."""
    x, y, z, w = (float(part) for part in odom_from_base)
    square = x * x + y * y + z * z + w * w
    if not (math.isfinite(square) and square > 1e-12):
        return Attitude(math.nan, math.nan)
    # Rounding may carry the sine of the pitch past one.
    sine = max(-1.0, min(1.0, 2.0 * (w * y - z * x) / square))
    return Attitude(math.atan2(2.0 * (w * x + y * z), w * w - x * x - y * y + z * z), math.asin(sine))


def tilt_of(attitude: Attitude) -> float:
    """Angle between the up of the base and the up of the world, rad; NaN where it is not known."""
    if not (math.isfinite(attitude.roll) and math.isfinite(attitude.pitch)):
        return math.nan
    return math.acos(max(-1.0, min(1.0, math.cos(attitude.roll) * math.cos(attitude.pitch))))


def up_of(attitude: Attitude) -> NDArray[np.float64]:
    """The up of the world in the base, (3,)."""
    roll, pitch = attitude
    return np.array((-math.sin(pitch), math.sin(roll) * math.cos(pitch), math.cos(roll) * math.cos(pitch)))


def tilt_problem(attitude: Attitude, max_roll: float, max_pitch: float) -> str:
    """Which axis is beyond its limit, with value and limit; empty when neither is. A NaN is beyond every limit."""
    problems = [
        f"{axis} {value:.2f} rad, limit {limit:.2f} rad"
        for axis, value, limit in (("roll", attitude.roll, max_roll), ("pitch", attitude.pitch, max_pitch))
        if not abs(value) <= limit
    ]
    return "; ".join(problems)

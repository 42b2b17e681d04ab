# SPDX-License-Identifier: Apache-2.0
"""How far the body leans."""

import math
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class Tilt(Settings):
    """Roll or pitch; the source states no number."""

    largest: Annotated[float, Field(gt=0.0, le=1.5)] = 0.6
    """rad"""


def fill_roll(limits: np.ndarray, model: RobotModel, parameters: Tilt) -> None:
    """Write what the judgement needs."""
    limits["largest_roll"] = parameters.largest


def fill_pitch(limits: np.ndarray, model: RobotModel, parameters: Tilt) -> None:
    """Write what the judgement needs."""
    limits["largest_pitch"] = parameters.largest


@compiled
def roll_and_pitch(qpos: Any) -> tuple[float, float]:
    """Of one particle, rad."""
    w, x, y, z = qpos[3], qpos[4], qpos[5], qpos[6]
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return roll, math.asin(min(1.0, max(-1.0, 2.0 * (w * y - z * x))))


@compiled
def tilt_witness(angle: float, largest: float) -> float:
    """1 upright, 0 at the limit."""
    return 1.0 - abs(angle) / largest

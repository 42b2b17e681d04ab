# SPDX-License-Identifier: Apache-2.0
"""Feet planned where the legs can put them."""

import math
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class Reach(Settings):
    """Of the planned foot positions, from the hips where they are."""

    farthest: Annotated[float, Field(gt=0.0, le=2.0)] = 1.1
    """From hip to planned foot, in parts of the robot's largest reach. A body that a push moved is not where the plan was made for."""


def fill_reach(limits: np.ndarray, model: RobotModel, parameters: Reach) -> None:
    """Write what the judgement needs."""
    limits["hip_in_base"] = model.hip_in_base
    limits["farthest_foot"] = parameters.farthest * model.description.max_reach


@compiled
def reach_witness(qpos: Any, height: float, planned: Any, hip_in_base: Any, farthest: float) -> float:
    """Least room of any leg in parts of the limit.

    Args:
        qpos: of one particle, its ground at 0.
        height: of the believed ground in odom, m.
        planned: foot positions in odom, (4, 3), m.
        hip_in_base: (4, 3), m.
        farthest: m.
    """
    w, x, y, z = qpos[3], qpos[4], qpos[5], qpos[6]
    room = 1e300
    for leg in range(4):
        a, b, c = hip_in_base[leg, 0], hip_in_base[leg, 1], hip_in_base[leg, 2]
        p, q, r = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
        dx = planned[leg, 0] - qpos[0] - (a + w * p + y * r - z * q)
        dy = planned[leg, 1] - qpos[1] - (b + w * q + z * p - x * r)
        dz = planned[leg, 2] - height - qpos[2] - (c + w * r + x * q - y * p)
        mine = 1.0 - math.sqrt(dx * dx + dy * dy + dz * dz) / farthest
        if not mine >= room:
            room = mine
    return room

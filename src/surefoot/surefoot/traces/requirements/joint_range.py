# SPDX-License-Identifier: Apache-2.0
"""Joints inside of their ranges."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings


class JointRange(Settings):
    """Of every joint."""

    give: Annotated[float, Field(ge=0.0, le=0.5)] = 0.05
    """rad beyond the range that is not held against a trace: simulated joint stops are soft."""


def fill_joint_range(limits: np.ndarray, model: RobotModel, parameters: JointRange) -> None:
    """Write what the judgement needs."""
    limits["joint_lower"], limits["joint_upper"] = model.position_lower, model.position_upper
    limits["joint_give"] = parameters.give


@compiled
def joint_range_witness(joints: Any, lower: Any, upper: Any, give: float) -> float:
    """Least room of any joint, rad; not a number if one of them is none."""
    room = 1e300
    for i in range(joints.shape[0]):
        mine = min(joints[i] - lower[i], upper[i] - joints[i])
        # Written so that what is not a number wins.
        if not mine >= room:
            room = mine
    return room + give

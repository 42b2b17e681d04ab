# SPDX-License-Identifier: Apache-2.0
"""What a gear takes of the torque that goes through it.

A gear of efficiency e lets e of its motor's power through to the joint, and one of backward efficiency b lets b of the joint's power
through to a motor that brakes: the torque at the joint is e times that of the motor (times the ratio), and 1 / b times. Both are one dry
friction against the motion, as large as a share of the torque: 1 - e, and 1 / b - 1. At rest it holds: a load between those two moves no
joint.
"""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


@compiled
def gear_friction(torque: float, speed: float, forward: float, backward: float) -> float:
    """Dry friction of a gear, N m, never below zero.

    Args:
        torque: of the motor times the ratio, N m.
        speed: of the joint, rad/s; at rest the motor counts as one that drives.
        forward, backward: shares of the torque that are lost while the motor drives the joint, and while it is driven by it.
    """
    return abs(torque) * (backward if torque * speed < 0.0 else forward)

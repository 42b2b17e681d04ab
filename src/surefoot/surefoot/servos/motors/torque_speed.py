# SPDX-License-Identifier: Apache-2.0
"""Torque and speed of a motor together: |torque| / most torque + loss |speed| / most speed <= 1 [Zapolsky 2017, section 6.1.1].

The source's formula for negative torques shuts out rest; the region that its words describe is this diamond, for a loss of one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


@compiled
def most_torque(stall_torque: float, no_load_speed: float, speed: float, loss: float) -> float:
    """Most torque that a motor gives at a speed, N m, never below zero.

    Args:
        stall_torque: at rest, N m.
        no_load_speed: rad/s.
        speed: rad/s, of either sign.
        loss: share of the torque that is gone at the no-load speed: 1 is the diamond, 0 takes no notice of the speed.
    """
    return stall_torque * max(0.0, 1.0 - loss * abs(speed) / no_load_speed)


@compiled
def torque_speed_room(stall_torque: float, no_load_speed: float, torque: float, speed: float) -> float:
    """How far a motor is inside of the diamond, in parts of the stall torque; below zero outside."""
    return 1.0 - abs(speed) / no_load_speed - abs(torque) / stall_torque


@dataclass(frozen=True)
class Motor:
    """A motor with its gear, as seen at the joint.

    Attributes:
        stall_torque: N m.
        no_load_speed: rad/s.
    """

    stall_torque: float
    no_load_speed: float


MOTORS = {"RX-24F": Motor(2.6, 13.195), "MX-64": Motor(6.0, 6.597), "hobby": Motor(1.1, 6.55)}
"""Of the robots in the source [Zapolsky 2017, sections 6.1 and 6.2]."""

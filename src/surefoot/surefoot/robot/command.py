# SPDX-License-Identifier: Apache-2.0
"""The command to the joint servos as the library passes it around."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointCommand:
    """torque = effort + stiffness (position - q) + damping (velocity - qd), evaluated in the servo.

    Attributes:
        time: of the sensor sample that the command answers to, s.
        position: (12,), rad.
        velocity: (12,), rad/s.
        effort: (12,), N m.
        stiffness: (12,), N m/rad.
        damping: (12,), N m s/rad.
        remarks: what was clamped, repaired or fell back in making it.
    """

    time: float
    position: Array
    velocity: Array
    effort: Array
    stiffness: Array
    damping: Array
    remarks: tuple[str, ...] = ()

    @staticmethod
    def damped(time: float, joint_position: Array, damping: float) -> "JointCommand":
        """No torque but joint damping.

        Args:
            time: of the sample that this answers to, s.
            joint_position: measured, (12,), rad; carried along, but without stiffness it asks for nothing.
            damping: N m s/rad.
        """
        zero = np.zeros_like(joint_position)
        return JointCommand(time, joint_position.copy(), zero, zero, zero, np.full_like(joint_position, damping))

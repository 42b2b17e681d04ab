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

    @property
    def is_damping(self) -> bool:
        """Whether it asks for damping alone, or for nothing at all: then its positions are no targets, and nobody may have measured them.

        Of the whole command: a joint that the limits leave nothing for one tick still has its target.
        """
        return not (self.stiffness.any() or self.effort.any())

    @staticmethod
    def damped(time: float, joint_position: Array, damping: float | Array) -> "JointCommand":
        """No torque but joint damping.

        Args:
            time: of the sample that this answers to, s.
            joint_position: (12,), rad; measured where something was, carried along, and no target: see `is_damping`.
            damping: of all joints, or of each, (12,), N m s/rad.
        """
        zero = np.zeros_like(joint_position)
        return JointCommand(time, joint_position.copy(), zero, zero, zero, np.full_like(joint_position, damping))

# SPDX-License-Identifier: Apache-2.0
"""Targets of position servos that lead their joints by what a feed-forward torque is worth, inside of the limits of the joints."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand

Array = NDArray[np.float64]


class Lead:
    """Makes the targets of one command after the other.

    Args:
        lower, upper: position limits of the joints, (12,), rad.
        velocity: their velocity limits, (12,), rad/s.
        stiffness: of the servos' own position control at the joint, (12,), N m/rad; infinite where it is not known.
    """

    def __init__(self, lower: Array, upper: Array, velocity: Array, stiffness: Array) -> None:
        self._lower, self._upper, self._velocity, self._stiffness = lower, upper, velocity, stiffness
        self._time = 0.0
        self._before: Array | None = None

    def target(self, time: float, command: JointCommand) -> Array:
        """Where the servos are to go, (12,), rad.

        The limits of the joint hold for the target with its lead as well; only the command itself may be beyond one, and is led no further
        out. From target to target it goes no faster than the velocity limit, and begins without a lead.

        Args:
            time: at which it is told, s.
            command: inside of the limits; one that is damping is told to nobody.
        """
        if command.is_damping:
            self._before = None
            return command.position
        if self._before is None:
            target = command.position.copy()
        else:
            wanted = command.position + command.effort / self._stiffness
            target = np.clip(wanted, np.minimum(self._lower, command.position), np.maximum(self._upper, command.position))
            reach = self._velocity * max(0.0, time - self._time)
            target = np.clip(target, self._before - reach, self._before + reach)
        self._time, self._before = time, target
        return target

# SPDX-License-Identifier: Apache-2.0
"""What every simulation of a robot offers, whatever its model of contact."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.command import JointCommand
from surefoot.simulation.robot import GroundTruth

Array = NDArray[np.float64]


class Physics(Protocol):
    """A simulated robot without its sensors.

    Attributes:
        period: of control, s.
        command_delay: from `step` to the moment at which its command reaches the servos, s.
    """

    period: float
    command_delay: float

    def reset(self, joint_position: Array, height: float | None = None) -> None:
        """Put the robot at rest on the ground with its base level; the lowest foot touches the ground if no height (m) is given."""
        ...

    def step(self, command: JointCommand | None) -> None:
        """Advance one control period; without a command the servos are off."""
        ...

    def truth(self) -> GroundTruth:
        """What really is now."""
        ...

    def foot_forces(self) -> Array:
        """Force of the ground on each foot in the axes of the world, (4, 3), N."""
        ...

# SPDX-License-Identifier: Apache-2.0
"""What a plant shows beside the state of its robots: where their shapes are and what their servos give."""

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.plant.plant import Plant

Array = NDArray[np.float64]


class PlantContacts:
    """Live arrays of a plant that nobody may write; they are of the beginning of the last physics step.

    Attributes:
        geom_position: (size, geoms, 3), m, the ground at 0.
        geom_rotation: row by row, (size, geoms, 9).
        torque: of each servo as the joint felt it, (size, 12), N m.
        speed: of each servo, (size, 12), rad/s.
    """

    def __init__(self, plant: Plant) -> None:
        # The batch copies out what is bound, at every step; nobody else needs these.
        bind = plant.batch.bind
        self.geom_position, rotation = bind("geom_xpos"), bind("geom_xmat")
        self.geom_rotation = rotation.reshape(len(rotation), -1, 9)
        self.torque, self.speed = bind("actuator_force"), bind("actuator_velocity")

    def of(self, count: int) -> tuple[Array, Array, Array, Array]:
        """Torque, speed, positions and rotations of the first particles."""
        return self.torque[:count], self.speed[:count], self.geom_position[:count], self.geom_rotation[:count]

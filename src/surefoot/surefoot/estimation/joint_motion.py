# SPDX-License-Identifier: Apache-2.0
"""Where the joints are some time after they were sampled: they go on as they did."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.intake import PLACE
from surefoot.estimation.plausibility import SensorBounds

Array = NDArray[np.float64]


class Joints(NamedTuple):
    """Position and velocity, (12,), rad and rad/s, and their variances."""

    position: Array
    velocity: Array
    position_variance: Array
    velocity_variance: Array


def joints_ahead(slot: Array, ahead: float, parameters: Any, held_acceleration: float, bounds: SensorBounds | None = None) -> Joints:
    """The joints of a slot some time later.

    Args:
        slot: numbers of SLOT with joints.
        ahead: s; nothing changes if it is not positive.
        parameters: record of FILTER_PARAMETERS.
        held_acceleration: how far a joint gets from moving on as it did, rad/s^2.
        bounds: within which they stay, where a joint that moves on as it did would leave them; none if None.
    """
    position, velocity = slot[PLACE["joint_position"]].copy(), slot[PLACE["joint_velocity"]].copy()
    position_variance, velocity_variance = float(parameters["joint_position_variance"]), float(parameters["joint_velocity_variance"])
    if ahead > 0.0:
        position += ahead * velocity
        if bounds is not None:
            position = np.minimum(np.maximum(position, bounds.lower[0]), bounds.upper[0])
        error = (held_acceleration * ahead) ** 2
        position_variance += ahead**2 * (velocity_variance + 0.25 * error)
        velocity_variance += error
    return Joints(position, velocity, np.full(12, position_variance), np.full(12, velocity_variance))

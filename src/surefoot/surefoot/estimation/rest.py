# SPDX-License-Identifier: Apache-2.0
"""Does the robot move at all? Rest is when the gyroscope shows no more than its bias and the joints stay where they have been.

Joint positions against their own recent average tell a beginning motion long before an averaged velocity would.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


@compiled
def update_rest(state: Any, parameters: Any, angular_velocity: Array, joint_position: Array, step: float) -> bool:
    """Follow the averages, in place, and say whether the robot rests. Nothing is at rest before it was watched.

    Args:
        state: record of FILTER_STATE; its rest_... and quiet_for change.
        parameters: record of FILTER_PARAMETERS.
        angular_velocity: without the estimated bias, (3,), rad/s.
        joint_position: (12,), rad.
        step: since the last call, s.
    """
    if state.rest_watched == 0.0:
        state.rest_watched = 1.0
        for i in range(3):
            state.rest_rate[i] = angular_velocity[i]
        for i in range(12):
            state.rest_joints[i] = joint_position[i]
    fast, slow = 1.0 - math.exp(-step / parameters.rest_gyroscope_time), 1.0 - math.exp(-step / parameters.rest_time)
    quiet = True
    for i in range(3):
        deviation = angular_velocity[i] - state.rest_rate[i]
        state.rest_rate[i] += fast * deviation
        state.rest_variance[i] += slow * (deviation * deviation - state.rest_variance[i])
        # Stated as what is quiet, so that a NaN is not.
        quiet = quiet and abs(state.rest_rate[i]) < parameters.rest_rate_limit and state.rest_variance[i] < parameters.rest_variance_limit
    for i in range(12):
        travel = joint_position[i] - state.rest_joints[i]
        state.rest_joints[i] += slow * travel
        quiet = quiet and abs(travel) < parameters.rest_travel_limit
    state.quiet_for = state.quiet_for + step if quiet else 0.0
    return bool(state.quiet_for >= parameters.rest_time)

# SPDX-License-Identifier: Apache-2.0
"""Does the robot move at all?"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.settings import RestSettings
from surefoot.robot.description import SensorsDescription

Array = NDArray[np.float64]


class RestDetector:
    """Calls it rest while the gyroscope shows no more than its bias and the joints stay where they have been.

    Joint positions against their own recent average tell a beginning motion long before an averaged velocity would.
    """

    def __init__(self, sensors: SensorsDescription, settings: RestSettings) -> None:
        """Args:
        sensors: noise and bias of the gyroscope, noise of the encoders.
        settings: limits.
        """
        gyroscope, encoder = sensors.gyroscope, sensors.joint_position
        rate_limit = settings.gyroscope_limit + 3.0 * gyroscope.bias_standard_deviation + 2.0 * gyroscope.standard_deviation
        travel_limit = settings.joint_travel_limit + 4.0 * encoder.standard_deviation
        self._rate_limit, self._travel_limit = rate_limit, travel_limit
        # A sensor without noise still trembles a little on a robot that rests.
        self._variance_limit = (settings.deviation_factor * max(gyroscope.standard_deviation, settings.gyroscope_limit)) ** 2
        self._time, self._rate_time = settings.time, settings.gyroscope_time
        self.reset()

    def reset(self) -> None:
        """Forget the past: nothing is at rest before it was watched."""
        self._watched, self._quiet_for = False, 0.0
        self._rate, self._variance, self._joints = np.zeros(3), np.zeros(3), np.zeros(12)

    def update(self, step: float, angular_velocity: Array, joint_position: Array) -> bool:
        """Whether the robot rests.

        Args:
            step: since the last call, s.
            angular_velocity: without the estimated bias, (3,), rad/s.
            joint_position: (12,), rad.
        """
        if not self._watched:
            self._watched = True
            self._rate[:], self._joints[:] = angular_velocity, joint_position
        fast, slow = 1.0 - math.exp(-step / self._rate_time), 1.0 - math.exp(-step / self._time)
        limits = (self._rate_limit, self._variance_limit, self._travel_limit)
        quiet = _quiet(self._rate, self._variance, self._joints, angular_velocity, joint_position, fast, slow, limits)
        self._quiet_for = self._quiet_for + step if quiet else 0.0
        return self._quiet_for >= self._time


@compiled
def _quiet(
    rate: Array, variance: Array, joints: Array, angular_velocity: Array, joint_position: Array, fast: float, slow: float,
    limits: tuple[float, float, float],
) -> bool:  # fmt: skip
    """Follow the averages, in place, and say whether rate, its variance and the joints' travel are inside their limits."""
    quiet = True
    for i in range(3):
        deviation = angular_velocity[i] - rate[i]
        rate[i] += fast * deviation
        variance[i] += slow * (deviation * deviation - variance[i])
        # Stated as what is quiet, so that a NaN is not.
        quiet = quiet and abs(rate[i]) < limits[0] and variance[i] < limits[1]
    for i in range(joints.shape[0]):
        travel = joint_position[i] - joints[i]
        joints[i] += slow * travel
        quiet = quiet and abs(travel) < limits[2]
    return quiet

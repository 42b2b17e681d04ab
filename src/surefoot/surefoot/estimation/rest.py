# SPDX-License-Identifier: Apache-2.0
"""Does the robot move at all?"""

import math

import numpy as np
from numpy.typing import NDArray

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
        self._limit = np.concatenate((np.full(3, rate_limit), np.full(12, travel_limit)))
        # A sensor without noise still trembles a little on a robot that rests.
        self._variance_limit = (settings.deviation_factor * max(gyroscope.standard_deviation, settings.gyroscope_limit)) ** 2
        self._time, self._rate_time = settings.time, settings.gyroscope_time
        self.reset()

    def reset(self) -> None:
        """Forget the past: nothing is at rest before it was watched."""
        self._rate: Array | None = None
        self._variance, self._joints, self._quiet_for = np.zeros(3), np.zeros(12), 0.0

    def update(self, step: float, angular_velocity: Array, joint_position: Array) -> bool:
        """Whether the robot rests.

        Args:
            step: since the last call, s.
            angular_velocity: without the estimated bias, (3,), rad/s.
            joint_position: (12,), rad.
        """
        if self._rate is None:
            self._rate, self._joints = angular_velocity, joint_position
        deviation = angular_velocity - self._rate
        self._rate = self._rate + (1.0 - math.exp(-step / self._rate_time)) * deviation
        slow = 1.0 - math.exp(-step / self._time)
        self._variance += slow * (deviation * deviation - self._variance)
        travel = joint_position - self._joints
        self._joints = self._joints + slow * travel
        quiet = (np.abs(np.concatenate((self._rate, travel))) < self._limit).all() and (self._variance < self._variance_limit).all()
        self._quiet_for = self._quiet_for + step if quiet else 0.0
        return self._quiet_for >= self._time

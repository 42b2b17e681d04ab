# SPDX-License-Identifier: Apache-2.0
"""Averages of the first samples, from which the filter starts."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class StartWindow:
    """Collects samples until they span the wanted time."""

    def __init__(self, duration: float) -> None:
        """Args:
        duration: s.
        """
        self._duration = duration
        self._times: list[float] = []
        self._rows: list[Array] = []

    def add(self, time: float, specific_force_base: Array, angular_velocity_base: Array, joint_position: Array) -> None:
        """One sample: (3,) m/s^2, (3,) rad/s, (12,) rad."""
        self._times.append(time)
        self._rows.append(np.concatenate((specific_force_base, angular_velocity_base, joint_position)))

    @property
    def full(self) -> bool:
        """Whether the samples span the wanted time."""
        return self._times[-1] - self._times[0] >= self._duration if self._times else False

    def mean(self) -> tuple[Array, Array, Array]:
        """Averaged specific force (3,), angular velocity (3,) and joint positions (12,)."""
        mean = np.mean(self._rows, axis=0)
        return mean[:3], mean[3:6], mean[6:]

    def clear(self) -> None:
        """Start again."""
        self._times.clear()
        self._rows.clear()

# SPDX-License-Identifier: Apache-2.0
"""Joint velocities where no one measures them."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class VelocityFilter:
    """Differentiates joint positions and smooths them by a first-order low-pass."""

    def __init__(self, cutoff: float) -> None:
        """Args:
        cutoff: of the low-pass, Hz.
        """
        self._cutoff = cutoff
        self._time = math.nan
        self._position = np.zeros(0)
        self._velocity = np.zeros(0)

    def update(self, time: float, position: Array) -> Array:
        """Velocities (n,), rad/s, for positions (n,), rad, at a time in s that is later than the last; zero at the first call."""
        step = time - self._time
        if math.isnan(step):
            self._velocity = np.zeros_like(position)
        else:
            weight = 1.0 - math.exp(-2.0 * math.pi * self._cutoff * step)
            self._velocity = self._velocity + weight * ((position - self._position) / step - self._velocity)
        self._time, self._position = time, position.copy()
        return self._velocity.copy()

    def reset(self) -> None:
        """Forget the past."""
        self._time = math.nan

# SPDX-License-Identifier: Apache-2.0
"""Whether torques swing faster than a walk needs: the first sign of weights or gains that do not suit a robot."""

import numpy as np
import scipy.signal
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]


class OscillationMonitor:
    """Power of joint torques above a frequency, over the recent past.

    A second-order Butterworth filter lets pass what is faster; the mean square of that over a time constant is the power.

    Attributes:
        power: mean square of the fast part of each torque, (12,), (N m)^2.
        oscillating: whether the fast part of some joint is larger than allowed.
    """

    def __init__(self, effort_limit: Array, period: float, cutoff: float = 20.0, window: float = 0.5, allowed: float = 0.1) -> None:
        """Make the monitor.

        Args:
            effort_limit: (12,), N m.
            period: of the ticks, s.
            cutoff: frequency above which torque is fast, Hz.
            window: time constant of the mean, s.
            allowed: root of the power, in parts of the limit.

        Raises:
            ConfigurationError: cutoff is not below half of the tick rate, or another number is not above 0.
        """
        if not (0.0 < cutoff < 0.5 / period and window > 0.0 and allowed > 0.0):
            raise ConfigurationError(
                f"an oscillation monitor at {cutoff} Hz with a window of {window} s and {allowed} of the limit cannot work at a period of "
                f"{period} s; give a frequency below {0.5 / period:.0f} Hz and numbers above 0"
            )
        self.power = np.zeros(12)
        self._allowed = (allowed * np.asarray(effort_limit)) ** 2
        forward, backward = scipy.signal.butter(2, cutoff, "highpass", fs=1.0 / period)
        self._forward, self._backward = forward, backward
        self._forgetting = -np.expm1(-period / window)
        self._memory: Array | None = None

    @property
    def oscillating(self) -> bool:
        """See the class."""
        return bool((self.power > self._allowed).any())

    def update(self, torque: Array) -> None:
        """Take the torques of one tick, (12,), N m; a tick without an answer is left out."""
        if not np.isfinite(torque).all():
            return
        (b0, b1, b2), (_, a1, a2) = self._forward, self._backward
        if self._memory is None:
            # A torque that has always been like this has no fast part.
            self._memory = np.outer((-b0, b2), torque)
        fast = b0 * torque + self._memory[0]
        self._memory = np.stack((b1 * torque - a1 * fast + self._memory[1], b2 * torque - a2 * fast))
        self.power = self.power + self._forgetting * (fast**2 - self.power)

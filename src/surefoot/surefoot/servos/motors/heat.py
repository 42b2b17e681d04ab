# SPDX-License-Identifier: Apache-2.0
"""Current and heat of a motor: what it may draw, and how warm that makes its winding."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Heat:
    """One warm body: heat capacity times rate of temperature = resistance current^2 - (temperature - ambient) / thermal resistance.

    Attributes:
        torque_per_ampere: at the joint, N m/A.
        resistance: of the winding, ohm.
        thermal_resistance: winding to air, K/W.
        time_constant: s.
        ambient: degrees Celsius.
    """

    torque_per_ampere: float
    resistance: float
    thermal_resistance: float
    time_constant: float
    ambient: float = 25.0

    def current(self, torque: Array) -> Array:
        """Current of a torque (n,), A."""
        return torque / self.torque_per_ampere

    def settled(self, torque: Array) -> Array:
        """Temperature that a torque held for ever leads to, (n,), degrees Celsius."""
        return self.ambient + self.thermal_resistance * self.resistance * self.current(torque) ** 2

    def lasting_torque(self, temperature: float) -> float:
        """Largest torque that never leads beyond a temperature (degrees Celsius), N m."""
        watts = max(0.0, temperature - self.ambient) / self.thermal_resistance
        return float(self.torque_per_ampere * np.sqrt(watts / self.resistance))


class HeatEstimate:
    """Temperatures of windings that nothing measures.

    Attributes:
        temperature: (n,), degrees Celsius.
    """

    def __init__(self, heat: Heat, count: int) -> None:
        self._heat = heat
        self.temperature = np.full(count, heat.ambient)

    def advance(self, torque: Array, duration: float) -> Array:
        """Temperatures after torques (n,), N m, held for some time, s: exact for constant torque. A torque that is NaN changes nothing."""
        if duration > 0.0:
            goal = self._heat.settled(np.where(np.isfinite(torque), torque, np.nan))
            step = (goal - self.temperature) * -np.expm1(-duration / self._heat.time_constant)
            self.temperature = self.temperature + np.where(np.isfinite(step), step, 0.0)
        return self.temperature

    def heard(self, temperature: Array) -> None:
        """Take measured temperatures (n,); NaN where there is none."""
        self.temperature = np.where(np.isfinite(temperature), temperature, self.temperature)


def limited_by_current(torque: Array, torque_per_ampere: Array, current_limit: Array) -> Array:
    """Torques (n,), N m, inside of what currents (n,), A, allow."""
    most = torque_per_ampere * current_limit
    return np.clip(torque, -most, most)

# SPDX-License-Identifier: Apache-2.0
"""Where up is by the IMU alone, to hold the pitch of a planar model against.

The models take one foot or both to stand, whatever else happens: a robot that lies on its belly and moves its legs would be said to
turn. A complementary filter is led by the gyroscope, and by the specific force over longer times: of a robot that does not get faster and
faster that is against gravity.
"""

import math

from surefoot.estimation.planar.process import Array
from surefoot.estimation.planar.settings import PlanarSettings


class Gravity:
    """Follows the pitch by the IMU."""

    def __init__(self, settings: PlanarSettings) -> None:
        self._settings = settings
        self.clear()

    def clear(self) -> None:
        """Forget what was."""
        self._pitch, self._roll, self._time = 0.0, 0.0, -math.inf

    def note(self, time: float, rate: float, specific_force: Array) -> None:
        """Take in the rate of the pitch, rad/s nose up, and the specific force in base axes, (3,), m/s^2. A late one is left out."""
        step = time - self._time
        if not step > 0.0:
            return
        self._time = time
        carried = self._pitch + rate * min(step, self._settings.gravity_time)
        share = 1.0 - math.exp(-step / self._settings.gravity_time)
        away = math.remainder(math.atan2(float(specific_force[0]), float(specific_force[2])) - carried, 2.0 * math.pi)
        self._pitch = carried + share * away
        self._roll += share * math.remainder(math.atan2(float(specific_force[1]), float(specific_force[2])) - self._roll, 2.0 * math.pi)

    def doubt(self, pitch: float) -> str:
        """Why a pitch (rad, nose up) cannot be, in words; empty where it can."""
        most = self._settings.gravity_tolerance
        if not math.isfinite(pitch):
            return "the pitch by the feet is no number"
        if not abs(self._roll) <= most:
            # Nobody else would tell: to these models the robot never rolls.
            return f"the base has rolled by {self._roll:.2f} rad by gravity, limit {most:.2f} rad: the robot does not stay in its plane"
        apart = abs(math.remainder(pitch - self._pitch, 2.0 * math.pi))
        if apart <= most:
            return ""
        words = f"the pitch by the feet is {apart:.2f} rad from that by gravity, limit {most:.2f} rad"
        return f"{words}: the robot does not stand on its feet alone"

# SPDX-License-Identifier: Apache-2.0
"""From waypoint to waypoint: the velocity commands that take the base along straight lines."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

TURN_GAIN = 2.0
"""Turn rate for each radian of heading error, 1/s."""
STRAIGHT = 0.5
"""Heading error within which the robot walks while it turns, rad; beyond it turns on the spot."""


class WaypointFollower:
    """Walks to one waypoint after another, and stands still after the last or begins again.

    It aims at the waypoint from where it is, walks the slower the more its heading is off, and turns on the spot where that is much.

    Attributes:
        goal: index of the waypoint that it walks to.
        reached: how many it came to.
    """

    def __init__(self, waypoints: ArrayLike, speed: float, turn_rate: float, near: float, again: bool = True) -> None:
        """Set out for the first waypoint.

        Args:
            waypoints: in odom, (n, 2), m.
            speed: forward, m/s.
            turn_rate: largest, rad/s.
            near: distance at which a waypoint counts as reached, m.
            again: begin again after the last.

        Raises:
            ConfigurationError: there is no waypoint, one is not two finite numbers, or a number is not positive.
        """
        points = np.asarray(waypoints, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or not len(points) or not np.isfinite(points).all():
            raise ConfigurationError(
                f"waypoints of shape {points.shape} lead nowhere; give one row of two finite numbers, x and y in m, for each"
            )
        for name, value in (("speed", speed), ("turn_rate", turn_rate), ("near", near)):
            if not (math.isfinite(value) and value > 0.0):
                raise ConfigurationError(f"{name} of the waypoint follower is {value}; give a number above 0")
        self.waypoints = points
        self.goal, self.reached = 0, 0
        self._speed, self._turn_rate, self._near, self._again = speed, turn_rate, near, again

    @property
    def finished(self) -> bool:
        """Whether the last waypoint was reached and it does not begin again."""
        return not self._again and self.reached >= len(self.waypoints)

    def command(self, base_position: Array, yaw: float) -> Array:
        """Forward and left speed, m/s, and turn rate, rad/s, (3,); it stands still where it does not know where it is.

        Args:
            base_position: in odom, (2 or more,), m.
            yaw: heading in odom, rad: where a command forward leads.
        """
        if self.finished or not (np.isfinite(base_position[:2]).all() and math.isfinite(yaw)):
            return np.zeros(3)
        way = self.waypoints[self.goal] - base_position[:2]
        if math.hypot(*way) <= self._near:
            self.reached += 1
            if self.finished:
                return np.zeros(3)
            self.goal = (self.goal + 1) % len(self.waypoints)
            way = self.waypoints[self.goal] - base_position[:2]
        error = math.remainder(math.atan2(way[1], way[0]) - yaw, 2.0 * math.pi)
        turn = min(self._turn_rate, max(-self._turn_rate, TURN_GAIN * error))
        return np.array((self._speed * max(0.0, 1.0 - abs(error) / STRAIGHT), 0.0, turn))

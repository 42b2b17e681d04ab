# SPDX-License-Identifier: Apache-2.0
"""Along a closed path: the velocity commands that keep the base on it, heading along it."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

HEADING_GAIN, SIDE_GAIN = 2.0, 1.0
"""Turn rate for each radian and sideways speed for each metre off the path, 1/s."""
AHEAD = 0.25
"""Part of the path on which the nearest point is looked for, from the last one on: where the path crosses itself it stays on its branch."""


def figure_eight(length: float, width: float, points: int = 400) -> Array:
    """A lying eight around the origin, a lemniscate of Gerono, that begins at the origin, (points, 2), m.

    Args:
        length, width: from end to end, m.
        points: how many.
    """
    angle = np.linspace(0.0, 2.0 * math.pi, points, endpoint=False)
    return np.column_stack((0.5 * length * np.sin(angle), 0.5 * width * np.sin(2.0 * angle)))


class PathFollower:
    """Follows a closed path round and round from its first point.

    Attributes:
        points: of the path in odom, (n, 2), m.
        at: index of the point that the robot is at.
        laps: how often it came round.
    """

    def __init__(self, points: ArrayLike, speed: float, side_speed: float, turn_rate: float) -> None:
        """Set out from the first point.

        Args:
            points: in odom, (n, 2), m, close to each other; the last is followed by the first.
            speed: forward, m/s; less where the path turns more than the robot can.
            side_speed: largest, m/s; 0 for a robot that cannot step sideways.
            turn_rate: largest, rad/s.

        Raises:
            ConfigurationError: there are less than three points, one is not two finite numbers or the same as the one before it, or a
                number is out of range.
        """
        path = np.asarray(points, dtype=np.float64)
        if path.ndim != 2 or path.shape[1] != 2 or len(path) < 3 or not np.isfinite(path).all():
            shape = f"a path of shape {path.shape} leads nowhere"
            raise ConfigurationError(f"{shape}; give three rows or more of two finite numbers, x and y in m")
        steps = np.roll(path, -1, axis=0) - path
        lengths = np.hypot(*steps.T)
        if (lengths == 0.0).any():
            raise ConfigurationError(f"point {int(np.argmin(lengths)) + 1} of the path is the same as the one before it; leave one out")
        for name, value, least in (("speed", speed, 1e-6), ("side_speed", side_speed, 0.0), ("turn_rate", turn_rate, 1e-6)):
            if not (math.isfinite(value) and value >= least):
                raise ConfigurationError(f"{name} of the path follower is {value}; give a number of at least {least:g}")
        self.points = path
        self.at, self.laps = 0, 0
        self._heading = np.arctan2(steps[:, 1], steps[:, 0])
        turns = (np.roll(self._heading, -1) - self._heading + math.pi) % (2.0 * math.pi) - math.pi
        self._curvature = turns / lengths
        self._window = max(1, round(AHEAD * len(path)))
        self._speed, self._side_speed, self._turn_rate = speed, side_speed, turn_rate

    def command(self, base_position: Array, yaw: float) -> Array:
        """Forward and left speed, m/s, and turn rate, rad/s, (3,); it stands still where it does not know where it is.

        Args:
            base_position: in odom, (2 or more,), m.
            yaw: heading in odom, rad: where a command forward leads.
        """
        if not (np.isfinite(base_position[:2]).all() and math.isfinite(yaw)):
            return np.zeros(3)
        ahead = (self.at + np.arange(self._window)) % len(self.points)
        nearest = int(ahead[np.argmin(np.hypot(*(self.points[ahead] - base_position[:2]).T))])
        self.laps += nearest < self.at
        self.at = nearest
        heading, curvature = self._heading[nearest], self._curvature[nearest]
        off = base_position[:2] - self.points[nearest]
        side = math.cos(heading) * off[1] - math.sin(heading) * off[0]
        error = math.remainder(heading - yaw, 2.0 * math.pi)
        speed = self._speed if curvature == 0.0 else min(self._speed, self._turn_rate / abs(curvature))
        forward = speed * max(0.0, math.cos(error))
        turn = forward * curvature + HEADING_GAIN * error
        return np.array((
            forward,
            min(self._side_speed, max(-self._side_speed, -SIDE_GAIN * side)),
            min(self._turn_rate, max(-self._turn_rate, turn)),
        ))  # fmt: skip


def distance_to_path(points: Array, positions: Array) -> Array:
    """How far positions are from a closed path, (m,), m.

    Args:
        points: of the path, (n, 2), m.
        positions: (m, 2), m.
    """
    steps = np.roll(points, -1, axis=0) - points
    off = positions[:, None] - points
    share = np.clip((off * steps).sum(axis=2) / (steps**2).sum(axis=1), 0.0, 1.0)
    nearest: Array = np.linalg.norm(off - share[:, :, None] * steps, axis=2).min(axis=1)
    return nearest

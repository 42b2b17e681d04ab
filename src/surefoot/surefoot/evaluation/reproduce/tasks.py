# SPDX-License-Identifier: Apache-2.0
"""What the robot is asked to do in an experiment."""

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import Gait
from surefoot.gait.waypoints import WaypointFollower
from surefoot.rotation import roll_pitch_yaw
from surefoot.simulation.robot import GroundTruth

Array = NDArray[np.float64]

WAYPOINTS = ((0.25, 0.0), (0.0, 0.25), (0.0, -0.25), (-0.25, 0.0), (0.0, 0.0))
"""m; the robot starts at the last one [Zapolsky and Drumwright 2016, Fig. 17]."""
NEAR = 0.05
"""Distance at which a waypoint counts as reached, m; the source gives none."""


def distance_from_lines(points: Array) -> Array:
    """How far points are from the nearest of the straight lines between waypoints, (n,), m, for (n, 2), m."""
    starts, ends = np.array((WAYPOINTS[-1], *WAYPOINTS[:-1])), np.array(WAYPOINTS)
    along, from_start = ends - starts, points[:, np.newaxis] - starts
    share = np.clip(np.einsum("nsi,si->ns", from_start, along) / np.sum(along**2, axis=1), 0.0, 1.0)
    distances: Array = np.linalg.norm(from_start - share[..., np.newaxis] * along, axis=2).min(axis=1)
    return distances


class Task(Protocol):
    """A way to move.

    Attributes:
        gait: in which.
    """

    gait: str

    def command(self, truth: GroundTruth) -> Array:
        """Wanted forward and left speed, m/s, and turn rate, rad/s, (3,)."""
        ...

    def adapt(self, plan: np.void, time: float) -> None:
        """Change a PLAN record at a time (s since the task began) to what the planner cannot be asked for."""
        ...


@dataclass
class WaypointTrot:
    """The trot of 30 s between waypoints."""

    gait: str
    follower: WaypointFollower

    @staticmethod
    def of(gait: Gait) -> "WaypointTrot":
        """At the speed of the gait."""
        return WaypointTrot(gait.name, WaypointFollower(WAYPOINTS, gait.max_forward_speed, gait.max_turn_rate, NEAR))

    def command(self, truth: GroundTruth) -> Array:
        """See `Task`."""
        return self.follower.command(truth.base_position, float(roll_pitch_yaw(truth.base_quaternion)[2]))

    def adapt(self, plan: np.void, time: float) -> None:
        """See `Task`."""


@dataclass
class Trot:
    """A trot straight on."""

    gait: str
    speed: float

    def command(self, truth: GroundTruth) -> Array:
        """See `Task`."""
        return np.array((self.speed, 0.0, 0.0))

    def adapt(self, plan: np.void, time: float) -> None:
        """See `Task`."""


@dataclass
class FigureEight:
    """The base draws a lying eight over feet that stand still [Zapolsky et al. 2013]; the source does not give its size."""

    length: float = 0.12
    """From the middle to an end, m."""
    width: float = 0.06
    """m"""
    period: float = 4.0
    """s"""
    gait: str = field(default="stand", init=False)
    centre: Array | None = field(default=None, init=False)
    """In odom, (2,), m: where the planner wants the base at first. Later it lets itself be dragged after the base."""

    def command(self, truth: GroundTruth) -> Array:
        """See `Task`."""
        return np.zeros(3)

    def adapt(self, plan: np.void, time: float) -> None:
        """See `Task`."""
        if self.centre is None:
            self.centre = plan["base_position"][:2].copy()
        rate = 2.0 * math.pi / self.period
        # The first period fades in, so that the base starts at rest.
        share, growth = min(1.0, time / self.period), 1.0 / self.period if time < self.period else 0.0
        for axis, size, speed in ((0, self.length, rate), (1, self.width, 2.0 * rate)):
            sine, cosine = math.sin(speed * time), math.cos(speed * time)
            plan["base_position"][axis] = self.centre[axis] + share * size * sine
            plan["base_velocity"][axis] = size * (share * speed * cosine + growth * sine)

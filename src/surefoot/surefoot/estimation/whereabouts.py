# SPDX-License-Identifier: Apache-2.0
"""Where the robot was when that was known last, and whether a filter has lost its way: nothing moves, and still it cannot be walked on.

An IMU that says finite nonsense for a second turns the estimate over, or throws it away at metres a second. Then every foot, and rest as
well, lies outside of the gate, or swings as far as the filter knows, and nothing that is measured afterwards brings it back. A robot that
stands or lies still by what its sensors themselves say is one that a filter can start from, and such a filter does, where it was.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.output import MEMORY, BaseEstimate

Array = NDArray[np.float64]

STILL_WINDOWS = 2
"""Windows of a start in a row in which nothing moved: by then rest would have corrected a filter that it can still correct."""

MOVES = np.array([0.5, 0.5, 0.5])
"""How fast a robot that nobody follows may get away, x and y in m/s, yaw in rad/s: one that walks, or falls over. A bound, not measured."""

PROVEN = 2.0
"""s for which nothing has spoken against a height of the ground until it counts for a filter that lost its way: one does so unnoticed."""

LONGEST = 60.0
"""s of which no more is made: a clock may have jumped meanwhile."""


class Whereabouts:
    """Attributes:
    place: x (m), y (m) and yaw (rad) in odom for the next start, (3,).
    variance: of these, (3,).
    ground: height of the ground under its lowest foot in odom, m: however it lies or stands meanwhile, that stays.
    ground_variance: m^2, beyond that of a first start.
    doubts: what speaks against the estimate itself, and not against the sensors, since the last state that nothing spoke against.
    """

    def __init__(self, deviation: float, foot_radius: float) -> None:
        """Args:
        deviation: of the origin of odom, m and rad.
        foot_radius: m.
        """
        self.place, self.variance, self.ground = np.zeros(3), np.full(3, deviation**2), 0.0
        self.ground_variance = 0.0
        self._radius = foot_radius
        self.begin(0.0)

    def begin(self, time: float) -> None:
        """The filter starts at a time, s, from `place`."""
        self.doubts, self._still, self._since = "", 0, time
        self._known: BaseEstimate | None = None
        self._ground = self._proven = _Ground(time, self.ground)

    def note(self, time: float, doubts: tuple[str, ...], estimate: BaseEstimate, memory: Array) -> None:
        """What was estimated for a time, s, by numbers of FILTER_STATE, and what speaks against it."""
        self.doubts = "; ".join(doubts)
        if not doubts:
            self._still, self._since, self._known = 0, time, estimate
            if time - self._ground.time > PROVEN or time < self._ground.time:
                self._proven, self._ground = self._ground, _Ground(time, self._ground_below(memory))

    def still(self, problems: tuple[str, ...]) -> bool:
        """One more window of a start, and what speaks against starting from it. Returns whether the filter has lost its way."""
        self._still = 0 if problems else self._still + 1
        return bool(self.doubts) and self._still >= STILL_WINDOWS

    def keep(self, time: float, estimate: BaseEstimate, memory: Array) -> None:
        """Remember the place at a time, s: where the robot is estimated to be, or, if that is in doubt, where it was before."""
        now, below = _place(estimate), self._ground_below(memory)
        self.ground = self._proven.height if self.doubts else below
        self.ground_variance = (below - self.ground) ** 2
        if not self.doubts:
            self.place, self.variance = now, estimate.pose_covariance.diagonal()[[0, 1, 5]].copy()
            return
        if self._known is not None:
            self.place, self.variance = _place(self._known), self._known.pose_covariance.diagonal()[[0, 1, 5]].copy()
        # Whoever lost the way may have done so before there was any doubt: how far that has led away says by how much.
        astray = now - self.place
        astray[2] = math.remainder(astray[2], 2.0 * math.pi)
        self.variance = self.variance + astray**2 + (MOVES * min(max(time - self._since, 0.0), LONGEST)) ** 2

    def _ground_below(self, memory: Array) -> float:
        """Height of the ground under the lowest of the feet that stand, m; as before where none does."""
        held = memory[MEMORY["foot_held"]] > 0.0
        return float(memory[MEMORY["feet"]].reshape(4, 3)[held, 2].min()) - self._radius if held.any() else self._ground.height


class _Ground(NamedTuple):
    """A height of the ground, m, and when it was so, s."""

    time: float
    height: float


def _place(estimate: BaseEstimate) -> Array:
    """x (m), y (m) and yaw (rad) of the base in odom, (3,)."""
    return np.array([*estimate.position[:2], math.atan2(estimate.rotation[1, 0], estimate.rotation[0, 0])])

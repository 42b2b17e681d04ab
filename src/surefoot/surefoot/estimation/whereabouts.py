# SPDX-License-Identifier: Apache-2.0
"""Where the robot was when that was known last, and whether a filter has lost its way: nothing moves, and still it cannot be walked on.

An IMU that says finite nonsense for a second turns the estimate over, or throws it away at metres a second. Then every foot, and rest as
well, lies outside of the gate, or swings as far as the filter knows, and nothing that is measured afterwards brings it back. A robot that
stands or lies still by what its sensors themselves say is one that a filter can start from, and such a filter does, where it was.
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.output import BaseEstimate

Array = NDArray[np.float64]

STILL_WINDOWS = 2
"""Windows of a start in a row in which nothing moved: by then rest would have corrected a filter that it can still correct."""

MOVES = np.array([0.5, 0.5, 0.5])
"""How fast a robot that nobody follows may get away, x and y in m/s, yaw in rad/s: one that walks, or falls over. A bound, not measured."""

LONGEST = 60.0
"""s of which no more is made: a clock may have jumped meanwhile."""


class Whereabouts:
    """Attributes:
    place: x (m), y (m) and yaw (rad) in odom for the next start, (3,).
    variance: of these, (3,).
    doubts: what speaks against the estimate itself, and not against the sensors, since the last state that nothing spoke against.
    """

    def __init__(self, deviation: float) -> None:
        """Args:
        deviation: of the origin of odom, m and rad.
        """
        self.place, self.variance = np.zeros(3), np.full(3, deviation**2)
        self.begin(0.0)

    def begin(self, time: float) -> None:
        """The filter starts at a time, s, from `place`."""
        self.doubts, self._still, self._since = "", 0, time
        self._known: BaseEstimate | None = None

    def note(self, time: float, doubts: tuple[str, ...], estimate: BaseEstimate) -> None:
        """What was estimated for a time, s, and what speaks against it."""
        self.doubts = "; ".join(doubts)
        if not doubts:
            self._still, self._since, self._known = 0, time, estimate

    def still(self, problems: tuple[str, ...]) -> bool:
        """One more window of a start, and what speaks against starting from it. Returns whether the filter has lost its way."""
        self._still = 0 if problems else self._still + 1
        return bool(self.doubts) and self._still >= STILL_WINDOWS

    def keep(self, time: float, estimate: BaseEstimate) -> None:
        """Remember the place at a time, s: where the robot is estimated to be, or, if that is in doubt, where it was before."""
        now = _place(estimate)
        if not self.doubts:
            self.place, self.variance = now, estimate.pose_covariance.diagonal()[[0, 1, 5]].copy()
            return
        if self._known is not None:
            self.place, self.variance = _place(self._known), self._known.pose_covariance.diagonal()[[0, 1, 5]].copy()
        # Whoever lost the way may have done so before there was any doubt: how far that has led away says by how much.
        astray = now - self.place
        astray[2] = math.remainder(astray[2], 2.0 * math.pi)
        self.variance = self.variance + astray**2 + (MOVES * min(max(time - self._since, 0.0), LONGEST)) ** 2


def _place(estimate: BaseEstimate) -> Array:
    """x (m), y (m) and yaw (rad) of the base in odom, (3,)."""
    return np.array([*estimate.position[:2], math.atan2(estimate.rotation[1, 0], estimate.rotation[0, 0])])

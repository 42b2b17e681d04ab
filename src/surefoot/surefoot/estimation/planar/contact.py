# SPDX-License-Identifier: Apache-2.0
"""Which feet of a planar robot stand, by the estimate itself and not by force sensors [Levashov 2012, sections 4.1 and 4.3].

The source leaves the rule open. Here a foot comes down where it reaches the line of the ground; and it leaves it where, with the other one
pinned, it would get away from it: there the ground would have to pull at it, which it cannot.
"""

from surefoot.estimation.planar.process import DOUBLE_SUPPORT, PINNED_BACK, PINNED_FRONT, Array, PlanarProcess
from surefoot.estimation.planar.settings import PlanarSettings

NAMES = {PINNED_BACK: "pinned back", PINNED_FRONT: "pinned front", DOUBLE_SUPPORT: "double support"}


class PlanarContact:
    """Follows the mode from step to step; begins in double support.

    Attributes:
        mode: in force from the newest step on.
        touchdowns, liftoffs, bounces: so many of each; a bounce is a lift-off soon after a touchdown.
    """

    def __init__(self, process: PlanarProcess, settings: PlanarSettings) -> None:
        self._process, self._settings = process, settings
        self._rise = 0.5 * settings.lift_acceleration * settings.period**2
        self._bounce_steps = settings.bounce_time / settings.period
        self.mode, self._since = DOUBLE_SUPPORT, 0
        self.touchdowns = self.liftoffs = self.bounces = 0

    def look(self, state: Array, control: Array, step: int) -> int:
        """The mode from a step on, by the state (14,) at it and the input (4,) that is in force from it on."""
        if self.mode == DOUBLE_SUPPORT:
            self._lift(state, control, step)
        elif self._comes_down(state, control):
            self.mode, self._since = DOUBLE_SUPPORT, step
            self.touchdowns += 1
        return self.mode

    def set_down(self, step: int) -> None:
        """A foot that cannot be where it is said to be is on the ground: what else is known of it led astray."""
        self.mode, self._since = DOUBLE_SUPPORT, step
        self.touchdowns += 1

    def _lift(self, state: Array, control: Array, step: int) -> None:
        front = self._height(self._process.moved(state, control, PINNED_BACK), PINNED_BACK) - self._height(state, PINNED_BACK)
        back = self._height(self._process.moved(state, control, PINNED_FRONT), PINNED_FRONT) - self._height(state, PINNED_FRONT)
        if not max(front, back) > self._rise:
            return
        self.mode = PINNED_BACK if front >= back else PINNED_FRONT
        self.liftoffs += 1
        self.bounces += self.touchdowns > 0 and step - self._since <= self._bounce_steps

    def _comes_down(self, state: Array, control: Array) -> bool:
        height = self._height(state, self.mode)
        after = self._height(self._process.moved(state, control, self.mode), self.mode)
        return after < height and min(height, after) <= self._settings.touch_height

    def _height(self, state: Array, pinned: int) -> float:
        """Of the foot that is not pinned, above the ground under the one that is: of that it is known that it stands."""
        back, front = self._process.heights(state)
        return front - back if pinned == PINNED_BACK else back - front

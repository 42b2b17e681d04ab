# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a robot can say at all: a finite number that no joint and no foot makes is as wrong as one that is none."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.settings import GateSettings
from surefoot.robot.model import GRAVITY, RobotModel

Array = NDArray[np.float64]

CHANNELS = (("position", "rad"), ("velocity", "rad/s"), ("effort", "N m"))
"""Of a joint, in the order of the rows of bounds."""

MOST_ELAPSED = 10.0
"""s in which any joint may have got anywhere; a stamp may be any number."""


@dataclass(frozen=True)
class SensorBounds:
    """Wide of what a robot really does: joints are faster than they may be when a foot comes down, and a stop gives way.

    Attributes:
        lower, upper: of position, velocity and effort of the joints, (3, 12), rad, rad/s and N m.
        foot_force: of each component, N.
    """

    lower: Array
    upper: Array
    foot_force: float

    @classmethod
    def of(cls, model: RobotModel, settings: GateSettings) -> "SensorBounds":
        """Those of a robot."""
        speed, effort = settings.velocity_factor * model.velocity_limit, settings.effort_factor * model.effort_limit
        lower = np.array((model.position_lower - settings.position_margin, -speed, -effort))
        upper = np.array((model.position_upper + settings.position_margin, speed, effort))
        return cls(lower, upper, settings.foot_force_factor * model.total_mass * GRAVITY)

    def in_order(self, places: NDArray[np.intp]) -> "SensorBounds":
        """The same for joints in another order; places: where each joint of the description stands in it, (12,)."""
        lower, upper = np.empty_like(self.lower), np.empty_like(self.upper)
        lower[:, places], upper[:, places] = self.lower, self.upper
        return SensorBounds(lower, upper, self.foot_force)

    def problem(self, row: int, values: Array, names: Sequence[str]) -> str:
        """What is wrong with finite numbers of one channel of the joints, (12,), in words; empty if nothing is."""
        lower, upper = self.lower[row], self.upper[row]
        if ((values >= lower) & (values <= upper)).all():
            return ""
        worst = int(np.argmax(np.maximum(lower - values, values - upper)))
        what, unit = CHANNELS[row]
        believed = f"believed is {lower[worst]:.4g} to {upper[worst]:.4g} {unit}"
        return f"joint {what} of '{names[worst]}' is {values[worst]:.6g} {unit}; {believed}, which is well beyond its limits"


class JumpWatch:
    """Refuses joints that are somewhere else from one sample to the next, further than any joint gets meanwhile.

    As with stamps, one such sample is not believed, and a second one that agrees with it is: it was the one before that was wrong.

    Args:
        speed: that no joint exceeds, (12,), rad/s.
        margin: how far a joint may seem to leap all the same, rad.
    """

    def __init__(self, speed: Array, margin: float) -> None:
        self._speed, self._margin = speed, margin
        self.reset()

    def reset(self) -> None:
        """Believe the next sample, wherever the joints are."""
        self._believed: tuple[float, Array] | None = None
        self._suspect: tuple[float, Array] | None = None

    def problem(self, time: float, position: Array, names: Sequence[str]) -> str:
        """What is wrong with positions, (12,), rad, at a time, s, in words; empty if nothing is. What was refused is not believed."""
        before, suspect = self._believed, self._suspect
        if before is None or self._reaches(before, time, position):
            return ""
        if suspect is not None and self._reaches(suspect, time, position):
            return ""
        self._suspect = time, position
        worst = int(np.argmax(np.abs(position - before[1])))
        where = f"{position[worst]:.4g} rad, {abs(time - before[0]):.4f} s from where it was at {before[1][worst]:.4g} rad"
        return f"joint position of '{names[worst]}' is {where}: one such sample is not believed, two in a row are"

    def believe(self, time: float, position: Array) -> None:
        """This sample is used."""
        self._believed, self._suspect = (time, position), None

    def _reaches(self, start: tuple[float, Array], time: float, position: Array) -> bool:
        way, elapsed = np.abs(position - start[1]), min(abs(time - start[0]), MOST_ELAPSED)
        # Almost always the margin alone is enough.
        return bool(way.max() <= self._margin or (way <= self._margin + self._speed * elapsed).all())

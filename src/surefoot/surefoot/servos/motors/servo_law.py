# SPDX-License-Identifier: Apache-2.0
"""How a position servo follows its target: second order, with bounded speed and acceleration [Levashov 2012, section 3.1].

    acceleration = stiffness (target - position) - damping velocity

The order of the bounds, which the source leaves open: the acceleration is clipped; at the speed limit, one that would lead beyond it is
zero; the speed is clipped after each step. Fourth-order Runge-Kutta, the target held over a control period. A step of 1 ms is enough:
against 0.1 ms it moves a saturated step response by 1e-5 rad.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

VELOCITY_SATURATED, ACCELERATION_SATURATED = 1, 2
"""Bits of the flags."""

ROUNDING = 1e-12
"""Share of the speed limit by which the speed may be below it and count as at it."""


@dataclass(frozen=True)
class ServoLaw:
    """Numbers of one kind of servo with its gains.

    Attributes:
        stiffness: 1/s^2.
        damping: 1/s.
        velocity_limit: rad/s.
        acceleration_limit: rad/s^2.
    """

    stiffness: float
    damping: float
    velocity_limit: float
    acceleration_limit: float

    def __post_init__(self) -> None:
        """Raises ValueError where a number is not positive and finite."""
        for name in ("stiffness", "damping", "velocity_limit", "acceleration_limit"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} of a servo law is {value}; it must be positive and finite")

    def parameters(self) -> Array:
        """The four numbers in their order, (4,), as the compiled functions take them."""
        return np.array((self.stiffness, self.damping, self.velocity_limit, self.acceleration_limit))


LITTLEDOG_HIP = ServoLaw(3800.0, 98.0, 7.9, 200.0)
LITTLEDOG_KNEE = ServoLaw(9700.0, 148.0, 12.0, 430.0)
"""As fitted to the robot [Levashov 2012, Table 3.1]."""


@compiled
def acceleration_of(position: float, velocity: float, target: float, law: Array) -> float:
    """Acceleration of a servo, rad/s^2, inside its bounds; law: as of `ServoLaw.parameters`."""
    asked = law[0] * (target - position) - law[1] * velocity
    given: float = min(max(asked, -law[3]), law[3])
    edge = law[2] * (1.0 - ROUNDING)
    if (velocity >= edge and given > 0.0) or (velocity <= -edge and given < 0.0):
        return 0.0
    return given


@compiled
def advance_one(position: float, velocity: float, target: float, law: Array, step: float) -> tuple[float, float]:
    """Position and velocity of a servo one step later, rad and rad/s."""
    a1 = acceleration_of(position, velocity, target, law)
    v2 = velocity + 0.5 * step * a1
    a2 = acceleration_of(position + 0.5 * step * velocity, v2, target, law)
    v3 = velocity + 0.5 * step * a2
    a3 = acceleration_of(position + 0.5 * step * v2, v3, target, law)
    v4 = velocity + step * a3
    a4 = acceleration_of(position + step * v3, v4, target, law)
    after = velocity + step * (a1 + 2.0 * (a2 + a3) + a4) / 6.0
    return position + step * (velocity + 2.0 * (v2 + v3) + v4) / 6.0, min(max(after, -law[2]), law[2])


@compiled
def saturation(position: float, velocity: float, target: float, law: Array) -> int:
    """Which bounds hold: VELOCITY_SATURATED, ACCELERATION_SATURATED, both or neither."""
    flag = 0
    if abs(velocity) >= law[2] * (1.0 - ROUNDING):
        flag |= VELOCITY_SATURATED
    if abs(law[0] * (target - position) - law[1] * velocity) > law[3]:
        flag |= ACCELERATION_SATURATED
    return flag


@compiled
def follow(position: Array, velocity: Array, target: Array, laws: Array, duration: float, substeps: int, flags: NDArray[np.int64]) -> None:
    """Advance some servos, in place.

    Args:
        position, velocity: (n,), rad, rad/s, changed.
        target: held meanwhile, (n,), rad.
        laws: (n, 4), rows as of `ServoLaw.parameters`.
        duration: s, cut into this many substeps.
        flags: (n,), written: which bounds held somewhere in it.
    """
    for i in range(position.shape[0]):
        flag = 0
        for _ in range(substeps):
            flag |= saturation(position[i], velocity[i], target[i], laws[i])
            position[i], velocity[i] = advance_one(position[i], velocity[i], target[i], laws[i], duration / substeps)
        flags[i] = flag


class ServoFollower:
    """Some servos that follow their targets.

    Attributes:
        position: (n,), rad.
        velocity: (n,), rad/s.
        flags: of the last advance, (n,).
    """

    def __init__(self, laws: list[ServoLaw], position: ArrayLike, step: float = 1e-3) -> None:
        """laws: one for each servo; position: (n,), rad, at rest; step: longest of the integration, s."""
        self._laws, self._step = np.array([law.parameters() for law in laws]), step
        self.position = np.array(position, dtype=np.float64)
        if self.position.shape != (len(laws),):
            raise ValueError(f"position has shape {self.position.shape}, not ({len(laws)},)")
        self.velocity = np.zeros(len(laws))
        self.flags = np.zeros(len(laws), dtype=np.int64)

    def advance(self, target: Array, duration: float) -> None:
        """Follow targets ((n,), rad) that are held for some time, s."""
        substeps = max(1, int(np.ceil(duration / self._step - 1e-9)))
        follow(self.position, self.velocity, target, self._laws, duration, substeps, self.flags)

# SPDX-License-Identifier: Apache-2.0
"""Which force and moment a flat foot may take from the ground, as linear bounds in closed form."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError

Array = NDArray[np.float64]

ROWS_PER_WRENCH = 10
"""Two bounds on the normal force, four edges of the pyramid, four of the sole, on which the centre of pressure stays."""
YAW_ROWS = 8
"""More of them against turning on the spot."""


@dataclass(frozen=True)
class Sole:
    """A rectangle that touches the ground, its centre where the foot's is.

    Attributes:
        half_length, half_width: along and across the foot, m.
        bounds_yaw: whether the moment about the normal is bounded by friction; without it a foot may turn on the spot.

    Raises:
        ConfigurationError: a half side that is not finite and above 0.
    """

    half_length: float
    half_width: float
    bounds_yaw: bool = True

    def __post_init__(self) -> None:
        for name in ("half_length", "half_width"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ConfigurationError(f"{name} of the sole is {value} m; give a finite number above 0, or take the foot for a point")


def wrench_cone(frame: Array, friction: float, largest: float, sole: Sole) -> tuple[Array, Array]:
    """Bounds on the wrench of one foot, as rows (m, 6) and bounds (m,) of rows x >= bounds.

    It is what forces at the four corners can add up to, each inside a square pyramid that is inscribed in Coulomb's cone [Caron, Pham and
    Nakamura 2015, Eq. 17-22], and a bound on the sum of the normal forces.

    Args:
        frame: rows normal out of the ground, along the foot, across the foot, in odom axes, (3, 3).
        friction: Coulomb coefficient.
        largest: of the normal force, N.
        sole: of the foot.

    The wrench x is the force, N, and the moment about the centre of the sole, N m, both in odom axes, (6,).
    """
    # The square pyramid |f_x|, |f_y| <= mu f_z has its edges, not its sides, on the cone.
    mu, x, y = friction / math.sqrt(2.0), sole.half_length, sole.half_width
    local = [(0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 0.0, 0.0, 0.0)]
    for sign in (1.0, -1.0):
        local += [(sign, 0.0, mu, 0.0, 0.0, 0.0), (0.0, sign, mu, 0.0, 0.0, 0.0)]
        local += [(0.0, 0.0, y, sign, 0.0, 0.0), (0.0, 0.0, x, 0.0, sign, 0.0)]
    if sole.bounds_yaw:
        # mu (x + y) f_z - |y f_x -+ mu m_x| - |x f_y -+ mu m_y| +- m_z >= 0, one row for each choice of signs.
        for turn in (1.0, -1.0):
            for one in (1.0, -1.0):
                for other in (1.0, -1.0):
                    local.append((one * y, other * x, mu * (x + y), -turn * one * mu, -turn * other * mu, turn))
    # Along and across come before the normal in the closed form.
    axes = frame[[1, 2, 0]]
    turned = np.zeros((6, 6))
    turned[:3, :3] = turned[3:, 3:] = axes
    bounds = np.zeros(len(local))
    bounds[1] = -largest
    return np.array(local) @ turned, bounds

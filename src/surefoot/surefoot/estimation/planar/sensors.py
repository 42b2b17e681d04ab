# SPDX-License-Identifier: Apache-2.0
"""What encoders, a gyroscope and a pose from outside say of the planar state, and where that state has the base.

The source lists the signals alone [Levashov 2012, section 4.4]; the formulas are those of the chain from the back foot to the base.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.delayed_filter import Linearised
from surefoot.estimation.planar.body import PlanarBody
from surefoot.estimation.planar.process import STATES

Array = NDArray[np.float64]

_TINY = 1e-30

PLACE_ROWS, RATE_ROWS = (0, 1, 2), (3, 4, 5)
"""Of `BaseInPlane`."""


class BaseInPlane:
    """Pose and twist of the base by the state, (6,): x (m), y (m), pitch (rad, from x to y) and their rates."""

    def __init__(self, body: PlanarBody) -> None:
        self._shin, self._upper, _ = body.links.length
        self._base, self._line = body.base_from_back_hip, body.hip_line

    def at(self, state: Array) -> Linearised:
        """Of a state (14,), and the Jacobian (6, 14)."""
        states = np.repeat(np.asarray(state, dtype=np.complex128)[:, None], STATES, axis=1)
        states[np.diag_indices(STATES)] += 1j * _TINY
        read = self._read(states)
        return Linearised(read[:, 0].real.copy(), read.imag / _TINY)

    def _read(self, states: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Of many, (14, n)."""
        pitch, hip, knee = states[2:5]
        rate, hip_rate, knee_rate = states[9:12]
        upright = 0.5 * np.pi
        angles = (pitch + hip + knee + upright, pitch + hip + upright, pitch, pitch + upright)
        rates = (rate + hip_rate + knee_rate, rate + hip_rate, rate, rate)
        lengths = (self._shin, self._upper, self._base[0], self._base[1])
        x, y, vx, vy = states[0], states[1], states[7], states[8]
        for angle, turn, length in zip(angles, rates, lengths, strict=True):
            along, up = length * np.cos(angle), length * np.sin(angle)
            x, y, vx, vy = x + along, y + up, vx - turn * up, vy + turn * along
        # The line of the hips may be inclined in the base.
        return np.stack((x, y, pitch - self._line, vx, vy, rate))


class BaseSensor:
    """Some of pose and twist of the base, as a gyroscope or somebody outside sees it; see `delayed_filter.Sensor`."""

    def __init__(self, base: BaseInPlane, rows: Sequence[int], deviation: Sequence[float]) -> None:
        """Args:
        base: that is seen.
        rows: of it.
        deviation: of each.
        """
        self._base, self._rows = base, list(rows)
        self._noise, self.size = np.diag(np.square(deviation)), len(self._rows)

    def expect(self, state: Array, mode: int) -> Linearised:
        """What it reads at a state, and its Jacobian."""
        seen = self._base.at(state)
        return Linearised(seen.value[self._rows], seen.jacobian[self._rows])

    def noise(self) -> Array:
        """Covariance of a reading."""
        return self._noise


class Encoders:
    """The four joints, each the mean of a pair."""

    size = 4

    def __init__(self, deviation: float) -> None:
        """deviation: of the mean of a pair, rad."""
        self._jacobian = np.eye(STATES)[3:7]
        self._noise = np.eye(4) * deviation**2

    def expect(self, state: Array, mode: int) -> Linearised:
        """The joints of a state."""
        return Linearised(state[3:7].copy(), self._jacobian)

    def noise(self) -> Array:
        """Covariance of a reading."""
        return self._noise

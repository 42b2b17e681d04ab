# SPDX-License-Identifier: Apache-2.0
"""How the delay of a robot's commands changes from tick to tick."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.cloud.noise import limit_of, standard_noise
from surefoot.traces.cloud.ranges import Spread

Array = NDArray[np.float64]

BLOCK = 256
"""Ticks that are drawn together."""

_PURPOSE = 2


@dataclass(frozen=True)
class CommandJitter:
    """A small random delay on top of each particle's own, drawn anew at each tick [Zapolsky 2017, section 4.1.1].

    Attributes:
        seed: of the cloud.
        spread: s.
        truncation: of the cloud.
    """

    seed: int
    spread: Spread
    truncation: float

    @property
    def acts(self) -> bool:
        """Whether there is any."""
        return self.spread.reach(self.truncation) > 0.0

    def block(self, indices: NDArray[np.int64], number: int) -> Array:
        """What is added from tick number * BLOCK on, (n, BLOCK), s.

        Args:
            indices: of the particles, (n,).
            number: of the block.
        """
        limit = np.array([limit_of(self.spread, self.truncation)])
        result: Array = self.spread.width * standard_noise(self.seed, indices, (_PURPOSE, number), BLOCK, limit)[:, :, 0]
        return result

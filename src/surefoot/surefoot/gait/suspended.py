# SPDX-License-Identifier: Apache-2.0
"""Whether a robot that should stand is suspended: it hangs on a hoist, rests on a stand, or somebody holds it, and no foot bears load."""

import numpy as np
from numpy.typing import ArrayLike

AFTER = 0.25
"""s without load on any foot after which it is held."""

SUPPORTED_AFTER = 0.2
"""s with load on enough feet after which it is held no more: a leg that moves in the air feels like one that touches something."""

ENOUGH = 3
"""Feet that bear load under a robot that stands."""


class SuspendedWatch:
    """Follows the feet from estimate to estimate. A robot whose feet nobody has looked at is not held."""

    def __init__(self) -> None:
        self._time, self._since = -np.inf, np.inf
        self._held = False

    def look(self, time: float, contact_probability: ArrayLike) -> bool:
        """Take the feet of one estimate in, and say whether the robot is held.

        Args:
            time: of the estimate, s; one that goes back begins anew.
            contact_probability: that each foot bears load, (4,), 0 to 1.
        """
        loaded = int((np.asarray(contact_probability) > 0.5).sum())
        if not time >= self._time:
            self._since, self._held = np.inf, False
        self._time = time
        turns = loaded >= ENOUGH if self._held else loaded == 0
        if not turns:
            self._since = np.inf
        else:
            self._since = min(self._since, time)
            if time - self._since >= (SUPPORTED_AFTER if self._held else AFTER):
                self._held, self._since = not self._held, np.inf
        return self._held

# SPDX-License-Identifier: Apache-2.0
"""The last seconds of the robot, thinned out to what a diagram can show."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

WINDOW = 6.0
"""s that are kept."""
STEP = 0.02
"""s between two entries at least."""


class ContactHistory:
    """Which feet were planned to be on the ground, and which were felt there."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, int, int]] = deque()

    def add(self, time: float, planned: NDArray[np.bool_], sensed: NDArray[np.bool_]) -> None:
        """Take in one moment: time, s, and (4,) of each. What comes too soon after the last or before it is passed over."""
        if self._entries and time < self._entries[-1][0] + STEP:
            return
        self._entries.append((round(time, 3), _bits(planned), _bits(sensed)))
        while self._entries[0][0] < time - WINDOW:
            self._entries.popleft()

    def columns(self) -> dict[str, list[float] | list[int]]:
        """Times, s, and feet as bits, leg 0 the lowest."""
        return {
            "time": [entry[0] for entry in self._entries],
            "planned": [entry[1] for entry in self._entries],
            "sensed": [entry[2] for entry in self._entries],
        }


class EffortHistory:
    """The largest torque of each joint in the last second."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, NDArray[np.float64]]] = deque()

    def add(self, time: float, effort: NDArray[np.float64]) -> None:
        """Take in one moment: time, s, and torques, (12,), N m; NaN counts as nothing."""
        self._entries.append((time, np.nan_to_num(np.abs(effort))))
        while self._entries[0][0] < time - 1.0 or self._entries[0][0] > time:
            self._entries.popleft()

    def peak(self) -> NDArray[np.float64]:
        """(12,), N m."""
        return np.max([effort for _, effort in self._entries], axis=0) if self._entries else np.zeros(12)


def _bits(feet: NDArray[np.bool_]) -> int:
    return sum(1 << leg for leg in range(len(feet)) if feet[leg])

# SPDX-License-Identifier: Apache-2.0
"""Joints that measure more than they may for longer than they may: which, how much, and since when; compiled."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

POSITION, VELOCITY, EFFORT, POWER, FOLLOWING = range(5)
"""Rows of a table; the power of all joints together is in the first column of its row."""

NONE = -1


@compiled
def watch(
    time: float, position: Array, velocity: Array, effort: Array, target: Array, middle: Array, limit: Array, patience: Array, since: Array
) -> int:  # fmt: skip
    """Look at one sample.

    Args:
        time: s.
        position, velocity, effort: (n,), rad, rad/s, N m; NaN is not measured, and never beyond.
        target: position that was asked for, (n,), rad; NaN where none was.
        middle: of the position range, (n,), rad.
        limit: for the size of each quantity, (5, n).
        patience: time beyond a limit without a break after which it counts, (5,), s.
        since: time since which each is beyond, (5, n), kept; infinite while it is not.

    Returns:
        row n + joint of the one that is furthest beyond in the first row that has any; NONE for none.
    """
    count = position.shape[0]
    power = 0.0
    for i in range(count):
        if effort[i] * velocity[i] > 0.0:
            power += effort[i] * velocity[i]
    found = NONE
    for row in range(5):
        worst = 0.0
        for i in range(1 if row == POWER else count):
            if row == POSITION:
                value = abs(position[i] - middle[i])
            elif row == VELOCITY:
                value = abs(velocity[i])
            elif row == EFFORT:
                value = abs(effort[i])
            elif row == FOLLOWING:
                value = abs(target[i] - position[i])
            else:
                value = power
            if not value > limit[row, i]:
                since[row, i] = np.inf
                continue
            since[row, i] = min(since[row, i], time)
            if found == NONE or found // count == row:
                part = value / limit[row, i]
                if time - since[row, i] >= patience[row] and part > worst:
                    worst, found = part, row * count + i
    return found


class Overruns:
    """The joints of a robot, watched.

    Args:
        names: of the joints, (n,).
        middle: of their ranges, (n,), rad.
        limit, patience: see `watch`.
    """

    def __init__(self, names: tuple[str, ...], middle: Array, limit: Array, patience: Array) -> None:
        self._names, self._middle, self._limit, self._patience = names, middle, limit, patience
        self._since = np.full(limit.shape, math.inf)

    def reset(self) -> None:
        """Forget what was before."""
        self._since[:] = math.inf

    def look(self, time: float, position: Array, velocity: Array, effort: Array, target: Array) -> tuple[int, str]:
        """The row that tripped, or NONE, and in words which joint, its value, the limit, and since when. Arguments as of `watch`."""
        found = watch(time, position, velocity, effort, target, self._middle, self._limit, self._patience, self._since)
        if found == NONE:
            return NONE, ""
        row, joint = divmod(found, len(self._names))
        limit, since = self._limit[row, joint], self._since[row, joint]
        if row == POWER:
            each = np.nan_to_num(np.maximum(effort * velocity, 0.0))
            hardest = int(np.argmax(each))
            words = f"{each.sum():.4g} W, most of it from {self._names[hardest]} ({each[hardest]:.4g} W)"
        elif row == POSITION:
            lowest, highest = self._middle[joint] - limit, self._middle[joint] + limit
            return row, (
                f"{self._names[joint]} is at {position[joint]:.4g} rad, allowed are {lowest:.4g} to {highest:.4g}, since {since:.3f} s"
            )
        else:
            said = {
                VELOCITY: ("{} rad/s", velocity),
                EFFORT: ("{} N m", effort),
                FOLLOWING: ("is {} rad from its target", position - target),
            }
            form, values = said[row]
            words = f"{self._names[joint]} {form.format(f'{values[joint]:.4g}')}"
        return row, f"{words}, limit {limit:.4g}, since {since:.3f} s"

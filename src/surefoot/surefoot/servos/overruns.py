# SPDX-License-Identifier: Apache-2.0
"""Joints that measure more than they may for longer than they may: which, how much, and since when; compiled.

The time beyond a limit adds up, and inside of it is lost again at half the rate, so that what swings in and out of it trips as well.
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

POSITION, VELOCITY, EFFORT, POWER, FOLLOWING = range(5)
"""Rows of a table; the power of all joints together is in the first column of its row."""

NONE = -1

START, BEGAN, WORST, VERDICT = range(4)
"""Layers of what is kept of each quantity. START is the time less that which it has been beyond, s, and BEGAN when it first was, s, both
infinite while none is left; WORST is the value that was furthest beyond since then, as measured."""
NEVER, INSIDE, BEYOND, UNKNOWN = -1.0, 0.0, 1.0, 2.0
"""What a VERDICT says of the sample before; NEVER where nothing was ever measured."""

FORGOTTEN = 0.5
"""s of the time beyond a limit that are lost in each s inside of it: what is beyond for more than a third of the time trips."""


@compiled
def watch(
    time: float, before: float, position: Array, velocity: Array, effort: Array, target: Array, middle: Array, limit: Array,
    patience: Array, kept: Array, powers: Array,
) -> int:  # fmt: skip
    """Look at one sample; until the next one all is as it says.

    Args:
        time, before: of this sample and of the one before, s.
        position, velocity, effort: (n,), rad, rad/s, N m; NaN is not measured, and changes nothing.
        target: position that was asked for, (n,), rad; NaN where none was, which changes nothing either.
        middle: of the position range, (n,), rad.
        limit: for the size of each quantity, (5, n).
        patience: time beyond a limit, less what was lost of it inside, after which it counts, (5,), s.
        kept: START to VERDICT of each quantity, (4, 5, n), kept.
        powers: that each joint put out when all together put out most since BEGAN, (n,), W, kept.

    Returns:
        row n + joint of the one that was furthest beyond in the first row that has any that is beyond now; NONE for none.
    """
    count, elapsed = position.shape[0], max(0.0, time - before)
    power, whole = 0.0, True
    for i in range(count):
        if effort[i] * velocity[i] > 0.0:
            power += effort[i] * velocity[i]
        if math.isnan(effort[i]) and kept[VERDICT, EFFORT, i] != NEVER:
            whole = False
    if not (whole or power > limit[POWER, 0]):
        # A joint that drove may drive still.
        power = np.nan
    found = NONE
    for row in range(5):
        most = 0.0
        for i in range(1 if row == POWER else count):
            rest = middle[i] if row == POSITION else 0.0
            if row == POSITION:
                value = position[i]
            elif row == VELOCITY:
                value = velocity[i]
            elif row == EFFORT:
                value = effort[i]
            elif row == FOLLOWING:
                value = position[i] - target[i]
            else:
                value = power
            size = abs(value - rest)
            verdict = kept[VERDICT, row, i]
            if verdict == INSIDE:
                kept[START, row, i] += (1.0 + FORGOTTEN) * elapsed
            elif verdict == UNKNOWN:
                kept[START, row, i] += elapsed
            if math.isnan(size):
                kept[VERDICT, row, i] = NEVER if verdict == NEVER else UNKNOWN
                continue
            if not size > limit[row, i]:
                kept[VERDICT, row, i] = INSIDE
                # However long no sample came, the patience is there to be lost, and what is lost of it until the next one is beyond again.
                kept[START, row, i] = max(kept[START, row, i], time - (1.0 + FORGOTTEN) * patience[row])
                if kept[START, row, i] >= time:
                    kept[START, row, i] = kept[BEGAN, row, i] = np.inf
                continue
            kept[VERDICT, row, i] = BEYOND
            if kept[START, row, i] >= time:
                kept[START, row, i], kept[BEGAN, row, i], kept[WORST, row, i] = time, time, rest
            if size >= abs(kept[WORST, row, i] - rest):
                kept[WORST, row, i] = value
                if row == POWER:
                    for j in range(count):
                        powers[j] = effort[j] * velocity[j] if effort[j] * velocity[j] > 0.0 else 0.0
            if found == NONE or found // count == row:
                part = abs(kept[WORST, row, i] - rest) / limit[row, i]
                if time - kept[START, row, i] >= patience[row] and part > most:
                    most, found = part, row * count + i
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
        self._kept, self._powers = np.zeros((4, *limit.shape)), np.zeros(len(names))
        self.reset()

    def reset(self) -> None:
        """Forget what was before."""
        self._before = -math.inf
        self._kept[START], self._kept[BEGAN], self._kept[WORST], self._kept[VERDICT] = math.inf, math.inf, 0.0, NEVER

    def look(self, time: float, position: Array, velocity: Array, effort: Array, target: Array) -> tuple[int, str]:
        """The row that tripped, or NONE, and in words which joint, its worst value, the limit, and since when. Arguments as of `watch`."""
        found = watch(
            time, self._before, position, velocity, effort, target, self._middle, self._limit, self._patience, self._kept, self._powers
        )
        self._before = time
        if found == NONE:
            return NONE, ""
        row, joint = divmod(found, len(self._names))
        limit, name = self._limit[row, joint], self._names[joint]
        since, worst = self._kept[BEGAN, row, joint], self._kept[WORST, row, joint]
        if row == POSITION:
            lowest, highest = self._middle[joint] - limit, self._middle[joint] + limit
            return row, f"{name} is at {worst:.4g} rad, allowed are {lowest:.4g} to {highest:.4g}, since {since:.3f} s"
        hardest = int(np.argmax(self._powers))
        words = {
            VELOCITY: f"{name} {worst:.4g} rad/s",
            EFFORT: f"{name} {worst:.4g} N m",
            FOLLOWING: f"{name} is {worst:.4g} rad from its target",
            POWER: f"{worst:.4g} W, most of it from {self._names[hardest]} ({self._powers[hardest]:.4g} W)",
        }
        return row, f"{words[row]}, limit {limit:.4g}, since {since:.3f} s"

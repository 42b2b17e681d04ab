# SPDX-License-Identifier: Apache-2.0
"""Swing legs that brake before their joint stops; the very function of both forms of the law."""

from typing import Any

from surefoot.compilation import compiled

HORIZON = 0.04
"""Time in which a joint must be able to come to its limit and no further, s: a tenth of a swing, and several ticks of a controller."""


@compiled
def keep_swing_in_range(load: Any, position: Any, velocity: Any, lower: Any, upper: Any, constant: Any, by_base: Any) -> None:
    """Bound the joint accelerations of legs without load, so that their joints stop at their limits.

    A planned foot can lie where the leg reaches only with a joint at its stop, on slopes above all: the foot then leaves its path a
    little, in place of the stop throwing the leg. With a constant acceleration within its bounds a joint is inside of its limits after
    HORIZON. One that is bounded does not follow the base any more. Legs under load are left alone: what they do, the contact says.

    Args:
        load: planned for each foot, (4,).
        position, velocity: of the joints, (4, 3), rad and rad/s.
        lower, upper: limits of the joints, (4, 3), rad.
        constant: joint accelerations but for those that follow the base, (4, 3), rad/s^2, changed.
        by_base: joint accelerations by base acceleration, (12, 6), changed.
    """
    for leg in range(4):
        if load[leg] > 0.0:
            continue
        for k in range(3):
            ahead = position[leg, k] + HORIZON * velocity[leg, k]
            highest = 2.0 * (upper[leg, k] - ahead) / HORIZON**2
            lowest = 2.0 * (lower[leg, k] - ahead) / HORIZON**2
            if constant[leg, k] > highest or constant[leg, k] < lowest:
                constant[leg, k] = min(highest, max(lowest, constant[leg, k]))
                by_base[3 * leg + k, :] = 0.0

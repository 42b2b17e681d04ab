# SPDX-License-Identifier: Apache-2.0
"""Where a foot on the ground is held by its servos: where it came to stand, so that one that slips is pulled back; compiled.

A foot that were asked to be where it is would meet no resistance: on ice it glides away under its load, and in the air the leg runs
after itself to its stop.
"""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.gait.modes import STANCE, SUPPORT


@compiled
def move_hold(settings: Any, planner: Any, state: Any, leg: int, foot: Any, dt: float) -> None:
    """Advance the place where one foot is held.

    It follows the foot slowly, as a foot rolls and an estimate drifts, stays where it is while the foot has lost the ground, and is never
    further from it than a leash.

    Args:
        settings: a PLANNER_SETTINGS record.
        planner: a PLANNER record, its `hold_position` is moved.
        state: a STATE record.
        leg: index.
        foot: in odom, (3,), m.
        dt: s since the last tick.
    """
    stands = planner.mode[leg] == STANCE or planner.mode[leg] == SUPPORT
    away = 0.0
    for i in range(3):
        away += (foot[i] - planner.hold_position[leg, i]) ** 2
    away = math.sqrt(away)
    way = settings.hold_speed * dt if state.contact_probability[leg] > settings.contact_threshold else 0.0
    left = min(max(away - way, 0.0), settings.hold_leash) if stands else 0.0
    share = left / away if left > 0.0 else 0.0
    for i in range(3):
        planner.hold_position[leg, i] = foot[i] + share * (planner.hold_position[leg, i] - foot[i])

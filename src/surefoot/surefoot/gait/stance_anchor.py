# SPDX-License-Identifier: Apache-2.0
"""Anchor of a foot in stance: the servos hold it where it came to stand, so that one that slips is pulled back; compiled.

A foot that were asked to be where it is would meet no resistance: on ice it glides away under its load, and in the air the leg runs
after itself to its stop.
"""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.gait.ground import ground_normal
from surefoot.gait.modes import STANCE, SUPPORT
from surefoot.stack_arrays import stack_vector


@compiled
def move_stance_anchor(settings: Any, planner: Any, state: Any, leg: int, foot: Any, dt: float) -> None:
    """Advance the anchor of one foot, the place where it is held.

    It follows the foot slowly along the ground, as a foot rolls and an estimate drifts, and at once out of it and into it, as ground
    yields; it stays where it is while the foot has lost the ground, and is never further from it than a leash.

    Args:
        settings: a PLANNER_SETTINGS record.
        planner: a PLANNER record, its `hold_position` is moved.
        state: a STATE record.
        leg: index.
        foot: in odom, (3,), m.
        dt: s since the last tick.
    """
    hold, back, normal = planner.hold_position[leg], stack_vector(3), stack_vector(3)
    for i in range(3):
        back[i] = 0.0
    if planner.mode[leg] == STANCE or planner.mode[leg] == SUPPORT:
        for i in range(3):
            back[i] = hold[i] - foot[i]
        way = 0.0
        if state.contact_probability[leg] > settings.contact_threshold:
            way = settings.hold_speed * dt
            ground_normal(planner, normal)
            out = back[0] * normal[0] + back[1] * normal[1] + back[2] * normal[2]
            for i in range(3):
                back[i] -= out * normal[i]
        length = math.sqrt(back[0] * back[0] + back[1] * back[1] + back[2] * back[2])
        left = min(max(length - way, 0.0), settings.hold_leash)
        share = left / length if left > 0.0 else 0.0
        for i in range(3):
            back[i] *= share
    for i in range(3):
        hold[i] = foot[i] + back[i]

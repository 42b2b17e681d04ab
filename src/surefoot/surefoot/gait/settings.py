# SPDX-License-Identifier: Apache-2.0
"""Parameters of the gait planner: typed, range-checked, and turned into the record that compiled functions read."""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from surefoot.gait.records import PLANNER_SETTINGS
from surefoot.robot.description import NotNegative, Positive
from surefoot.robot.model import GRAVITY
from surefoot.settings import Settings

_TIMES = ("minimum_swing_time", "lost_contact_time", "reach_time", "held_up_time", "load_ramp", "ground_time_constant")
_LENGTHS = ("reach_depth", "reach_lag", "hold_leash", "position_leash")
_SPEEDS = ("reach_speed", "touchdown_speed", "hold_speed", "posture_speed", "replan_speed")


class PlannerSettings(Settings):
    """Parameters of the gait planner that do not belong to one gait; one set fits robots of any size.

    Lengths are in stand heights h, times in sqrt(h / g), which is how long it takes a robot of that size to tip (0.25 s for
    0.6 m), and speeds in sqrt(g h).
    """

    contact_threshold: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.5
    """Contact probability from which a foot counts as on the ground."""
    minimum_swing_time: Positive = 0.35
    """A swing that would have to be shorter is not begun."""
    early_contact_from: Annotated[float, Field(ge=0.0, le=1.0)] = 0.6
    """Part of the swing after which a contact ends it; before it the contact is still that of the liftoff."""
    lost_contact_time: Positive = 1.0
    """Without contact, after which a stance foot goes to look for the ground; a foot may be light for a while without being lost."""
    reach_speed: Positive = 0.25
    """Downward speed of a reaching foot; the floor that keeps it going at zero command."""
    reach_depth: Positive = 0.4
    """Depth below the planned touchdown at which a reaching foot gives up."""
    reach_time: Positive = 4.0
    """Time after which a reaching foot gives up."""
    reach_lag: Positive = 0.05
    """How far a reaching foot may be above where it is asked to be and not come down; one that is held up by more, by its shank on an edge
    for instance, is asked for no more than this: it must not lift the body off the other feet."""
    held_up_time: NotNegative = 0.15
    """Time for which a foot has to be held up before, while walking, it steps again. A leg that is only slow comes down before."""
    touchdown_speed: Annotated[float, Field(ge=0.0)] = 0.15
    """Downward speed at the planned touchdown."""
    load_ramp: Positive = 0.16
    """Time over which the force bound of a foot grows after touchdown and shrinks before liftoff."""
    hold_speed: NotNegative = 0.02
    """Speed at which the place where a standing foot is held follows the foot; one that slips faster is pulled back."""
    hold_leash: NotNegative = 0.18
    """Largest distance of that place from the foot; 0: a foot is held nowhere, and asked to be where it is."""
    acceleration_limit: tuple[Positive, Positive, Positive] = (0.5, 0.5, 1.0)
    """On the command: forward, left m/s^2, turn rad/s^2."""
    position_leash: Positive = 0.15
    """Largest horizontal distance of the base reference from the base."""
    yaw_leash: Positive = 0.3
    """rad"""
    posture_speed: Positive = 0.06
    """Speed of the base reference while it changes its height or comes over the feet."""
    tilt_speed: Positive = 0.3
    """rad/s"""
    posture_limit: tuple[NotNegative, NotNegative, NotNegative, NotNegative] = (0.15, 0.2, 0.2, 0.2)
    """How far the operator may take the body from what the gait says: height, in stand heights, and roll, pitch and yaw, rad."""
    ground_time_constant: Positive = 0.4
    """Of the low-pass on the plane through the feet."""
    slope_limit: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.4
    """Rise over length of the plane through the feet that is believed at most; 0: the ground is level."""
    replan_speed: Positive = 0.02
    """Change of the command after which a swing is planned anew."""

    def record(self, stand_height: float) -> np.ndarray:
        """An array of one PLANNER_SETTINGS record, in metres and seconds.

        Args:
            stand_height: base origin above the ground in the stand pose, m.
        """
        record = np.zeros(1, PLANNER_SETTINGS)
        units = dict.fromkeys(_TIMES, math.sqrt(stand_height / GRAVITY))
        units |= dict.fromkeys(_LENGTHS, stand_height) | dict.fromkeys(_SPEEDS, math.sqrt(stand_height * GRAVITY))
        for key in PLANNER_SETTINGS.names or ():
            value = getattr(self, key)
            record[key] = value * units[key] if key in units else value
        record["posture_limit"][:, 0] *= stand_height
        return record

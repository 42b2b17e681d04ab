# SPDX-License-Identifier: Apache-2.0
"""Parameters of the gait planner: typed, range-checked, and turned into the record that compiled functions read."""

from typing import Annotated

import numpy as np
from pydantic import Field

from surefoot.gait.records import PLANNER_SETTINGS
from surefoot.robot.description import Positive
from surefoot.settings import Settings


class PlannerSettings(Settings):
    """Parameters of the gait planner that do not belong to one gait. Lengths are in parts of the robot's stand height."""

    contact_threshold: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.5
    """Contact probability from which a foot counts as on the ground."""
    minimum_swing_time: Positive = 0.12
    """s; a swing that would have to be shorter is not begun."""
    early_contact_from: Annotated[float, Field(ge=0.0, le=1.0)] = 0.6
    """Part of the swing after which a contact ends it; before it the contact is still that of the liftoff."""
    lost_contact_time: Positive = 0.08
    """s without contact after which a stance foot goes to look for the ground."""
    reach_speed: Positive = 0.5
    """Downward speed of a reaching foot, stand heights a second; the floor that keeps it going at zero command."""
    reach_depth: Positive = 0.4
    """Depth below the planned touchdown at which a reaching foot gives up, stand heights."""
    reach_time: Positive = 1.0
    """s after which a reaching foot gives up."""
    touchdown_speed: Annotated[float, Field(ge=0.0)] = 0.2
    """Downward speed at the planned touchdown, stand heights a second."""
    load_ramp: Positive = 0.04
    """s over which the force bound of a foot grows after touchdown and shrinks before liftoff."""
    acceleration_limit: tuple[Positive, Positive, Positive] = (0.5, 0.5, 1.0)
    """On the command: forward, left m/s^2, turn rad/s^2."""
    position_leash: Positive = 0.15
    """Largest horizontal distance of the base reference from the base, stand heights."""
    yaw_leash: Positive = 0.3
    """rad"""
    posture_speed: Positive = 0.25
    """Speed of the base reference while it changes its height or comes over the feet, stand heights a second."""
    tilt_speed: Positive = 0.3
    """rad/s"""
    ground_time_constant: Positive = 0.1
    """Of the low-pass on the height of the stance feet, s."""
    replan_speed: Positive = 0.05
    """Change of the command after which a swing is planned anew, m/s."""

    def record(self, stand_height: float) -> np.ndarray:
        """An array of one PLANNER_SETTINGS record, lengths in metres.

        Args:
            stand_height: base origin above the ground in the stand pose, m.
        """
        record = np.zeros(1, PLANNER_SETTINGS)
        scaled = {"reach_speed", "reach_depth", "touchdown_speed", "position_leash", "posture_speed"}
        for key in PLANNER_SETTINGS.names or ():
            value = getattr(self, key)
            record[key] = value * stand_height if key in scaled else value
        return record

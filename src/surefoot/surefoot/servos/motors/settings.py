# SPDX-License-Identifier: Apache-2.0
"""Settings of the motors of a robot, alike at every joint; what is not set is ideal."""

from typing import Annotated

from pydantic import Field

from surefoot.settings import Settings

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]


class MotorSettings(Settings):
    """Motors with their gears, as seen at the joint. Stall torque and no-load speed are the robot's own limits of effort and velocity."""

    torque_speed_loss: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Share of the torque that is gone at the velocity limit; 1: the diamond."""
    backlash: NotNegative = 0.0
    """Play of the gear between motor and joint, rad."""
    torque_per_ampere: Positive = 1.8
    """N m/A"""
    current_limit: Positive | None = None
    """A; none: the effort limit alone."""
    resistance: Positive = 3.0
    """ohm"""
    thermal_resistance: Positive = 4.0
    """K/W"""
    thermal_time_constant: Positive = 300.0
    """s"""

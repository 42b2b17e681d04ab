# SPDX-License-Identifier: Apache-2.0
"""From the sticks to a wanted velocity of the base."""

import math
from typing import NamedTuple

from surefoot.teleop.settings import DrivingSettings


class PlanarVelocity(NamedTuple):
    """Velocity of the base in its own frame (REP-103)."""

    forward: float = 0.0
    """m/s"""
    strafe: float = 0.0
    """m/s, positive to the left"""
    turn: float = 0.0
    """rad/s, positive counter-clockwise"""

    @property
    def finite(self) -> bool:
        """Whether all three are numbers."""
        return all(map(math.isfinite, self))


STILL = PlanarVelocity()


def fade(age: float, fades_after: float, timeout: float) -> float:
    """The part of a command that an age of its source leaves: 1 while fresh, 0 from the timeout on, linear between. Ages in s."""
    if not age <= timeout:
        return 0.0
    return 1.0 if age <= fades_after else (timeout - age) / (timeout - fades_after)


def velocity_from_sticks(sticks: PlanarVelocity, settings: DrivingSettings, gait_limits: PlanarVelocity | None) -> PlanarVelocity:
    """What the sticks ask for.

    Args:
        sticks: deflections, -1 to 1.
        settings: mode and full speeds.
        gait_limits: largest speeds of the running gait; None where they are not known.
    """
    full = PlanarVelocity(settings.max_forward_speed, settings.max_strafe_speed, settings.max_turn_rate)
    if settings.full_stick == "gait" and gait_limits is not None:
        full = PlanarVelocity(*map(min, full, gait_limits))
    wanted = PlanarVelocity(*(stick * speed for stick, speed in zip(sticks, full, strict=True)))
    return within(wanted, settings, gait_limits)


def within(wanted: PlanarVelocity, settings: DrivingSettings, gait_limits: PlanarVelocity | None) -> PlanarVelocity:
    """The velocity closest to the wanted one that settings and gait allow, component by component; no strafe in car mode."""
    most = PlanarVelocity(settings.max_forward_speed, 0.0 if settings.mode == "car" else settings.max_strafe_speed, settings.max_turn_rate)
    if gait_limits is not None:
        most = PlanarVelocity(*map(min, most, gait_limits))
    return PlanarVelocity(*(max(-limit, min(limit, value)) for value, limit in zip(wanted, most, strict=True)))

# SPDX-License-Identifier: Apache-2.0
"""The timetable of a gait: when each foot is planned on the ground [Zapolsky 2017, section 9.2.3], compiled."""

import math

import numpy as np

from surefoot.compilation import compiled


@compiled
def in_planned_stance(phase: float, liftoff: float, duty_factor: float) -> bool:
    """Whether a foot is planned on the ground; a duty factor of 1 is always, whatever the rest says.

    Args:
        phase: 0 to 1.
        liftoff: phase at which the foot is planned to leave the ground, 0 to 1.
        duty_factor: planned part of the period on the ground, over 0 to 1.
    """
    if duty_factor >= 1.0:
        return True
    since_liftoff = phase - liftoff
    since_liftoff -= math.floor(since_liftoff)
    return since_liftoff >= 1.0 - duty_factor


@compiled
def time_to_touchdown(phase: float, liftoff: float, duty_factor: float, period: float) -> float:
    """Seconds until the next planned touchdown, over 0 up to the period; infinity for a foot that never lifts."""
    if duty_factor >= 1.0:
        return np.inf
    ahead = liftoff + 1.0 - duty_factor - phase
    ahead -= math.floor(ahead)
    if ahead <= 0.0:
        ahead = 1.0
    return ahead * period


@compiled
def time_to_liftoff(phase: float, liftoff: float, duty_factor: float, period: float) -> float:
    """Seconds until the next planned liftoff, over 0 up to the period; infinity for a foot that never lifts."""
    if duty_factor >= 1.0:
        return np.inf
    ahead = liftoff - phase
    ahead -= math.floor(ahead)
    if ahead <= 0.0:
        ahead = 1.0
    return ahead * period

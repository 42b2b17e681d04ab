# SPDX-License-Identifier: Apache-2.0
"""How the base is to be pushed off so that a gait has its flights; compiled.

While no foot is on the ground only gravity acts: what the base gains of upward momentum in a stance must be what the flights before
and after it take away, half of each. Between touchdown and liftoff the push is constant, which asks for the smallest peak of the
joint torques; how fast a foot may be loaded is the business of its force bound.
"""

import math
from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.timing import in_planned_stance, time_to_liftoff, time_to_touchdown

INSTANT = 1e-6
"""s, a step over an event of the timetable; no flight is shorter."""


@compiled
def _at(gait: Any, phase: float, time: float) -> float:
    """The phase some time later, 0 to 1."""
    then: float = phase + time / gait.period
    return then - math.floor(then)


@compiled
def _support(gait: Any, phase: float, direction: float) -> float:
    """Seconds from a phase to the end (direction 1) or the beginning (-1) of the time in which some foot is planned on the ground.

    0 in a flight, infinity if there is none.
    """
    away = 0.0
    # Each turn goes on to the far end of the stance that reaches farthest; each of four feet has one in a period.
    for _ in range(5):
        now, farthest = _at(gait, phase, direction * away), 0.0
        for leg in range(4):
            if gait.duty_factor[leg] >= 1.0:
                return np.inf
            if in_planned_stance(now, gait.liftoff[leg], gait.duty_factor[leg]):
                ahead = time_to_liftoff(now, gait.liftoff[leg], gait.duty_factor[leg], gait.period)
                farthest = max(farthest, ahead if direction > 0.0 else gait.duty_factor[leg] * gait.period - ahead)
        if farthest <= INSTANT:
            return away
        away += farthest + 0.5 * INSTANT
    return np.inf


@compiled
def _flight(gait: Any, phase: float, direction: float) -> float:
    """Seconds from a phase in a flight to its end (direction 1) or back to its beginning (-1)."""
    nearest = np.inf
    for leg in range(4):
        if direction > 0.0:
            time = time_to_touchdown(phase, gait.liftoff[leg], gait.duty_factor[leg], gait.period)
        else:
            time = gait.period - time_to_liftoff(phase, gait.liftoff[leg], gait.duty_factor[leg], gait.period)
        nearest = min(nearest, time)
    return nearest


@compiled
def vertical_motion(gait: Any, phase: float, gravity: float, out: Any) -> None:
    """The vertical motion of the base that belongs to a moment of the cycle.

    Args:
        gait: a GAIT record.
        phase: 0 to 1.
        gravity: m/s^2.
        out: height above that of touchdown and liftoff, m, velocity, m/s, and acceleration, m/s^2, (3,), written; zeros for a gait
            without flight.
    """
    out[0], out[1], out[2] = 0.0, 0.0, 0.0
    if not gait.moves:
        return
    left, behind = _support(gait, phase, 1.0), _support(gait, phase, -1.0)
    if not math.isfinite(left) or not math.isfinite(behind):
        return
    if left + behind <= INSTANT:
        time = _flight(gait, phase, -1.0)
        velocity = 0.5 * gravity * (time + _flight(gait, phase, 1.0))
        out[0], out[1], out[2] = velocity * time - 0.5 * gravity * time * time, velocity - gravity * time, -gravity
        return
    before = _flight(gait, _at(gait, phase, -behind - INSTANT), -1.0)
    after = _flight(gait, _at(gait, phase, left + INSTANT), 1.0)
    _stance(behind, behind + left, before, after, gravity, out)


@compiled
def _stance(time: float, duration: float, before: float, after: float, gravity: float, out: Any) -> None:
    """Height, velocity and acceleration at a time within a support of a duration, between two flights, s."""
    start = -0.5 * gravity * before
    push = 0.5 * gravity * (before + after) / duration
    out[0], out[1], out[2] = start * time + 0.5 * push * time * time, start + push * time, push

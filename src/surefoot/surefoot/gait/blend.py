# SPDX-License-Identifier: Apache-2.0
"""From one gait to another without a step: every parameter goes over in a straight line, each foot's moment of liftoff along the
shorter way round the cycle, and the yaw of the base along the shorter way round; compiled.

There is one timetable at every instant, the blended one, so no foot is ever asked to be in two places.
"""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.gait.scalars import wrapped

TIE = 1e-6
"""Parts of the cycle, or rad, within which two ways count as equally long."""


@compiled
def phase_shift(gait_from: Any, phase_from: float, phase_to: float) -> float:
    """What to take from the clock of the running gait to have that of the coming one, 0 to 1.

    Args:
        gait_from: the running gait, a GAIT record; one in which no foot ever lifts has no clock, and takes that of the other.
        phase_from: of the running gait at the change.
        phase_to: at which the coming gait is to be then.
    """
    shift = phase_from - phase_to if gait_from.moves else 0.0
    return shift - math.floor(shift)


@compiled
def blend_gaits(gait_from: Any, gait_to: Any, share: float, shift: float, out: Any) -> None:
    """Write the gait that lies between two.

    Args:
        gait_from, gait_to: GAIT records.
        share: of the coming gait, 0 to 1.
        shift: see `phase_shift`; the result is a timetable by the clock of the running gait.
        out: GAIT record, written.
    """
    rest = 1.0 - share
    out.period = rest * gait_from.period + share * gait_to.period
    out.step_height = rest * gait_from.step_height + share * gait_to.step_height
    out.base_height = rest * gait_from.base_height + share * gait_to.base_height
    out.base_roll = rest * gait_from.base_roll + share * gait_to.base_roll
    out.base_pitch = rest * gait_from.base_pitch + share * gait_to.base_pitch
    # A gait whose feet stay where they are does not turn the base; half a turn is as far either way, see below.
    yaw_from = gait_from.base_yaw if gait_from.moves else gait_to.base_yaw
    yaw_to = gait_to.base_yaw if gait_to.moves else gait_from.base_yaw
    out.base_yaw = wrapped(yaw_from + share * (wrapped(yaw_to - yaw_from + TIE) - TIE))
    out.overshoot = rest * gait_from.overshoot + share * gait_to.overshoot
    out.velocity_feedback = rest * gait_from.velocity_feedback + share * gait_to.velocity_feedback
    out.moves = 1 if gait_from.moves or gait_to.moves else 0
    for i in range(3):
        out.max_speed[i] = rest * gait_from.max_speed[i] + share * gait_to.max_speed[i]
    for leg in range(4):
        out.duty_factor[leg] = rest * gait_from.duty_factor[leg] + share * gait_to.duty_factor[leg]
        begin, end = gait_from.liftoff[leg], gait_to.liftoff[leg] + shift
        # A foot that one of the two never lifts has no moment of liftoff there.
        if gait_from.duty_factor[leg] >= 1.0:
            begin = end
        elif gait_to.duty_factor[leg] >= 1.0:
            end = begin
        way = end - begin
        # Half a cycle is as far either way; rounding is not to choose, or trace and robot might differ.
        way -= math.floor(way + 0.5 + TIE)
        liftoff = begin + share * way
        out.liftoff[leg] = liftoff - math.floor(liftoff)
        for i in range(2):
            out.neutral_foot[leg, i] = rest * gait_from.neutral_foot[leg, i] + share * gait_to.neutral_foot[leg, i]

# SPDX-License-Identifier: Apache-2.0
"""Servos inside of what they can do: torque and speed together, as `servos.motors.torque_speed` has it [Zapolsky 2017, section 5.4]."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from surefoot.compilation import compiled
from surefoot.robot.model import RobotModel
from surefoot.servos.motors.torque_speed import torque_speed_room
from surefoot.settings import Settings


class TorqueSpeed(Settings):
    """Of every servo, with the torque that it really gives."""

    longest_overload: Annotated[float, Field(ge=0.0, le=2.0)] = 0.2
    """s without a break that a servo may be outside; 0: never. In trots that are sound in simulation it happens for up to 0.13 s.
    """


def fill_torque_speed(limits: np.ndarray, model: RobotModel, parameters: TorqueSpeed) -> None:
    """Write what the judgement needs."""
    limits["effort_limit"], limits["velocity_limit"] = model.effort_limit, model.velocity_limit
    limits["longest_overload"] = parameters.longest_overload


@compiled
def torque_speed_witness(
    torque: Any, speed: Any, effort_limit: Any, velocity_limit: Any, longest: float, period: float, overloaded: Any
) -> float:
    """Least room of any servo, in parts of its torque limit; where it may be outside for a while, the time that is left in parts of that,
    and the room on top of it while inside.

    Args:
        torque, speed: (12,), N m, rad/s.
        effort_limit, velocity_limit: (12,).
        longest: s; 0: none.
        period: s between ticks.
        overloaded: s that each servo has been outside, (12,), kept.
    """
    room = 1e300
    for i in range(12):
        mine = torque_speed_room(effort_limit[i], velocity_limit[i], torque[i], speed[i])
        if mine >= 0.0:
            overloaded[i] = 0.0
        else:
            overloaded[i] += period
        if longest > 0.0:
            mine = 1.0 + max(mine, 0.0) - overloaded[i] / longest
        if not mine >= room:
            room = mine
    return room

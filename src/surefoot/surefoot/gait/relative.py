# SPDX-License-Identifier: Apache-2.0
"""Gaits for a robot of any size: what Table 17 calls relative parameters [Zapolsky 2017, section 9.2]."""

import math
from collections.abc import Mapping
from typing import Any

from surefoot.robot.model import GRAVITY

LENGTHS = ("step_height", "base_height", "stance_length", "stance_width", "stance_offset")
TIMES = ("period", "velocity_feedback")
SPEEDS = ("max_forward_speed", "max_strafe_speed")
RATES = ("max_turn_rate",)


def in_metres(values: Mapping[str, Any], stand_height: float) -> dict[str, Any]:
    """Relative parameters of a gait in SI units; parts of a period and angles stay, and so does what is no number.

    Robots of any size move alike when lengths are counted in stand heights h, times in sqrt(h / g) and speeds in sqrt(g h).

    Args:
        values: as in `parameters.Gait`, relative.
        stand_height: of the robot, m.
    """
    time = math.sqrt(stand_height / GRAVITY)
    units = dict.fromkeys(LENGTHS, stand_height) | dict.fromkeys(TIMES, time)
    units |= dict.fromkeys(SPEEDS, stand_height / time) | dict.fromkeys(RATES, 1.0 / time)
    return {key: _times(value, units.get(key, 1.0)) for key, value in values.items()}


def _times(value: Any, unit: float) -> Any:
    if isinstance(value, list):
        return [_times(item, unit) for item in value]
    return value * unit if isinstance(value, int | float) and not isinstance(value, bool) else value

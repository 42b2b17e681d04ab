# SPDX-License-Identifier: Apache-2.0
"""What Table 17 calls relative parameters [Zapolsky 2017, section 9.2]: in parts of one robot, or for a robot of any size."""

import math
import re
from collections.abc import Mapping
from typing import Any

from surefoot.robot.model import GRAVITY

LENGTHS = ("step_height", "base_height", "stance_length", "stance_width", "stance_offset")
TIMES = ("period", "velocity_feedback")
SPEEDS = ("max_forward_speed", "max_strafe_speed")
RATES = ("max_turn_rate",)

MEASURES = ("leg_length", "base_length", "base_width")
"""Of a robot, m, as the source counts in them: the shortest leg stretched out, and the distances of its hips."""

_PART = re.compile(r"([0-9.]+) % of (\w+)")


def of_measures(values: Mapping[str, Any], measures: Mapping[str, float]) -> dict[str, Any]:
    """Parameters of a gait with what is written as '120 % of base_length' in metres; everything else stays.

    Args:
        values: as in `parameters.Gait`.
        measures: of the robot, by the names of `MEASURES`, m.

    Raises:
        ValueError: a measure is not known.
    """
    result = dict(values)
    for key in LENGTHS:
        part = _PART.fullmatch(values[key]) if isinstance(values.get(key), str) else None
        if part is None:
            continue
        if part[2] not in measures:
            raise ValueError(f"{key}: '{values[key]}' needs the measure {part[2]}; known: {', '.join(measures) or 'none'}")
        result[key] = round(float(part[1]) / 100.0 * measures[part[2]], 12)
    return result


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

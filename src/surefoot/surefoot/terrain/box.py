# SPDX-License-Identifier: Apache-2.0
"""A strip of ground as a box: what is simulated is what is drawn."""

import math
from typing import NamedTuple

from surefoot.terrain.world import GroundStrip

Triple = tuple[float, float, float]


class GroundBox(NamedTuple):
    """A box whose top is a strip of ground.

    Attributes:
        half_size: along its own axes, m.
        centre: in odom, m.
        wxyz: quaternion odom_from_box, w first.
    """

    half_size: Triple
    centre: Triple
    wxyz: tuple[float, float, float, float]


def box_under(strip: GroundStrip, half_width: float, half_thickness: float) -> GroundBox:
    """The box under a strip, half as wide and half as thick as given, m."""
    length, angle = strip.end - strip.start, math.atan(strip.slope)
    middle = 0.5 * (strip.start + strip.end)
    return GroundBox(
        (0.5 * length / math.cos(angle), half_width, half_thickness),
        (middle + half_thickness * math.sin(angle), 0.0, strip.height_at(middle) - half_thickness * math.cos(angle)),
        # The x axis of the box rises with the ground: a turn about -y.
        (math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0),
    )

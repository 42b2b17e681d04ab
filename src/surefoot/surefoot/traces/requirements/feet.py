# SPDX-License-Identifier: Apache-2.0
"""What the feet of a trace do on the ground between two ticks: where they touch, from which side, and how far they slide."""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.traces.requirements.geometry import point_to_box

BETWEEN = 4
"""Places on the way from one tick to the next at which a foot is looked at, so that what it hits in between is seen."""


@compiled
def nearest_ground(x: float, y: float, z: float, radius: float, ground: Any, position: Any, rotation: Any) -> tuple[float, int, float]:
    """Distance of a ball from the ground, m, the piece of ground that is nearest, and the sine of its push above the horizontal."""
    least, nearest, upwards = 1e300, 0, 1.0
    for g in range(ground.shape[0]):
        there = ground[g].geom
        if ground[g].box == 0:
            distance = (
                (x - position[there, 0]) * rotation[there, 2] + (y - position[there, 1]) * rotation[there, 5]
                + (z - position[there, 2]) * rotation[there, 8]
            )  # fmt: skip
            steep = 1.0
        else:
            distance, steep = point_to_box(x, y, z, position[there], rotation[there], ground[g].half)
        if distance < least:
            least, nearest, upwards = distance, g, steep
    return least - radius, nearest, upwards


@compiled
def slid(before: Any, before_rotation: Any, now: Any, now_rotation: Any, radius: float, x: float, y: float, z: float) -> float:
    """How far the point of a ball that touches the ground moved along it since the tick before, m; rolling is no sliding.

    Args:
        before, now: centre of the ball, (3,), m.
        before_rotation, now_rotation: of the body that it is part of, (9,).
        radius: m.
        x, y, z: unit normal of the ground.
    """
    # The point that touches now, in the body's own axes, and from there where it was before.
    u = now_rotation[0] * x + now_rotation[3] * y + now_rotation[6] * z
    v = now_rotation[1] * x + now_rotation[4] * y + now_rotation[7] * z
    w = now_rotation[2] * x + now_rotation[5] * y + now_rotation[8] * z
    a = now[0] - before[0] - radius * (x - before_rotation[0] * u - before_rotation[1] * v - before_rotation[2] * w)
    b = now[1] - before[1] - radius * (y - before_rotation[3] * u - before_rotation[4] * v - before_rotation[5] * w)
    c = now[2] - before[2] - radius * (z - before_rotation[6] * u - before_rotation[7] * v - before_rotation[8] * w)
    along, total = a * x + b * y + c * z, a * a + b * b + c * c
    return math.sqrt(max(0.0, total - along * along))


@compiled
def side_strike(
    before: Any, now: Any, radius: float, ground: Any, position: Any, rotation: Any, steepest: float, near: float
) -> tuple[float, int]:
    """Least distance of a foot from anything that would push it sideways, on its way from the tick before, m, and which piece of ground
    that is; `near` and 0 if there is none.

    Args:
        before, now: centre of the foot, (3,), m.
        radius: m.
        ground, position, rotation: see `non_foot_contact.ground_distance`.
        steepest: sine above the horizontal from which a push comes from below.
        near: m.
    """
    least, nearest = near, 0
    for g in range(ground.shape[0]):
        if ground[g].box == 0:
            continue
        piece, turn, half = position[ground[g].geom], rotation[ground[g].geom], ground[g].half
        here, _ = point_to_box(now[0], now[1], now[2], piece, turn, half)
        x, y, z = now[0] - before[0], now[1] - before[1], now[2] - before[2]
        if here - radius - math.sqrt(x * x + y * y + z * z) >= least:
            continue
        for k in range(BETWEEN + 1):
            back = 1.0 - (k + 1.0) / (BETWEEN + 1.0)
            distance, upwards = point_to_box(now[0] - back * x, now[1] - back * y, now[2] - back * z, piece, turn, half)
            if upwards < steepest and distance - radius < least:
                least, nearest = distance - radius, g
    return least, nearest

# SPDX-License-Identifier: Apache-2.0
"""Distances between simple shapes, compiled.

A pose is a centre (3,) and a rotation (9,), row by row, as MuJoCo keeps them. A capsule is a segment along one axis of its pose with
a radius; a sphere is one without length.
"""

import math
from typing import Any

from surefoot.compilation import compiled

SPHERE, CYLINDER, BOX = 0, 1, 2
NARROWING = 12
"""Steps of the search for the point of a segment that is nearest to a box; each leaves 62 % of the segment."""
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


@compiled
def support(kind: int, half: Any, axis: int, rotation: Any, x: float, y: float, z: float) -> float:
    """How far a shape reaches from its centre along a unit vector (x, y, z), m.

    Args:
        kind: SPHERE, CYLINDER or BOX.
        half: half sizes along the axes of the pose, (3,), m; a sphere has its radius three times.
        axis: along which a cylinder lies.
        rotation: (9,).
    """
    if kind == SPHERE:
        return float(half[0])
    reach = 0.0
    if kind == BOX:
        for i in range(3):
            reach += half[i] * abs(x * rotation[i] + y * rotation[3 + i] + z * rotation[6 + i])
        return reach
    along = x * rotation[axis] + y * rotation[3 + axis] + z * rotation[6 + axis]
    return float(half[axis] * abs(along) + half[(axis + 1) % 3] * math.sqrt(max(0.0, 1.0 - along * along)))


@compiled
def point_to_box(x: float, y: float, z: float, centre: Any, rotation: Any, half: Any) -> tuple[float, float]:
    """Signed distance of a point from a box, m, negative inside, and how much the way out goes along the box's own z, -1 to 1."""
    dx, dy, dz = x - centre[0], y - centre[1], z - centre[2]
    outside, deepest, last, upwards = 0.0, -1e300, 0.0, 0.0
    for i in range(3):
        own = dx * rotation[i] + dy * rotation[3 + i] + dz * rotation[6 + i]
        beyond = abs(own) - half[i]
        if beyond > deepest:
            deepest, upwards = beyond, (1.0 if own > 0.0 else -1.0) if i == 2 else 0.0
        if beyond > 0.0:
            outside += beyond * beyond
            if i == 2:
                last = beyond if own > 0.0 else -beyond
    if outside > 0.0:
        distance = math.sqrt(outside)
        return distance, last / distance
    return deepest, upwards


@compiled
def capsule_to_box(
    centre: Any, rotation: Any, axis: int, segment: float, radius: float, box_centre: Any, box_rotation: Any, half: Any,
    enough: float,
) -> float:  # fmt: skip
    """Distance of a capsule from a box, m, negative where they overlap; no less than `enough` where it is farther than that."""
    x, y, z = rotation[axis], rotation[3 + axis], rotation[6 + axis]
    low, high = -segment, segment
    a, b = low + (1.0 - GOLDEN) * 2.0 * segment, low + GOLDEN * 2.0 * segment
    first, _ = point_to_box(centre[0] + a * x, centre[1] + a * y, centre[2] + a * z, box_centre, box_rotation, half)
    second = first
    if segment > 0.0:
        second, _ = point_to_box(centre[0] + b * x, centre[1] + b * y, centre[2] + b * z, box_centre, box_rotation, half)
        for _ in range(NARROWING):
            # The distance from a box is convex along a line, and changes no faster than the place on it.
            if min(first, second) - (high - low) - radius >= enough:
                break
            if first < second:
                high, b, second = b, a, first
                a = low + (1.0 - GOLDEN) * (high - low)
                first, _ = point_to_box(centre[0] + a * x, centre[1] + a * y, centre[2] + a * z, box_centre, box_rotation, half)
            else:
                low, a, first = a, b, second
                b = low + GOLDEN * (high - low)
                second, _ = point_to_box(centre[0] + b * x, centre[1] + b * y, centre[2] + b * z, box_centre, box_rotation, half)
    return min(first, second) - radius


@compiled
def capsule_to_capsule(
    centre: Any, rotation: Any, axis: int, segment: float, radius: float,
    other: Any, other_rotation: Any, other_axis: int, other_segment: float, other_radius: float,
) -> float:  # fmt: skip
    """Distance of two capsules, m, negative where they overlap [Ericson 2005, section 5.1.9]."""
    ux, uy, uz = rotation[axis], rotation[3 + axis], rotation[6 + axis]
    vx, vy, vz = other_rotation[other_axis], other_rotation[3 + other_axis], other_rotation[6 + other_axis]
    rx, ry, rz = centre[0] - other[0], centre[1] - other[1], centre[2] - other[2]
    b = ux * vx + uy * vy + uz * vz
    c, f = ux * rx + uy * ry + uz * rz, vx * rx + vy * ry + vz * rz
    denominator = 1.0 - b * b
    s = min(segment, max(-segment, (b * f - c) / denominator)) if denominator > 1e-9 else 0.0
    t = b * s + f
    if abs(t) > other_segment:
        t = other_segment if t > 0.0 else -other_segment
        s = min(segment, max(-segment, b * t - c))
    x, y, z = rx + s * ux - t * vx, ry + s * uy - t * vy, rz + s * uz - t * vz
    return math.sqrt(x * x + y * y + z * z) - radius - other_radius


@compiled
def shape_distance(one: Any, two: Any, position: Any, rotation: Any, enough: float) -> float:
    """Distance of two shapes, m, negative where they overlap; no less than `enough` where it is farther than that.

    Args:
        one, two: SHAPE records, see `shapes`; of two boxes only the first one has its corners.
        position, rotation: of every geom, (n, 3) and (n, 9).
        enough: m.
    """
    if one.kind != BOX and two.kind == BOX:
        return _capsule_to_shape(one, two, position, rotation, enough)
    return _capsule_to_shape(two, one, position, rotation, enough)


@compiled
def _capsule_to_shape(one: Any, two: Any, position: Any, rotation: Any, enough: float) -> float:
    centre, turn, other, other_turn = position[one.geom], rotation[one.geom], position[two.geom], rotation[two.geom]
    if two.kind != BOX:
        return capsule_to_capsule(
            centre, turn, one.axis, one.segment, one.radius, other, other_turn, two.axis, two.segment, two.radius
        )  # fmt: skip
    dx, dy, dz = centre[0] - other[0], centre[1] - other[1], centre[2] - other[2]
    x, y, z = turn[one.axis], turn[3 + one.axis], turn[6 + one.axis]
    for i in range(3):
        # A face of the box that lies between the two is enough to keep them apart.
        a, b, c = other_turn[i], other_turn[3 + i], other_turn[6 + i]
        if abs(dx * a + dy * b + dz * c) - one.segment * abs(x * a + y * b + z * c) - one.radius - two.half[i] >= enough:
            return enough
    return capsule_to_box(centre, turn, one.axis, one.segment, one.radius, other, other_turn, two.half, enough)

# SPDX-License-Identifier: Apache-2.0
"""The ground that the planner walks on: a plane through the feet, by which it sets them down and holds the body; compiled.

The source plans on level ground; here every foot that stands, or where it last stood, is a point of a plane, which is as high as the
ground under the base and rises along x and y of odom.
"""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.gait.modes import STANCE
from surefoot.gait.scalars import clamped
from surefoot.stack_arrays import stack_matrix, stack_vector

FLATTEST_STANCE = 1e-3
"""Least determinant of the spread of the feet, in parts of its largest; with less they lie on a line, which no plane is known from."""


@compiled
def rise(planner: Any, x: float, y: float) -> float:
    """How much the ground rises along a way in the axes of odom, m, or how fast along a velocity, m/s."""
    return float(planner.ground_slope[0] * x + planner.ground_slope[1] * y)


@compiled
def steepness(planner: Any) -> float:
    """Length of a normal of the plane that is 1 m high, m."""
    return math.sqrt(1.0 + planner.ground_slope[0] ** 2 + planner.ground_slope[1] ** 2)


@compiled
def foot_height(tree: Any, planner: Any, state: Any, x: float, y: float) -> float:
    """Height of the centre of a ball foot that stands at a point of odom, m."""
    ground = planner.ground_height + rise(planner, x - state.base_position[0], y - state.base_position[1])
    return float(ground + tree.foot_radius * steepness(planner))


@compiled
def ground_normal(planner: Any, normal: Any) -> None:
    """Write the unit vector out of the plane, odom, (3,)."""
    length = steepness(planner)
    normal[0], normal[1], normal[2] = -planner.ground_slope[0] / length, -planner.ground_slope[1] / length, 1.0 / length


@compiled
def fit_plane(points: Any, weights: Any, plane: Any) -> None:
    """Write the plane of least squares through some points.

    Args:
        points: (4, 3).
        weights: 1 for each point that counts, at least one, 0 for the others, (4,).
        plane: height in the middle of the points, slopes along x and y, middle x and y, (5,), written. Points that lie on a line,
            or less than three, leave the slopes at 0.
    """
    total = weights[0] + weights[1] + weights[2] + weights[3]
    for i in range(5):
        plane[i] = 0.0
    for leg in range(4):
        plane[0] += weights[leg] * points[leg, 2] / total
        plane[3] += weights[leg] * points[leg, 0] / total
        plane[4] += weights[leg] * points[leg, 1] / total
    xx, xy, yy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0
    for leg in range(4):
        x, y, z, weight = points[leg, 0] - plane[3], points[leg, 1] - plane[4], points[leg, 2] - plane[0], weights[leg]
        xx, xy, yy = xx + weight * x * x, xy + weight * x * y, yy + weight * y * y
        xz, yz = xz + weight * x * z, yz + weight * y * z
    determinant = xx * yy - xy * xy
    if determinant > FLATTEST_STANCE * max(xx, yy) ** 2:
        plane[1], plane[2] = (yy * xz - xy * yz) / determinant, (xx * yz - xy * xz) / determinant


@compiled
def _points(tree: Any, settings: Any, planner: Any, state: Any, feet: Any, points: Any, stands: Any) -> float:
    """Note where each foot stands; write where it touches the ground, or last did, (4, 3), and which do, 1 or 0, (4,); returns how many."""
    for leg in range(4):
        on_it = planner.mode[leg] == STANCE and state.contact_probability[leg] > settings.contact_threshold
        stands[leg] = 1.0 if on_it else 0.0
        for i in range(3):
            # A foot is remembered where it stood last and not where it came down: that may have been an impact, or no ground at all.
            if on_it:
                planner.anchor[leg, i] = feet[leg, i]
            points[leg, i] = planner.anchor[leg, i]
        points[leg, 2] -= tree.foot_radius * steepness(planner)
    return float(stands[0] + stands[1] + stands[2] + stands[3])


@compiled
def start_ground(tree: Any, settings: Any, planner: Any, state: Any, feet: Any) -> None:
    """Believe in the plane through the feet that bear load, and take the others to stand above it; through all of them if none does."""
    points, stands, plane = stack_matrix(4, 3), stack_vector(4), stack_vector(5)
    planner.ground_slope[0], planner.ground_slope[1] = 0.0, 0.0
    if _points(tree, settings, planner, state, feet, points, stands) == 0.0:
        for leg in range(4):
            stands[leg] = 1.0
    fit_plane(points, stands, plane)
    for i in range(2):
        planner.ground_slope[i] = clamped(plane[1 + i], settings.slope_limit)
    planner.ground_height = plane[0] + rise(planner, state.base_position[0] - plane[3], state.base_position[1] - plane[4])
    for leg in range(4):
        if stands[leg] == 0.0:
            planner.anchor[leg, 2] = foot_height(tree, planner, state, feet[leg, 0], feet[leg, 1])


@compiled
def update_ground(tree: Any, settings: Any, planner: Any, state: Any, feet: Any, dt: float) -> None:
    """Move the belief towards the plane through the feet; without a foot on the ground it stays.

    Args:
        feet: in odom, (4, 3), m.
        dt: s since the last tick.
    """
    points, stands, plane = stack_matrix(4, 3), stack_vector(4), stack_vector(5)
    # The base goes on over the plane.
    planner.ground_height += rise(planner, state.base_velocity[0], state.base_velocity[1]) * dt
    if _points(tree, settings, planner, state, feet, points, stands) == 0.0:
        return
    for leg in range(4):
        stands[leg] = 1.0
    fit_plane(points, stands, plane)
    share = min(1.0, dt / settings.ground_time_constant)
    for i in range(2):
        planner.ground_slope[i] += (clamped(plane[1 + i], settings.slope_limit) - planner.ground_slope[i]) * share
    height = plane[0] + rise(planner, state.base_position[0] - plane[3], state.base_position[1] - plane[4])
    planner.ground_height += (height - planner.ground_height) * share

# SPDX-License-Identifier: Apache-2.0
"""The path of a swing foot: a velocity-clamped cubic spline through four knots [Zapolsky 2017, section 9.2.5], compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]

FIRST_VIA = 1.0 / 3.0
SECOND_VIA = 2.0 / 3.0
"""Where the via points lie within the swing time; the source states no times for them.

Thirds ask the least of slow joints: later or earlier ones shorten the rise or the descent, whose acceleration goes with the square.
"""


@compiled
def via_velocities(times: Array, positions: Array, velocities: Array, first_via_fixed: bool) -> None:
    """Write the velocities of the via points that make the acceleration continuous.

    Args:
        times: of the knots, (4,), s.
        positions: of the knots, (4, 3), m.
        velocities: (4, 3), m/s; the ends are read, the vias written.
        first_via_fixed: keep the velocity of the first via point too, and find only that of the second.
    """
    h0, h1, h2 = times[1] - times[0], times[2] - times[1], times[3] - times[2]
    for i in range(3):
        d0 = (positions[1, i] - positions[0, i]) / (h0 * h0)
        d1 = (positions[2, i] - positions[1, i]) / (h1 * h1)
        d2 = (positions[3, i] - positions[2, i]) / (h2 * h2)
        r2 = 3.0 * (d1 + d2) - velocities[3, i] / h2
        if first_via_fixed:
            velocities[2, i] = (r2 - velocities[1, i] / h1) / (2.0 * (1.0 / h1 + 1.0 / h2))
            continue
        m11, m12, m22 = 2.0 * (1.0 / h0 + 1.0 / h1), 1.0 / h1, 2.0 * (1.0 / h1 + 1.0 / h2)
        r1 = 3.0 * (d0 + d1) - velocities[0, i] / h0
        determinant = m11 * m22 - m12 * m12
        velocities[1, i] = (m22 * r1 - m12 * r2) / determinant
        velocities[2, i] = (m11 * r2 - m12 * r1) / determinant


@compiled
def plan_swing(
    start: float,
    end: float,
    liftoff_position: Array,
    liftoff_velocity: Array,
    touchdown_position: Array,
    touchdown_velocity: Array,
    step_height: float,
    overshoot: float,
    knot_time: Array,
    knot_position: Array,
    knot_velocity: Array,
) -> None:
    """Plan a swing. Between the knots the path is cubic with continuous acceleration; its end velocities are the given ones.

    Args:
        start: of the swing, s.
        end: planned touchdown, s, after start.
        liftoff_position: where the foot is, (3,), m.
        liftoff_velocity: (3,), m/s.
        touchdown_position: (3,), m.
        touchdown_velocity: (3,), m/s.
        step_height: of the first via point above the liftoff and of the second above the touchdown, m.
        overshoot: horizontal displacement of the second via point beyond the touchdown, in parts of the step.
        knot_time: (4,), written.
        knot_position: (4, 3), written.
        knot_velocity: (4, 3), written.
    """
    duration = end - start
    knot_time[0], knot_time[1], knot_time[2], knot_time[3] = start, start + FIRST_VIA * duration, start + SECOND_VIA * duration, end
    for i in range(3):
        knot_position[0, i] = liftoff_position[i]
        knot_position[1, i] = liftoff_position[i]
        step = touchdown_position[i] - liftoff_position[i]
        knot_position[2, i] = touchdown_position[i] + (overshoot * step if i < 2 else 0.0)
        knot_position[3, i] = touchdown_position[i]
        knot_velocity[0, i] = liftoff_velocity[i]
        knot_velocity[3, i] = touchdown_velocity[i]
    knot_position[1, 2] += step_height
    knot_position[2, 2] += step_height
    via_velocities(knot_time, knot_position, knot_velocity, False)


@compiled
def evaluate_swing(
    time: float, knot_time: Array, knot_position: Array, knot_velocity: Array, position: Array, velocity: Array, acceleration: Any
) -> None:
    """Position, velocity and acceleration of the foot on its path; the ends are held outside of it.

    Args:
        time: s.
        knot_time: (4,).
        knot_position: (4, 3).
        knot_velocity: (4, 3).
        position: (3,), written, m.
        velocity: (3,), written, m/s.
        acceleration: (3,), written, m/s^2.
    """
    if time >= knot_time[3]:
        for i in range(3):
            position[i], velocity[i], acceleration[i] = knot_position[3, i], knot_velocity[3, i], 0.0
        return
    t = max(time, knot_time[0])
    k = 0
    while k < 2 and t >= knot_time[k + 1]:
        k += 1
    h = knot_time[k + 1] - knot_time[k]
    s = (t - knot_time[k]) / h
    for i in range(3):
        p0, p1 = knot_position[k, i], knot_position[k + 1, i]
        v0, v1 = h * knot_velocity[k, i], h * knot_velocity[k + 1, i]
        c2 = 3.0 * (p1 - p0) - 2.0 * v0 - v1
        c3 = 2.0 * (p0 - p1) + v0 + v1
        position[i] = p0 + s * (v0 + s * (c2 + s * c3))
        velocity[i] = (v0 + s * (2.0 * c2 + 3.0 * s * c3)) / h
        acceleration[i] = (2.0 * c2 + 6.0 * s * c3) / (h * h)

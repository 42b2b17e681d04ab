# SPDX-License-Identifier: Apache-2.0
"""Where a swing foot should land: under its neutral point at mid-stance [Zapolsky 2017, section 9.2.5], compiled."""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.stack_arrays import stack_vector

Array = NDArray[np.float64]


@compiled
def predict_base(x: float, y: float, yaw: float, command: Array, time: float, out: Array) -> None:
    """Integrate the planar base model at a constant command, exactly along its arc.

    Args:
        x, y: base position in odom, m.
        yaw: heading, rad.
        command: forward and left velocity in the heading frame, m/s, and turn rate, rad/s, (3,).
        time: how far ahead, s.
        out: x, y, yaw, (3,), written.
    """
    turn = command[2] * time
    if abs(turn) < 1e-9:
        along, across = time, 0.5 * turn * time
    else:
        along, across = math.sin(turn) / command[2], (1.0 - math.cos(turn)) / command[2]
    forward = along * command[0] - across * command[1]
    left = across * command[0] + along * command[1]
    out[0] = x + math.cos(yaw) * forward - math.sin(yaw) * left
    out[1] = y + math.sin(yaw) * forward + math.cos(yaw) * left
    out[2] = yaw + turn


@compiled
def foothold(
    base_position: Array,
    yaw: float,
    base_yaw: float,
    base_velocity: Array,
    command: Array,
    neutral_foot: Array,
    time_to_touchdown: float,
    stance_time: float,
    velocity_feedback: float,
    out: Array,
) -> None:
    """Touchdown in odom, horizontal part.

    Args:
        base_position: in odom, (3,), m.
        yaw: heading, rad: where a command forward leads.
        base_yaw: from the heading to where the base looks and its feet are, rad.
        base_velocity: in odom, (3,), m/s; used by the feedback term only.
        command: forward and left velocity in the heading frame, m/s, and turn rate, rad/s, (3,).
        neutral_foot: the foot at rest from the base origin, forward and left of where the base looks, (2,), m.
        time_to_touchdown: s.
        stance_time: planned duration of the coming stance, s.
        velocity_feedback: displacement per unit of velocity error, s; 0 is the printed rule.
        out: x, y, (2,) or longer, written.
    """
    future = stack_vector(3)
    predict_base(base_position[0], base_position[1], yaw, command, time_to_touchdown + 0.5 * stance_time, future)
    c, s = math.cos(future[2] + base_yaw), math.sin(future[2] + base_yaw)
    out[0] = future[0] + c * neutral_foot[0] - s * neutral_foot[1]
    out[1] = future[1] + s * neutral_foot[0] + c * neutral_foot[1]
    cy, sy = math.cos(yaw), math.sin(yaw)
    out[0] += velocity_feedback * (base_velocity[0] - (cy * command[0] - sy * command[1]))
    out[1] += velocity_feedback * (base_velocity[1] - (sy * command[0] + cy * command[1]))

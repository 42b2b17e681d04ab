# SPDX-License-Identifier: Apache-2.0
"""The path of one foot through the air, planned from where it is to where it is to stand; compiled."""

from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.foothold import foothold
from surefoot.gait.ground import foot_height, rise
from surefoot.gait.swing import evaluate_swing, plan_swing, via_velocities
from surefoot.stack_arrays import stack_vector


@compiled
def plan_foot_swing(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int, position: Any, velocity: Any, end: float
) -> None:
    """Plan the spline of one foot from where it is to its foothold."""
    touchdown, arrival = stack_vector(3), np.zeros(3)
    stance_time = gait.duty_factor[leg] * gait.period if gait.moves else 0.0
    foothold(
        state.base_position,
        yaw,
        planner.base_yaw,
        state.base_velocity,
        planner.command,
        gait.neutral_foot[leg],
        end - planner.time,
        stance_time,
        gait.velocity_feedback,
        touchdown,
    )
    touchdown[2] = foot_height(tree, planner, state, touchdown[0], touchdown[1])
    arrival[2] = -settings.touchdown_speed
    plan_swing(
        planner.time,
        end,
        position,
        velocity,
        touchdown,
        arrival,
        gait.step_height,
        gait.overshoot,
        planner.knot_time[leg],
        planner.knot_position[leg],
        planner.knot_velocity[leg],
    )
    for i in range(3):
        planner.swing_command[leg, i] = planner.command[i]


@compiled
def replan_foot_swing(settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int) -> None:
    """Move the touchdown of a swing under way to where the present state and command want it.

    The path keeps its position and velocity: its knots that lie ahead are shifted, and the rest is planned from the
    present point.
    """
    position, velocity, acceleration, touchdown = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3)
    times, positions, velocities = planner.knot_time[leg], planner.knot_position[leg], planner.knot_velocity[leg]
    remaining = times[3] - planner.time
    margin = 0.05 * (times[3] - planner.mode_since[leg])
    if planner.time > times[2] - 2.0 * margin:
        return
    stance_time = gait.duty_factor[leg] * gait.period if gait.moves else 0.0
    foothold(
        state.base_position, yaw, planner.base_yaw, state.base_velocity, planner.command, gait.neutral_foot[leg], remaining, stance_time,
        gait.velocity_feedback, touchdown,
    )  # fmt: skip
    evaluate_swing(planner.time, times, positions, velocities, position, velocity, acceleration)
    # Before the first via point the whole shape is still ahead; after it, the foot already has its height.
    touchdown[2] = positions[3, 2] + rise(planner, touchdown[0] - positions[3, 0], touchdown[1] - positions[3, 1])
    for i in range(3):
        shift = touchdown[i] - positions[3, i]
        positions[3, i] += shift
        positions[2, i] += shift
    past_first_via = planner.time > times[1] - margin
    if past_first_via:
        # The first via point becomes the present one; what lies before it is never asked for again.
        times[0], times[1] = planner.time - margin, planner.time
        for i in range(3):
            positions[1, i], velocities[1, i] = position[i], velocity[i]
            positions[0, i], velocities[0, i] = position[i] - margin * velocity[i], velocity[i]
    else:
        times[0] = planner.time
        for i in range(3):
            positions[0, i], velocities[0, i] = position[i], velocity[i]
    via_velocities(times, positions, velocities, past_first_via)
    for i in range(3):
        planner.swing_command[leg, i] = planner.command[i]

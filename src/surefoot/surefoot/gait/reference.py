# SPDX-License-Identifier: Apache-2.0
"""The base reference: the command after limits, integrated, and kept on a leash to where the base really is; compiled."""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.gait.ground import rise
from surefoot.gait.scalars import clamped, toward, wrapped


@compiled
def limit_command(settings: Any, gait: Any, planner: Any, command: Any, dt: float) -> None:
    """Move the command in force towards the wanted one, inside the speeds of the gait and the acceleration limits."""
    for i in range(3):
        # A command that is no number is no command; clamping it first would make one of it.
        wanted = command[i] if math.isfinite(command[i]) else 0.0
        wanted = min(gait.max_speed[i], max(-gait.max_speed[i], wanted))
        planner.command[i] = toward(planner.command[i], wanted, settings.acceleration_limit[i] * dt)


@compiled
def _turn_the_body(settings: Any, gait: Any, planner: Any, twist: float, dt: float) -> None:
    """Turn the body against the heading: by the yaw of the gait, the short way round, and by what is wanted beside it, rad."""
    by_hand = toward(wrapped(planner.reference_twist - planner.base_yaw), twist, settings.tilt_speed * dt)
    if gait.moves:
        # Feet that step come along; those of a robot that stands would be left behind, so the body stays as it was carried last.
        way = clamped(wrapped(gait.base_yaw - planner.base_yaw), settings.tilt_speed * dt)
        planner.base_yaw = wrapped(planner.base_yaw + way)
    planner.reference_twist = planner.base_yaw + by_hand


@compiled
def move_reference(tree: Any, settings: Any, gait: Any, planner: Any, state: Any, yaw: float, dt: float) -> None:
    """Advance the base reference by one tick.

    While a gait moves, the reference travels with the command; while standing, it comes over the centre of the feet.

    Args:
        yaw: measured heading, rad.
        dt: s since the last tick.
    """
    reference = planner.reference_position
    planner.reference_yaw += planner.command[2] * dt
    error = wrapped(planner.reference_yaw - yaw)
    planner.reference_yaw = yaw + min(settings.yaw_leash, max(-settings.yaw_leash, error))
    c, s = math.cos(planner.reference_yaw), math.sin(planner.reference_yaw)
    reference[0] += (c * planner.command[0] - s * planner.command[1]) * dt
    reference[1] += (s * planner.command[0] + c * planner.command[1]) * dt
    reference[2] += rise(planner, state.base_velocity[0], state.base_velocity[1]) * dt
    if not gait.moves:
        centre = (
            0.25 * (planner.anchor[0, 0] + planner.anchor[1, 0] + planner.anchor[2, 0] + planner.anchor[3, 0]),
            0.25 * (planner.anchor[0, 1] + planner.anchor[1, 1] + planner.anchor[2, 1] + planner.anchor[3, 1]),
        )
        offset_forward, offset_left = 0.0, 0.0
        for leg in range(4):
            offset_forward += 0.25 * gait.neutral_foot[leg, 0]
            offset_left += 0.25 * gait.neutral_foot[leg, 1]
        cf, sf = math.cos(planner.reference_yaw + planner.base_yaw), math.sin(planner.reference_yaw + planner.base_yaw)
        reference[0] = toward(reference[0], centre[0] - cf * offset_forward + sf * offset_left, settings.posture_speed * dt)
        reference[1] = toward(reference[1], centre[1] - sf * offset_forward - cf * offset_left, settings.posture_speed * dt)
    dx, dy = reference[0] - state.base_position[0], reference[1] - state.base_position[1]
    distance = math.hypot(dx, dy)
    if distance > settings.position_leash:
        reference[0] = state.base_position[0] + dx * settings.position_leash / distance
        reference[1] = state.base_position[1] + dy * settings.position_leash / distance
    height, roll, pitch, twist = (
        clamped(planner.posture[0], settings.posture_limit[0]), clamped(planner.posture[1], settings.posture_limit[1]),
        clamped(planner.posture[2], settings.posture_limit[2]), clamped(planner.posture[3], settings.posture_limit[3]),
    )  # fmt: skip
    reference[2] = toward(reference[2], planner.ground_height + gait.base_height + height, settings.posture_speed * dt)
    _turn_the_body(settings, gait, planner, twist, dt)
    # The body lies along the ground: nose up where it rises ahead of it, left side up where it rises to its left.
    cb, sb = math.cos(planner.reference_yaw + planner.reference_twist), math.sin(planner.reference_yaw + planner.reference_twist)
    ahead, left = rise(planner, cb, sb), rise(planner, -sb, cb)
    roll, pitch = gait.base_roll + roll + math.atan(left), gait.base_pitch + pitch - math.atan(ahead)
    planner.reference_tilt[0] = toward(planner.reference_tilt[0], roll, settings.tilt_speed * dt)
    planner.reference_tilt[1] = toward(planner.reference_tilt[1], pitch, settings.tilt_speed * dt)

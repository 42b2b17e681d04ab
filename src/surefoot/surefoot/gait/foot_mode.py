# SPDX-License-Identifier: Apache-2.0
"""When a foot changes its mode: on the ground, in the air, and where the ground is not as planned; compiled."""

import math
from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.foot_swing import plan_foot_swing, replan_foot_swing
from surefoot.gait.modes import GROUND_FOUND_AGAIN, GROUND_NOT_FOUND, REACH, STANCE, SUPPORT, SWING
from surefoot.gait.timing import in_planned_stance, time_to_touchdown

HELD_UP = 0.25
"""Part of the speed of reach below which a foot does not come down."""

TRIES = 2.0
"""How many times as long as one reach a foot may look for ground that steps again meanwhile."""

UNHURRIED = 4.0
"""How many of the shortest swings a foot of a standing robot takes to step back."""


@compiled
def _enter(planner: Any, leg: int, mode: int) -> None:
    planner.mode[leg] = mode
    planner.mode_since[leg] = planner.time
    planner.held_up_since[leg] = np.nan


@compiled
def _begin_swing(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int, position: Any, end: float
) -> None:
    """Enter SWING with a spline that ends at a given time."""
    plan_foot_swing(tree, settings, gait, planner, state, yaw, leg, position, np.zeros(3), end)
    planner.swung[leg] = 1
    _enter(planner, leg, SWING)


@compiled
def _from_hip(tree: Any, state: Any, rotation: Any, leg: int, point: Any) -> float:
    """Distance of a point of odom from a hip, m."""
    square = 0.0
    for i in range(3):
        hip = state.base_position[i]
        for j in range(3):
            hip += rotation[i, j] * tree.hip_in_base[leg, j]
        square += (point[i] - hip) ** 2
    return math.sqrt(square)


@compiled
def asks_to_move(settings: Any, command: Any) -> bool:
    """Whether a command (3,) is more than next to nothing, so that the next foothold is another than this one."""
    return bool(max(abs(command[0]), abs(command[1]), abs(command[2])) > settings.replan_speed)


@compiled
def _note_whether_held_up(settings: Any, planner: Any, leg: int, foot: Any, climb: float) -> None:
    """Note since when a reaching foot is far above where it is asked to be and does not come down: its leg lies on something.

    One that is slow, or whose body tips away, is above as well, but comes down.
    """
    if foot[2] - reach_height(settings, planner, leg) <= settings.reach_lag or climb <= -HELD_UP * settings.reach_speed:
        planner.held_up_since[leg] = np.nan
    elif math.isnan(planner.held_up_since[leg]):
        planner.held_up_since[leg] = planner.time


@compiled
def _look_for_ground(planner: Any, leg: int) -> None:
    if math.isnan(planner.contact_lost_since[leg]):
        planner.contact_lost_since[leg] = planner.time
    _enter(planner, leg, REACH)


@compiled
def reach_height(settings: Any, planner: Any, leg: int) -> float:
    """Height at which a reaching foot looks for the ground now, odom, m."""
    down = min(settings.reach_speed * (planner.time - planner.mode_since[leg]), settings.reach_depth)
    return float(planner.knot_position[leg, 3, 2] - down)


@compiled
def _swing_time(settings: Any, gait: Any, leg: int) -> float:
    """Of a swing that is not in the timetable, s; a gait that does not move has no swing to go by."""
    in_timetable = gait.period * (1.0 - gait.duty_factor[leg]) if gait.moves else UNHURRIED * settings.minimum_swing_time
    return float(max(settings.minimum_swing_time, in_timetable))


@compiled
def _awaited(gait: Any, planner: Any, leg: int) -> int:
    """How many feet but one the timetable has on the ground that are not there yet, for whatever reason."""
    awaited = 0
    for other in range(4):
        mode, due = planner.mode[other], in_planned_stance(planner.phase, gait.liftoff[other], gait.duty_factor[other])
        if other != leg and (mode == REACH or (mode == SWING and due)):
            awaited += 1
    return awaited


@compiled
def _set_down(gait: Any, planner: Any, leg: int, position: Any) -> None:
    if planner.fault == GROUND_NOT_FOUND and _awaited(gait, planner, leg) == 0:
        planner.fault = GROUND_FOUND_AGAIN
    for i in range(3):
        planner.anchor[leg, i] = position[i]
    planner.contact_lost_since[leg] = np.nan
    _enter(planner, leg, STANCE)


@compiled
def step_in_the_air(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, rotation: Any, yaw: float, leg: int, foot: Any, climb: float
) -> None:
    """Advance the mode of a foot in SWING or REACH.

    Args:
        foot: in odom, (3,), m.
        climb: its vertical speed in odom, m/s.
    """
    now = planner.time
    contact = state.contact_probability[leg] > settings.contact_threshold
    if planner.mode[leg] == REACH:
        if in_planned_stance(planner.phase, gait.liftoff[leg], gait.duty_factor[leg]):
            planner.swung[leg] = 0
        if contact:
            _set_down(gait, planner, leg, foot)
            return
        _note_whether_held_up(settings, planner, leg, foot, climb)
        too_deep = planner.knot_position[leg, 3, 2] - foot[2] > settings.reach_depth
        too_long = now - planner.mode_since[leg] > settings.reach_time
        too_often = now - planner.contact_lost_since[leg] > TRIES * settings.reach_time
        if too_deep or too_long or too_often:
            planner.fault = GROUND_NOT_FOUND
            if not asks_to_move(settings, planner.command):
                # The body has stopped: the place under it is where the foot came from. There it looks anew.
                planner.contact_lost_since[leg] = np.nan
                _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + _swing_time(settings, gait, leg))
        elif (
            # The body went on, and the leg is too short for where it looks: it looks for ground where the body is now.
            _from_hip(tree, state, rotation, leg, planner.knot_position[leg, 3]) > tree.max_reach
            or (now - planner.held_up_since[leg] >= settings.held_up_time and asks_to_move(settings, planner.command))
        ):
            # It goes on looking, and what it looks for has been missing since the first time.
            _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + _swing_time(settings, gait, leg))
        return
    start, end = planner.mode_since[leg], planner.knot_time[leg, 3]
    late = now >= start + settings.early_contact_from * (end - start)
    if contact and (late or now >= end):
        _set_down(gait, planner, leg, foot)
    elif now >= end:
        _look_for_ground(planner, leg)
    elif start < now:
        change = 0.0
        for i in range(3):
            change = max(change, abs(planner.command[i] - planner.swing_command[leg, i]))
        if change > settings.replan_speed or gait.velocity_feedback > 0.0:
            replan_foot_swing(settings, gait, planner, state, yaw, leg)


@compiled
def step_on_the_ground(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int, foot: Any, reach: float
) -> None:
    """Advance the mode of a foot in STANCE or SUPPORT.

    Args:
        foot: in odom, (3,).
        reach: distance of this foot from its hip, m.
    """
    now = planner.time
    planned = in_planned_stance(planner.phase, gait.liftoff[leg], gait.duty_factor[leg])
    remaining = time_to_touchdown(planner.phase, gait.liftoff[leg], gait.duty_factor[leg], gait.period)
    overreach = gait.moves and reach > tree.max_reach
    awaited, standing = _awaited(gait, planner, leg), 0
    for other in range(4):
        standing += 1 if other != leg and planner.mode[other] in (STANCE, SUPPORT) else 0
    if planned:
        planner.swung[leg] = 0
    if planner.mode[leg] == STANCE and not planned and planner.swung[leg] == 0:
        _enter(planner, leg, SUPPORT)
    if planner.mode[leg] == SUPPORT:
        if planned:
            _enter(planner, leg, STANCE)
        elif remaining < settings.minimum_swing_time:
            # Too late for this swing: the foot stays down until its next turn.
            planner.swung[leg] = 1
            _enter(planner, leg, STANCE)
        elif awaited == 0 or overreach:
            planner.contact_lost_since[leg] = np.nan
            _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + remaining)
    elif overreach and standing >= 2 and awaited == 0:
        planner.contact_lost_since[leg] = np.nan
        _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + _swing_time(settings, gait, leg))
    elif state.contact_probability[leg] > settings.contact_threshold:
        planner.contact_lost_since[leg] = np.nan
    elif math.isnan(planner.contact_lost_since[leg]):
        planner.contact_lost_since[leg] = now
    elif now - planner.contact_lost_since[leg] > settings.lost_contact_time:
        for i in range(3):
            planner.knot_position[leg, 3, i] = foot[i]
        planner.contact_lost_since[leg] = np.nan
        _look_for_ground(planner, leg)

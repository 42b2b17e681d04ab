# SPDX-License-Identifier: Apache-2.0
"""One tick of the gait planner [Zapolsky 2017, Alg. 7], compiled; the same function plans for the robot and inside a trace.

Where the printed algorithm cannot work it is mended: modes persist between ticks; the support time is recorded on entry
only; every swing has a spline, which ends at the next planned touchdown of the gait in force; a reaching foot always goes
down, and gives up at a limit of depth and time, whereupon the robot stops and the foot steps back under it; overreach is
measured from the hip in every stance-like mode; a swing is planned anew when the command changes; a contact late in a swing
ends it. Planned and sensed contact stay separate signals.
"""

import math
from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.gait.flight import vertical_motion
from surefoot.gait.foothold import foothold
from surefoot.gait.ground import foot_height, ground_normal, rise, start_ground, update_ground
from surefoot.gait.modes import GROUND_FOUND_AGAIN, GROUND_NOT_FOUND, NO_FAULT, REACH, STANCE, SUPPORT, SWING
from surefoot.gait.reference import limit_command, move_reference
from surefoot.gait.swing import evaluate_swing, plan_swing, via_velocities
from surefoot.gait.timing import in_planned_stance, time_to_liftoff, time_to_touchdown
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.robot.spatial import rotation_from_quaternion, yaw_of
from surefoot.stack_arrays import stack_matrix, stack_vector


@compiled
def _feet(tree: Any, state: Any, rotation: Any, feet_in_odom: Any, reach: Any) -> None:
    """Feet in odom (4, 3) and their distances from the hips (4,)."""
    foot, jacobian, axes = stack_vector(3), stack_matrix(3, 3), stack_matrix(3, 3)
    for leg in range(4):
        foot_terms_in_base(tree, leg, state.joint_position[leg], foot, jacobian, axes)
        square = 0.0
        for i in range(3):
            square += (foot[i] - tree.hip_in_base[leg, i]) ** 2
            feet_in_odom[leg, i] = (
                state.base_position[i] + rotation[i, 0] * foot[0] + rotation[i, 1] * foot[1] + rotation[i, 2] * foot[2]
            )
        reach[leg] = math.sqrt(square)


@compiled
def start_planner(tree: Any, settings: Any, planner: Any, state: Any) -> None:
    """Begin from the measured pose: all feet in stance, the base reference where the base is [Alg. 7, first call]."""
    rotation, feet, reach = stack_matrix(3, 3), stack_matrix(4, 3), stack_vector(4)
    rotation_from_quaternion(state.base_quaternion, rotation)
    yaw = yaw_of(rotation)
    _feet(tree, state, rotation, feet, reach)
    planner.time = state.time
    planner.phase = 0.0
    planner.fault = 0
    planner.reference_yaw = yaw
    planner.reference_twist = 0.0
    for i in range(4):
        planner.posture[i] = 0.0
    planner.reference_tilt[0] = math.atan2(rotation[2, 1], rotation[2, 2])
    planner.reference_tilt[1] = math.asin(min(1.0, max(-1.0, -rotation[2, 0])))
    for i in range(3):
        planner.reference_position[i] = state.base_position[i]
        planner.command[i] = 0.0
    for leg in range(4):
        planner.mode[leg] = STANCE
        planner.mode_since[leg] = -1e9
        planner.contact_lost_since[leg] = np.nan
        planner.swung[leg] = 0
        for i in range(3):
            planner.anchor[leg, i] = feet[leg, i]
            planner.swing_command[leg, i] = 0.0
            for k in range(4):
                planner.knot_time[leg, k] = state.time
                planner.knot_position[leg, k, i] = feet[leg, i]
                planner.knot_velocity[leg, k, i] = 0.0
    start_ground(tree, settings, planner, state, feet)


@compiled
def change_gait(planner: Any, phase: float) -> None:
    """Take up another gait at a phase of its cycle: parameters step at once [R-95], and every swing becomes due again.

    The gait itself is an argument of `plan_tick`; a foot in the air finishes its swing.
    """
    planner.phase = phase - math.floor(phase)
    for leg in range(4):
        planner.swung[leg] = 1 if planner.mode[leg] == SWING else 0


@compiled
def _plan_foot_swing(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int, position: Any, velocity: Any, end: float
) -> None:
    """Plan the spline of one foot from where it is to its foothold."""
    touchdown, arrival = stack_vector(3), np.zeros(3)
    stance_time = gait.duty_factor[leg] * gait.period if gait.moves else 0.0
    foothold(
        state.base_position,
        yaw,
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
def _replan_foot_swing(settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int) -> None:
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
        state.base_position, yaw, state.base_velocity, planner.command, gait.neutral_foot[leg], remaining, stance_time,
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


@compiled
def _enter(planner: Any, leg: int, mode: int) -> None:
    planner.mode[leg] = mode
    planner.mode_since[leg] = planner.time


@compiled
def _begin_swing(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, yaw: float, leg: int, position: Any, end: float
) -> None:
    """Enter SWING with a spline that ends at a given time."""
    _plan_foot_swing(tree, settings, gait, planner, state, yaw, leg, position, np.zeros(3), end)
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
def _goes_on(settings: Any, planner: Any) -> bool:
    """Whether the next foothold will be another than this one."""
    return bool(
        max(abs(planner.command[0]), abs(planner.command[1])) > settings.replan_speed or abs(planner.command[2]) > settings.replan_speed
    )


@compiled
def _depth(settings: Any, planner: Any, leg: int) -> float:
    """Height at which a reaching foot looks for the ground now, odom, m."""
    down = min(settings.reach_speed * (planner.time - planner.mode_since[leg]), settings.reach_depth)
    return float(planner.knot_position[leg, 3, 2] - down)


@compiled
def _swing_time(settings: Any, gait: Any, leg: int) -> float:
    """Of a swing that is not in the timetable, s."""
    return float(max(settings.minimum_swing_time, gait.period * (1.0 - gait.duty_factor[leg])))


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
def _step_in_the_air(
    tree: Any, settings: Any, gait: Any, planner: Any, state: Any, rotation: Any, yaw: float, leg: int, foot: Any
) -> None:
    """Advance the mode of a foot in SWING or REACH; its place is in odom, (3,)."""
    now = planner.time
    contact = state.contact_probability[leg] > settings.contact_threshold
    if planner.mode[leg] == REACH:
        if in_planned_stance(planner.phase, gait.liftoff[leg], gait.duty_factor[leg]):
            planner.swung[leg] = 0
        if contact:
            _set_down(gait, planner, leg, foot)
        elif gait.moves and (
            # The body went on, and the leg is too short for where it looks: it looks for ground where the body is now.
            _from_hip(tree, state, rotation, leg, planner.knot_position[leg, 3]) > tree.max_reach
            # Something else than the foot is on something: the foot does not come down here, and the next place is another.
            or (foot[2] - _depth(settings, planner, leg) > settings.reach_lag and _goes_on(settings, planner))
        ):
            _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + _swing_time(settings, gait, leg))
        elif (
            now - planner.mode_since[leg] > settings.reach_time or planner.knot_position[leg, 3, 2] - foot[2] > settings.reach_depth
        ):
            planner.fault = GROUND_NOT_FOUND
            if gait.moves and not _goes_on(settings, planner):
                # The body has stopped: the place under it is where the foot came from.
                _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + _swing_time(settings, gait, leg))
        return
    start, end = planner.mode_since[leg], planner.knot_time[leg, 3]
    late = now >= start + settings.early_contact_from * (end - start)
    if contact and (late or now >= end):
        _set_down(gait, planner, leg, foot)
    elif now >= end:
        _enter(planner, leg, REACH)
    elif start < now:
        change = 0.0
        for i in range(3):
            change = max(change, abs(planner.command[i] - planner.swing_command[leg, i]))
        if change > settings.replan_speed or gait.velocity_feedback > 0.0:
            _replan_foot_swing(settings, gait, planner, state, yaw, leg)


@compiled
def _step_on_the_ground(
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
            _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + remaining)
    elif overreach and standing >= 2 and awaited == 0:
        _begin_swing(tree, settings, gait, planner, state, yaw, leg, foot, now + _swing_time(settings, gait, leg))
    elif state.contact_probability[leg] > settings.contact_threshold:
        planner.contact_lost_since[leg] = np.nan
    elif math.isnan(planner.contact_lost_since[leg]):
        planner.contact_lost_since[leg] = now
    elif now - planner.contact_lost_since[leg] > settings.lost_contact_time:
        for i in range(3):
            planner.knot_position[leg, 3, i] = foot[i]
        planner.contact_lost_since[leg] = np.nan
        _enter(planner, leg, REACH)


@compiled
def _write_foot(settings: Any, gait: Any, planner: Any, plan: Any, leg: int, foot: Any, friction: float) -> None:
    """What one foot is asked to do."""
    mode = planner.mode[leg]
    position, velocity, acceleration = plan.foot_position[leg], plan.foot_velocity[leg], plan.foot_acceleration[leg]
    liftoff = time_to_liftoff(planner.phase, gait.liftoff[leg], gait.duty_factor[leg], gait.period)
    touchdown = time_to_touchdown(planner.phase, gait.liftoff[leg], gait.duty_factor[leg], gait.period)
    planned = in_planned_stance(planner.phase, gait.liftoff[leg], gait.duty_factor[leg])
    plan.mode[leg] = mode
    plan.planned_contact[leg] = 1 if planned else 0
    plan.time_to_next_event[leg] = liftoff if planned else touchdown
    plan.load[leg] = 0.0
    if mode == SWING:
        evaluate_swing(
            planner.time, planner.knot_time[leg], planner.knot_position[leg], planner.knot_velocity[leg], position, velocity, acceleration
        )
    else:
        for i in range(3):
            position[i], velocity[i], acceleration[i] = foot[i], 0.0, 0.0
        if mode == REACH:
            for i in range(2):
                position[i] = planner.knot_position[leg, 3, i]
            # The law pushes with the distance to where the foot is asked to be: that is bounded, whatever the foot has run into.
            depth = _depth(settings, planner, leg)
            position[2] = max(depth, foot[2] - settings.reach_lag)
            velocity[2] = -settings.reach_speed if depth > planner.knot_position[leg, 3, 2] - settings.reach_depth else 0.0
        else:
            load = (planner.time - planner.mode_since[leg]) / settings.load_ramp
            if mode == STANCE and planned:
                load = min(load, 0.1 + liftoff / settings.load_ramp)
            else:
                load = 1.0
            plan.load[leg] = min(1.0, max(0.1, load))
    ground_normal(planner, plan.normal[leg])
    plan.friction[leg] = friction


@compiled
def plan_tick(tree: Any, settings: Any, gait: Any, planner: Any, state: Any, command: Any, friction: float, plan: Any) -> None:
    """Plan one tick.

    Args:
        tree: the robot, a record of `robot.tree`.
        settings: a PLANNER_SETTINGS record.
        gait: the gait in force, a GAIT record.
        planner: a PLANNER record, advanced; its time must be before the state's, or nothing is advanced.
        state: a STATE record.
        command: wanted forward and left speed in the heading frame, m/s, and turn rate, rad/s, (3,).
        friction: believed Coulomb coefficient under the feet.
        plan: a PLAN record, written.
    """
    rotation, feet, reach = stack_matrix(3, 3), stack_matrix(4, 3), stack_vector(4)
    rotation_from_quaternion(state.base_quaternion, rotation)
    # The heading is where the feet go; the body may be twisted against it.
    yaw = yaw_of(rotation) - planner.reference_twist
    _feet(tree, state, rotation, feet, reach)
    dt = max(0.0, state.time - planner.time)
    planner.time = max(planner.time, state.time)
    if gait.moves:
        planner.phase += dt / gait.period
        planner.phase -= math.floor(planner.phase)
    allowed = stack_vector(3)
    for i in range(3):
        # Who has stepped into nothing stops; it goes on when it stands, and is asked for anew.
        allowed[i] = command[i] if planner.fault == NO_FAULT else 0.0
    limit_command(settings, gait, planner, allowed, dt)

    # First what comes down, then what goes up: a foot whose turn it is must know which feet have just failed to land.
    for leg in range(4):
        if planner.mode[leg] == SWING or planner.mode[leg] == REACH:
            _step_in_the_air(tree, settings, gait, planner, state, rotation, yaw, leg, feet[leg])
    for leg in range(4):
        if planner.mode[leg] == STANCE or planner.mode[leg] == SUPPORT:
            _step_on_the_ground(tree, settings, gait, planner, state, yaw, leg, feet[leg], reach[leg])

    if planner.fault == GROUND_FOUND_AGAIN and max(abs(command[0]), abs(command[1]), abs(command[2])) == 0.0:
        planner.fault = NO_FAULT
    update_ground(tree, settings, planner, state, feet, dt)
    move_reference(tree, settings, gait, planner, state, yaw, dt)
    plan.phase = planner.phase
    plan.moving = gait.moves
    c, s = math.cos(planner.reference_yaw), math.sin(planner.reference_yaw)
    for i in range(3):
        plan.base_position[i] = planner.reference_position[i]
    plan.base_roll_pitch_yaw[0], plan.base_roll_pitch_yaw[1] = planner.reference_tilt[0], planner.reference_tilt[1]
    plan.base_roll_pitch_yaw[2] = planner.reference_yaw + planner.reference_twist
    plan.base_velocity[0] = c * planner.command[0] - s * planner.command[1]
    plan.base_velocity[1] = s * planner.command[0] + c * planner.command[1]
    vertical = stack_vector(3)
    vertical_motion(gait, planner.phase, tree.gravity, vertical)
    plan.base_position[2] += vertical[0]
    plan.base_velocity[2] = vertical[1] + rise(planner, plan.base_velocity[0], plan.base_velocity[1])
    plan.base_acceleration[0], plan.base_acceleration[1], plan.base_acceleration[2] = 0.0, 0.0, vertical[2]
    plan.base_rate[0], plan.base_rate[1], plan.base_rate[2] = 0.0, 0.0, planner.command[2]
    for leg in range(4):
        _write_foot(settings, gait, planner, plan, leg, feet[leg], friction)

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
from surefoot.gait.foot_mode import asks_to_move, reach_height, step_in_the_air, step_on_the_ground
from surefoot.gait.ground import ground_normal, rise, start_ground, update_ground
from surefoot.gait.modes import GROUND_FOUND_AGAIN, NO_FAULT, REACH, STANCE, SUPPORT, SWING
from surefoot.gait.reference import limit_command, move_reference
from surefoot.gait.stance_anchor import move_stance_anchor
from surefoot.gait.swing import evaluate_swing
from surefoot.gait.timing import in_planned_stance, time_to_liftoff, time_to_touchdown
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.robot.spatial import rotation_from_quaternion, yaw_of
from surefoot.stack_arrays import stack_matrix, stack_vector


@compiled
def _feet(tree: Any, state: Any, rotation: Any, feet_in_odom: Any, reach: Any, climb: Any) -> None:
    """Feet in odom (4, 3), m, their distances from the hips (4,), m, and their vertical speeds in odom (4,), m/s."""
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
        x, y = feet_in_odom[leg, 0] - state.base_position[0], feet_in_odom[leg, 1] - state.base_position[1]
        climb[leg] = state.base_velocity[2] + state.base_rate[0] * y - state.base_rate[1] * x
        for k in range(3):
            up = rotation[2, 0] * jacobian[0, k] + rotation[2, 1] * jacobian[1, k] + rotation[2, 2] * jacobian[2, k]
            climb[leg] += up * state.joint_velocity[leg, k]


@compiled
def start_planner(tree: Any, settings: Any, planner: Any, state: Any) -> None:
    """Begin from the measured pose: all feet in stance, the base reference where the base is [Alg. 7, first call]."""
    rotation, feet, reach, climb = stack_matrix(3, 3), stack_matrix(4, 3), stack_vector(4), stack_vector(4)
    rotation_from_quaternion(state.base_quaternion, rotation)
    yaw = yaw_of(rotation)
    _feet(tree, state, rotation, feet, reach, climb)
    planner.time = state.time
    planner.phase = 0.0
    planner.fault = 0
    planner.reference_yaw = yaw
    planner.reference_twist, planner.base_yaw = 0.0, 0.0
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
        planner.held_up_since[leg] = np.nan
        planner.swung[leg] = 0
        for i in range(3):
            planner.anchor[leg, i] = feet[leg, i]
            planner.hold_position[leg, i] = feet[leg, i]
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
            position[i], velocity[i], acceleration[i] = planner.hold_position[leg, i], 0.0, 0.0
        if mode == REACH:
            for i in range(2):
                position[i] = planner.knot_position[leg, 3, i]
            depth = reach_height(settings, planner, leg)
            # The law pushes with the distance to where the foot is asked to be: a slow leg needs it, one that lies on something must not.
            position[2] = depth if math.isnan(planner.held_up_since[leg]) else max(depth, foot[2] - settings.reach_lag)
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
def plan_tick(tree: Any, settings: Any, gait: Any, planner: Any, state: Any, command: Any, friction: Any, plan: Any) -> None:
    """Plan one tick.

    Args:
        tree: the robot, a record of `robot.tree`.
        settings: a PLANNER_SETTINGS record.
        gait: the gait in force, a GAIT record.
        planner: a PLANNER record, advanced; its time must be before the state's, or nothing is advanced.
        state: a STATE record.
        command: wanted forward and left speed in the heading frame, m/s, and turn rate, rad/s, (3,).
        friction: believed Coulomb coefficient under each foot, (4,).
        plan: a PLAN record, written.
    """
    rotation, feet, reach, climb = stack_matrix(3, 3), stack_matrix(4, 3), stack_vector(4), stack_vector(4)
    rotation_from_quaternion(state.base_quaternion, rotation)
    # The heading is where the feet go; the body may be twisted against it.
    yaw = yaw_of(rotation) - planner.reference_twist
    _feet(tree, state, rotation, feet, reach, climb)
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
            step_in_the_air(tree, settings, gait, planner, state, rotation, yaw, leg, feet[leg], climb[leg])
    for leg in range(4):
        if planner.mode[leg] == STANCE or planner.mode[leg] == SUPPORT:
            step_on_the_ground(tree, settings, gait, planner, state, yaw, leg, feet[leg], reach[leg])

    if planner.fault == GROUND_FOUND_AGAIN and not asks_to_move(settings, command):
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
    plan.base_twist = planner.reference_twist
    plan.base_velocity[0] = c * planner.command[0] - s * planner.command[1]
    plan.base_velocity[1] = s * planner.command[0] + c * planner.command[1]
    vertical = stack_vector(3)
    vertical_motion(gait, planner.phase, tree.gravity, vertical)
    plan.base_position[2] += vertical[0]
    plan.base_velocity[2] = vertical[1] + rise(planner, plan.base_velocity[0], plan.base_velocity[1])
    plan.base_acceleration[0], plan.base_acceleration[1], plan.base_acceleration[2] = 0.0, 0.0, vertical[2]
    plan.base_rate[0], plan.base_rate[1], plan.base_rate[2] = 0.0, 0.0, planner.command[2]
    for leg in range(4):
        move_stance_anchor(settings, planner, state, leg, feet[leg], dt)
        _write_foot(settings, gait, planner, plan, leg, feet[leg], friction[leg])

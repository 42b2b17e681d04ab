# SPDX-License-Identifier: Apache-2.0
"""Whether a robot can do a gait: its reach, its joint speeds, the rate of its commands."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import Gait, gait_record
from surefoot.gait.report import GaitError, GaitReport
from surefoot.gait.swing import evaluate_swing, plan_swing
from surefoot.robot.description import LEG_NAMES
from surefoot.robot.inverse_kinematics import solve_leg
from surefoot.robot.model import RobotModel
from surefoot.robot.spatial import rotation_from_roll_pitch_yaw

Array = NDArray[np.float64]

TICKS_PER_SWING = 10
"""Commands that the servos must get within one swing: three for each piece of its path, and one to spare."""

TICKS_PER_STANCE = 5
"""Commands within one stance: the load of a foot comes and goes, and there must be something in between."""


def check_robot(gait: Gait, robot: RobotModel, speed: tuple[float, float, float] | None, report: GaitReport) -> GaitReport:
    """Hold a gait against a robot, at the given speeds or the largest of the gait.

    Each of them alone must be in reach; all of them together may be out of it, which is said, since the planner then steps early.
    Joint speeds are a rough bound: those of the swing path, under a base that moves straight, by the Jacobian at rest.

    Raises:
        GaitError: the robot cannot do it.
    """
    description = robot.description
    rate = description.control.rate
    check_swing_times(gait, TICKS_PER_SWING / rate, f"{TICKS_PER_SWING} commands at {rate:g} Hz")
    _check_stance_times(gait, TICKS_PER_STANCE / rate, f"{TICKS_PER_STANCE} commands at {rate:g} Hz")
    fastest = (gait.max_forward_speed, gait.max_strafe_speed, gait.max_turn_rate) if speed is None else speed
    reached, share, together = 0.0, 0.0, 0.0
    # The feet are at rest where the base looks, and move against it where it goes.
    c, s = math.cos(gait.base_yaw), math.sin(gait.base_yaw)
    for leg, rest in enumerate(feet_at_rest(gait, robot)):
        solution = solve_leg(robot, leg, rest)
        length = float(np.linalg.norm(rest - robot.hip_in_base[leg]))
        if length > description.max_reach or not solution.reachable:
            reason = f"{LEG_NAMES[leg]} of {description.name} would be {length:.4g} m long at rest"
            reason += f"; its {description.max_reach:.4g} m or its joint limits do not allow that, so change base_height or the stance"
            raise GaitError(gait.name, "base_height", gait.base_height, description.max_reach, reason)
        reached = max(reached, length)
        if gait.moves:
            per_speed = (np.array([c, -s, 0.0]), np.array([s, c, 0.0]), np.array([-rest[1], rest[0], 0.0]))
            inverse = np.linalg.pinv(robot.foot_and_jacobian_in_base(leg, solution.joint_position)[1])
            together = max(together, _reach_of_all(gait, robot, leg, rest, np.abs(fastest) @ np.abs(per_speed)))
            for key, value, velocity in zip(("max_forward_speed", "max_strafe_speed", "max_turn_rate"), fastest, per_speed, strict=True):
                reached = max(reached, _reach_at_speed(gait, robot, leg, rest, key, abs(value), velocity))
                wanted = np.abs(inverse @ _swing_velocities(gait, LEG_NAMES[leg], value * velocity)).max(axis=1)
                share = max(share, float((wanted / robot.velocity_limit[3 * leg : 3 * leg + 3]).max()))
    warnings = report.warnings
    if share > 1.0:
        # A swing that lags comes out late and low, which may do: no reason to refuse.
        asked = f"asks for {share:.2f} times the joint speed of {description.name} at its largest speed"
        slower = f"a period of {math.ceil(100.0 * gait.period * share) / 100.0:.2f} s and largest speeds as much lower would not"
        warnings = (*warnings, f"gait '{gait.name}' {asked}: steps will come late and low; {slower}.")
    if reached <= description.max_reach < together:
        asked = f"takes a foot of {description.name} to {together:.3g} m from its hip at its largest speeds together"
        warnings = (*warnings, f"gait '{gait.name}' {asked}, over {description.max_reach:.3g} m: it will step early.")
    return replace(report, reach_share=reached / description.max_reach, joint_speed_share=share, warnings=warnings)


def check_swing_times(gait: Gait, shortest: float, reason: str) -> None:
    """Refuse a gait that leaves a foot less than a time to swing, s."""
    for leg in LEG_NAMES:
        duty = gait.duty_factor[leg]
        if duty < 1.0 and (1.0 - duty) * gait.period < shortest:
            limit = 1.0 - shortest / gait.period
            wanted = f"at most {limit:.3g}, or a longer period" if limit > 0.0 else f"the period must be over {shortest:.3g} s"
            text = f"leaves {1e3 * (1.0 - duty) * gait.period:.3g} ms of {1e3 * shortest:.3g} ms to swing ({reason}); {wanted}"
            raise GaitError(gait.name, f"duty_factor.{leg}", duty, limit, text)


def _check_stance_times(gait: Gait, shortest: float, reason: str) -> None:
    """Refuse a gait that leaves a foot less than a time on the ground, s."""
    for leg in LEG_NAMES:
        stance = gait.duty_factor[leg] * gait.period
        if stance < shortest:
            limit = shortest / gait.period
            text = f"leaves {1e3 * stance:.3g} ms of {1e3 * shortest:.3g} ms on the ground ({reason}); at least {limit:.3g}"
            raise GaitError(gait.name, f"duty_factor.{leg}", gait.duty_factor[leg], limit, text)


def feet_at_rest(gait: Gait, robot: RobotModel) -> Array:
    """Foot centres in the base frame under the posture of a gait, (4, 3), m."""
    feet, rotation = np.empty((4, 3)), np.empty((3, 3))
    feet[:, :2] = gait_record(gait)["neutral_foot"][0]
    feet[:, 2] = robot.description.foot_radius - gait.base_height
    rotation_from_roll_pitch_yaw(gait.base_roll, gait.base_pitch, 0.0, rotation)
    return feet @ rotation


def _reach_at_speed(gait: Gait, robot: RobotModel, leg: int, rest: Array, key: str, value: float, velocity: Array) -> float:
    """Longest that a leg gets in stance, m, at a speed; velocity is that of the base for one unit of it, (3,)."""
    limit, from_hip = robot.description.max_reach, rest - robot.hip_in_base[leg]
    half_stance = 0.5 * gait.duty_factor[LEG_NAMES[leg]] * gait.period * velocity
    longest = max(float(np.linalg.norm(from_hip + sign * value * half_stance)) for sign in (1.0, -1.0))
    if longest > limit:
        square, mixed = float(half_stance @ half_stance), abs(float(from_hip @ half_stance))
        largest = (math.sqrt(mixed**2 + square * (limit**2 - float(from_hip @ from_hip))) - mixed) / square
        foot = f"{LEG_NAMES[leg]} of {robot.description.name}"
        yawed = f", or another base_yaw than {gait.base_yaw:.3g} rad" if gait.base_yaw else ""
        reason = f"takes {foot} to {longest:.4g} m from its hip, over {limit:.4g} m; at most {largest:.3g}{yawed}"
        raise GaitError(gait.name, key, value, largest, reason)
    return longest


def _reach_of_all(gait: Gait, robot: RobotModel, leg: int, rest: Array, largest: Array) -> float:
    """Longest that a leg gets in stance, m, at any base velocity up to the largest one of each axis, (3,), m/s."""
    from_hip = rest - robot.hip_in_base[leg]
    half_stance = 0.5 * gait.duty_factor[LEG_NAMES[leg]] * gait.period * largest
    return float(np.linalg.norm(np.abs(from_hip) + half_stance))


def _swing_velocities(gait: Gait, leg: str, base_velocity: Array) -> Array:
    """Velocities of a foot in the base frame along its swing, (3, samples), m/s, while the base moves at a velocity, (3,)."""
    duration = (1.0 - gait.duty_factor[leg]) * gait.period
    step = base_velocity * gait.period
    times, positions, velocities = np.empty(4), np.empty((4, 3)), np.empty((4, 3))
    zero, work = np.zeros(3), np.empty((3, 3))
    plan_swing(0.0, duration, zero, zero, step, zero, gait.step_height, gait.overshoot, times, positions, velocities)
    result = np.empty((3, 61))
    for sample, time in enumerate(np.linspace(0.0, duration, 61)):
        evaluate_swing(time, times, positions, velocities, work[0], work[1], work[2])
        result[:, sample] = work[1] - base_velocity
    return result

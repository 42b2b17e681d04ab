# SPDX-License-Identifier: Apache-2.0
"""The reference PID of each joint over a leading particle axis, compiled; `inverse_dynamics.joint_pid` holds it in its readable form."""

import math
from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.inverse_dynamics.joint_pid import FORGETTING, JointPidGains
from surefoot.inverse_dynamics.law import FAILED, SINGULAR, SOLVED
from surefoot.locomotion.compiled.inputs import read_inputs
from surefoot.locomotion.compiled.joint_targets import joint_targets
from surefoot.robot.spatial import damped_inverse, rotate, rotate_back, rotation_from_roll_pitch_yaw

PID_GAINS = np.dtype(
    [("stiffness", "f8", (4, 3)), ("integral", "f8", (4, 3)), ("damping", "f8", (4, 3)), ("integral_limit", "f8", (4, 3))], align=True
)
"""See `JointPidGains`."""

PID_MEMORY = np.dtype([("integral", "f8", (4, 3)), ("last_time", "f8")], align=True)
"""Torque of the integrals, N m, and the time of the last answer, s; NaN: there was none."""


def pid_gains_record(gains: JointPidGains) -> np.ndarray:
    """An array of one PID_GAINS record."""
    record = np.zeros(1, PID_GAINS)
    for name in PID_GAINS.names or ():
        record[name] = getattr(gains, name).reshape(4, 3)
    return record


def pid_memory(count: int) -> np.ndarray:
    """PID_MEMORY records of particles that were never controlled, (count,)."""
    memory = np.zeros(count, PID_MEMORY)
    memory["last_time"] = np.nan
    return memory


@compiled
def planned_joint_velocity(tree: Any, plan: Any, base_rotation: Any, terms: Any, control: Any) -> None:
    """Write the joint velocities that move the planned feet under the planned base, rad/s, inside the limits of the joints."""
    wanted_rotation, inverse = np.empty((3, 3)), np.empty((3, 3))
    lever, in_odom, seen = np.empty(3), np.empty(3), np.empty(3)
    tilt, rate = plan.base_roll_pitch_yaw, plan.base_rate
    rotation_from_roll_pitch_yaw(tilt[0], tilt[1], tilt[2], wanted_rotation)
    for leg in range(4):
        for i in range(3):
            lever[i] = plan.foot_position[leg, i] - plan.base_position[i]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            in_odom[i] = plan.foot_velocity[leg, i] - plan.base_velocity[i] - (rate[j] * lever[k] - rate[k] * lever[j])
        rotate_back(wanted_rotation, in_odom, seen)
        # What the planned base sees, turned into the axes of odom by the measured attitude.
        rotate(base_rotation, seen, in_odom)
        damped_inverse(terms.foot_jacobian[leg], SINGULAR, inverse)
        for k in range(3):
            velocity = inverse[k, 0] * in_odom[0] + inverse[k, 1] * in_odom[1] + inverse[k, 2] * in_odom[2]
            limit = tree.velocity_limit[leg, k]
            control.velocity[leg, k] = min(limit, max(-limit, velocity))


@compiled
def pid_tick(
    tree: Any, gains: Any, pid_gains: Any, plan: Any, state: Any, dt: float, terms: Any, memory: Any, control: Any
) -> None:  # fmt: skip
    """Compute the joint command of one tick.

    Args:
        tree: the believed robot, a record of `robot.tree`.
        gains: a GAINS record; only its step limit is read.
        pid_gains: a PID_GAINS record.
        plan, state: PLAN and STATE records.
        dt: control period, s.
        terms: a TERMS record, written.
        memory: a PID_MEMORY record, taken further.
        control: a CONTROL record, written; its status says whether it may be used. Forces and accelerations are 0.
    """
    control.status = FAILED
    base_rotation = np.empty((3, 3))
    if not read_inputs(tree, plan, state, dt, base_rotation, terms):
        return
    control.force[:], control.base_acceleration[:], control.joint_acceleration[:] = 0.0, 0.0, 0.0
    joint_targets(tree, gains, plan, state, base_rotation, terms, dt, control)
    planned_joint_velocity(tree, plan, base_rotation, terms, control)
    passed = state.time - memory.last_time
    if not 0.0 < passed < FORGETTING * dt:
        memory.integral[:] = 0.0
    memory.last_time = state.time
    control.saturated, finite = 0, True
    for leg in range(4):
        for k in range(3):
            error = control.position[leg, k] - state.joint_position[leg, k]
            torque = pid_gains.stiffness[leg, k] * error
            torque += pid_gains.damping[leg, k] * (control.velocity[leg, k] - state.joint_velocity[leg, k])
            step = pid_gains.integral[leg, k] * error * dt
            limit, room = tree.effort_limit[leg, k], pid_gains.integral_limit[leg, k]
            total = torque + memory.integral[leg, k] + step
            if not (abs(total) > limit and total * step > 0.0):
                memory.integral[leg, k] += step
            memory.integral[leg, k] = min(room, max(-room, memory.integral[leg, k]))
            torque += memory.integral[leg, k]
            finite = finite and math.isfinite(torque)
            control.saturated += abs(torque) > limit
            control.effort[leg, k] = min(limit, max(-limit, torque))
    if finite:
        control.status = SOLVED
    else:
        memory.last_time = np.nan


@compiled
def pid_control(
    tree: Any, gains: Any, pid_gains: Any, plans: Any, state: Any, dt: float, terms: Any, memory: Any, controls: Any, alive: Any
) -> None:  # fmt: skip
    """Compute the joint command of each particle that is alive; arrays of n records of plan, state, memory and control."""
    for i in range(state.shape[0]):
        if alive[i]:
            pid_tick(tree[0], gains[0], pid_gains[0], plans[i], state[i], dt, terms[0], memory[i], controls[i])

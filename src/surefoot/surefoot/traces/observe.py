# SPDX-License-Identifier: Apache-2.0
"""What the policy inside a trace gets to know of its particle, and what its servos make of the answer; compiled."""

import math
from typing import Any

import numpy as np

from surefoot.compilation import compiled
from surefoot.robot.spatial import rotation_from_quaternion
from surefoot.servos.bounds import DAMPING, EFFORT, POSITION, STIFFNESS, VELOCITY


@compiled
def observe(
    start: Any, elapsed: float, qpos: Any, qvel: Any, load: Any, threshold: float, height: Any, errors: Any, noise: Any, states: Any,
    alive: Any,
) -> None:  # fmt: skip
    """Write a STATE per particle: the truth, minus the error that the estimate had at the start, plus the noise of this tick.

    Args:
        start: planner time at which each of them started, (n,), s.
        elapsed: since then, s.
        qpos: (n, 19) of MuJoCo: position, quaternion w x y z, joints.
        qvel: (n, 18) of MuJoCo: linear in world axes, angular in base axes, joints.
        load: normal force on each foot, (n, 4), N.
        threshold: load from which a foot counts as in contact, N.
        height: of the ground in odom, (n,), m.
        errors: of the estimate, (n, 36): position, orientation, velocity, rate (3 each), joint positions, joint velocities.
        noise: (n, channels), see `cloud.noise.CHANNELS`.
        states: n STATE records, written.
        alive: (n,), bool.
    """
    rotation = np.empty((3, 3))
    for p in range(qpos.shape[0]):
        if not alive[p]:
            continue
        s = states[p]
        s.time = start[p] + elapsed
        w, x, y, z = qpos[p, 3], qpos[p, 4], qpos[p, 5], qpos[p, 6]
        # A small turn about the axes of odom, to first order: q' = (1, d/2) q.
        a = 0.5 * (noise[p, 0] - errors[p, 3])
        b = 0.5 * (noise[p, 1] - errors[p, 4])
        c = 0.5 * (noise[p, 2] - errors[p, 5])
        qw = w - a * x - b * y - c * z
        qx = x + a * w + b * z - c * y
        qy = y + b * w + c * x - a * z
        qz = z + c * w + a * y - b * x
        length = math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
        s.base_quaternion[0], s.base_quaternion[1], s.base_quaternion[2], s.base_quaternion[3] = (
            qx / length, qy / length, qz / length, qw / length,
        )  # fmt: skip
        rotation_from_quaternion(s.base_quaternion, rotation)
        for i in range(3):
            s.base_position[i] = qpos[p, i] - errors[p, i] + noise[p, 45 + i]
            s.base_velocity[i] = qvel[p, i] - errors[p, 6 + i] + noise[p, 3 + i]
            rate = 0.0
            for j in range(3):
                rate += rotation[i, j] * qvel[p, 3 + j]
            s.base_rate[i] = rate - errors[p, 9 + i] + noise[p, 6 + i]
        s.base_position[2] += height[p]
        for leg in range(4):
            s.contact_probability[leg] = 1.0 if load[p, leg] + noise[p, 48 + leg] > threshold else 0.0
            for k in range(3):
                j = 3 * leg + k
                s.joint_position[leg, k] = qpos[p, 7 + j] - errors[p, 12 + j] + noise[p, 9 + j]
                s.joint_velocity[leg, k] = qvel[p, 6 + j] - errors[p, 24 + j] + noise[p, 21 + j]


@compiled
def servo_laws(
    commands: Any, stiffness_factor: Any, damping_factor: Any, effort_factor: Any, noise: Any, targets: Any, stiffness: Any, damping: Any,
    alive: Any,
) -> bool:  # fmt: skip
    """Write each servo's law: its constant part, effort + stiffness position + damping velocity, and its gains, each (n, 12).

    Args:
        commands: rows POSITION to DAMPING of `servos.bounds` of each particle, (n, 5 or more, 12).
        stiffness_factor, damping_factor: of each particle's servos, (n, 12).
        effort_factor: of the feed-forward torque, (n, 12).
        noise: (n, channels), see `cloud.noise.CHANNELS`; of these the relative torques.
        targets: the constant part, (n, 12), written.
        stiffness, damping: (n, 12), written.
        alive: (n,), bool.

    Returns:
        Whether all that was written is finite.
    """
    total = 0.0
    for p in range(targets.shape[0]):
        if not alive[p]:
            continue
        for j in range(12):
            stiffness[p, j] = commands[p, STIFFNESS, j] * stiffness_factor[p, j]
            damping[p, j] = commands[p, DAMPING, j] * damping_factor[p, j]
            targets[p, j] = (
                commands[p, EFFORT, j] * effort_factor[p, j] * (1.0 + noise[p, 33 + j])
                + stiffness[p, j] * commands[p, POSITION, j]
                + damping[p, j] * commands[p, VELOCITY, j]
            )
            total += targets[p, j]
    return math.isfinite(total)

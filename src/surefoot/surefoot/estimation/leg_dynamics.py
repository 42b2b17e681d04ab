# SPDX-License-Identifier: Apache-2.0
"""Torques that the joints of one leg need to move under a base that does not accelerate, compiled: Newton and Euler along the leg."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.robot.spatial import cross, dot, multiply, rotate, rotate_back, rotation_about
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def leg_torque(
    tree: Any, leg: int, gravity: Array, base_rate: Array, position: Array, velocity: Array, acceleration: Array, torque: Array
) -> None:
    """Joint torques of one leg, without friction.

    Args:
        tree: the leg record of the robot.
        leg: index in the order of LEG_NAMES.
        gravity: in base axes, (3,), m/s^2.
        base_rate: angular velocity of the base in base axes, (3,), rad/s.
        position, velocity, acceleration: of this leg's joints, (3,).
        torque: output, (3,), N m.
    """
    origin, force, moment = stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(3, 3)
    axes, work = stack_matrix(3, 3), stack_matrix(3, 3)
    parent, turned, joint_turn = stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(3, 3)
    spin, spin_rate, motion = stack_vector(3), stack_vector(3), stack_vector(3)
    lever, one, two = stack_vector(3), stack_vector(3), stack_vector(3)
    for i in range(3):
        for j in range(3):
            parent[i, j] = 1.0 if i == j else 0.0
        spin[i], spin_rate[i], motion[i] = base_rate[i], 0.0, -gravity[i]
    for joint in range(3):
        rotate(parent, tree.placement_translation[leg, joint], lever)
        for i in range(3):
            origin[joint, i] = lever[i] + (origin[joint - 1, i] if joint > 0 else 0.0)
        _add_point_acceleration(spin, spin_rate, lever, motion, one, two)
        multiply(parent, tree.placement_rotation[leg, joint], turned)
        rotate(turned, tree.axis[leg, joint], one)
        rotation_about(tree.axis[leg, joint], position[joint], joint_turn)
        multiply(turned, joint_turn, parent)
        cross(spin, one, two)
        for i in range(3):
            axes[joint, i] = one[i]
            spin_rate[i] += velocity[joint] * two[i] + acceleration[joint] * one[i]
            spin[i] += velocity[joint] * one[i]
        # What the link's mass and inertia take, about the joint.
        rotate(parent, tree.link_com[leg, joint], lever)
        for i in range(3):
            work[0, i] = motion[i]
        _add_point_acceleration(spin, spin_rate, lever, work[0], one, two)
        for i in range(3):
            force[joint, i] = tree.link_mass[leg, joint] * work[0, i]
        _inertia_times(parent, tree.link_inertia[leg, joint], spin, one, two)
        cross(spin, one, work[1])
        _inertia_times(parent, tree.link_inertia[leg, joint], spin_rate, one, two)
        cross(lever, force[joint], two)
        for i in range(3):
            moment[joint, i] = one[i] + work[1, i] + two[i]
    for back in range(3):
        joint = 2 - back
        if joint < 2:
            for i in range(3):
                lever[i] = origin[joint + 1, i] - origin[joint, i]
            cross(lever, force[joint + 1], one)
            for i in range(3):
                force[joint, i] += force[joint + 1, i]
                moment[joint, i] += moment[joint + 1, i] + one[i]
        torque[joint] = dot(axes[joint], moment[joint]) + tree.armature[leg, joint] * acceleration[joint]


@compiled
def _add_point_acceleration(spin: Array, spin_rate: Array, lever: Array, motion: Array, one: Array, two: Array) -> None:
    """motion += spin_rate x lever + spin x (spin x lever); `one` and `two` are overwritten."""
    cross(spin, lever, one)
    cross(spin, one, two)
    cross(spin_rate, lever, one)
    for i in range(3):
        motion[i] += one[i] + two[i]


@compiled
def _inertia_times(rotation: Array, inertia: Array, vector: Array, out: Array, work: Array) -> None:
    """out = rotation inertia rotation^T vector; `work` is overwritten."""
    rotate_back(rotation, vector, work)
    rotate(inertia, work, out)
    for i in range(3):
        work[i] = out[i]
    rotate(rotation, work, out)

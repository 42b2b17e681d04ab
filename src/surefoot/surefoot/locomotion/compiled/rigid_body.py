# SPDX-License-Identifier: Apache-2.0
"""Rigid-body terms of a quadruped, compiled: the four legs branch from the base, so no leg couples with another.

Velocities are u = [base origin velocity, base angular velocity, joint velocities], the first two in the axes of odom;
M du/dt + h = S^T torque + sum J^T force. Positions are relative to the base origin, in the axes of odom.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.robot.spatial import cross, dot, multiply, rotate, rotation_about

Array = NDArray[np.float64]

TERMS = np.dtype(
    [
        ("base_mass_matrix", "f8", (6, 6)),  # A: how base accelerations load the base
        ("coupling", "f8", (4, 6, 3)),  # B: how the joint accelerations of a leg load the base
        ("leg_mass_matrix", "f8", (4, 3, 3)),  # C: how they load the joints of that leg
        ("base_bias", "f8", (6,)),  # h of the base: gravity, Coriolis and centrifugal loads
        ("leg_bias", "f8", (4, 3)),  # h of the joints
        ("foot_position", "f8", (4, 3)),  # from the base origin, m
        ("foot_velocity", "f8", (4, 3)),  # absolute, m/s
        ("foot_bias_acceleration", "f8", (4, 3)),  # dJ/dt u, m/s^2
        ("foot_jacobian", "f8", (4, 3, 3)),  # of the foot velocity by the joint velocities of its leg
    ],
    align=True,
)
"""What `rigid_body_terms` computes, one record per particle."""


@compiled
def _add_inertia(mass: float, com: Array, inertia: Array, total: Array) -> None:
    """Add a body to a (6, 6) inertia about the base origin: mass, com (3,) and inertia about the com (3, 3), all in odom axes."""
    square = dot(com, com)
    for i in range(3):
        total[i, i] += mass
        for j in range(3):
            total[3 + i, 3 + j] += inertia[i, j] - mass * com[i] * com[j]
        total[3 + i, 3 + i] += mass * square
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # The angular rows hold m com x v, the linear rows m w x com.
        total[3 + i, j] -= mass * com[k]
        total[3 + i, k] += mass * com[j]
        total[j, 3 + i] -= mass * com[k]
        total[k, 3 + i] += mass * com[j]


@compiled
def _world_inertia(rotation: Array, inertia: Array, work: Array, out: Array) -> None:
    """out = rotation inertia rotation^T."""
    multiply(rotation, inertia, work)
    for i in range(3):
        for j in range(3):
            out[i, j] = work[i, 0] * rotation[j, 0] + work[i, 1] * rotation[j, 1] + work[i, 2] * rotation[j, 2]


@compiled
def _point_acceleration(spin: Array, spin_rate: Array, lever: Array, out: Array) -> None:
    """Add the acceleration of a point at a lever from the origin of a turning body."""
    a, b = np.empty(3), np.empty(3)
    cross(spin, lever, a)
    cross(spin, a, b)
    cross(spin_rate, lever, a)
    for i in range(3):
        out[i] += a[i] + b[i]


@compiled
def _body_wrench(mass: float, inertia: Array, com: Array, acceleration: Array, spin: Array, spin_rate: Array, wrench: Array) -> None:
    """Add the wrench about the base origin, force first, that moves a body (Newton and Euler)."""
    moment, work, force = np.empty(3), np.empty(3), np.empty(3)
    rotate(inertia, spin, work)
    cross(spin, work, moment)
    rotate(inertia, spin_rate, work)
    for i in range(3):
        force[i] = mass * acceleration[i]
        moment[i] += work[i]
    cross(com, force, work)
    for i in range(3):
        wrench[i] += force[i]
        wrench[3 + i] += moment[i] + work[i]


@compiled
def rigid_body_terms(tree: Any, base_rotation: Array, base_velocity: Array, base_rate: Array, q: Array, qd: Array, terms: Any) -> None:
    """Compute every rigid-body term of one robot.

    Composite inertias give the mass matrix and recursive Newton-Euler gives the bias [Featherstone 2008, ch. 5 and 6],
    written out for four chains of three joints.

    Args:
        tree: the robot, a record of `robot.tree`.
        base_rotation: odom_from_base, (3, 3).
        base_velocity: of the base origin, (3,), odom axes, m/s.
        base_rate: angular, (3,), odom axes, rad/s.
        q: joint positions, (4, 3), rad.
        qd: joint velocities, (4, 3), rad/s.
        terms: a record of TERMS, written.
    """
    work, inertia, turned = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    rotation, parent_rotation = np.empty((3, 3)), np.empty((3, 3))
    com, lever, vector, acceleration, point_acceleration = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    spin, spin_rate = np.empty(3), np.empty(3)
    position, axis = np.empty((3, 3)), np.empty((3, 3))
    composite, column, wrench = np.zeros((3, 6, 6)), np.zeros((3, 6)), np.zeros((3, 6))
    zero = np.zeros(3)

    a = terms.base_mass_matrix
    a[:] = 0.0
    rotate(base_rotation, tree.base_com, com)
    _world_inertia(base_rotation, tree.base_inertia, work, inertia)
    _add_inertia(tree.base_mass, com, inertia, a)
    bias = terms.base_bias
    bias[:] = 0.0
    acceleration[:] = 0.0
    acceleration[2] = tree.gravity
    _point_acceleration(base_rate, zero, com, acceleration)
    _body_wrench(tree.base_mass, inertia, com, acceleration, base_rate, zero, bias)

    for leg in range(4):
        parent_rotation[:] = base_rotation
        spin[:] = base_rate
        spin_rate[:] = 0.0
        point_acceleration[:] = 0.0
        point_acceleration[2] = tree.gravity
        lever[:] = 0.0
        composite[:] = 0.0
        wrench[:] = 0.0
        for k in range(3):
            rotate(parent_rotation, tree.placement_translation[leg, k], vector)
            _point_acceleration(spin, spin_rate, vector, point_acceleration)
            for i in range(3):
                lever[i] += vector[i]
                position[k, i] = lever[i]
            multiply(parent_rotation, tree.placement_rotation[leg, k], turned)
            rotate(turned, tree.axis[leg, k], axis[k])
            rotation_about(tree.axis[leg, k], q[leg, k], work)
            multiply(turned, work, rotation)
            # The joint turns its link on top of the parent's own turning.
            cross(spin, axis[k], vector)
            for i in range(3):
                spin_rate[i] += vector[i] * qd[leg, k]
                spin[i] += axis[k, i] * qd[leg, k]
            rotate(rotation, tree.link_com[leg, k], vector)
            for i in range(3):
                com[i] = lever[i] + vector[i]
                acceleration[i] = point_acceleration[i]
            _point_acceleration(spin, spin_rate, vector, acceleration)
            _world_inertia(rotation, tree.link_inertia[leg, k], work, inertia)
            _add_inertia(tree.link_mass[leg, k], com, inertia, composite[k])
            _body_wrench(tree.link_mass[leg, k], inertia, com, acceleration, spin, spin_rate, wrench[k])
            parent_rotation[:] = rotation
        rotate(rotation, tree.foot_offset[leg], vector)
        _point_acceleration(spin, spin_rate, vector, point_acceleration)
        for i in range(3):
            terms.foot_position[leg, i] = lever[i] + vector[i]
            terms.foot_bias_acceleration[leg, i] = point_acceleration[i]
        terms.foot_bias_acceleration[leg, 2] -= tree.gravity
        for k in range(1, -1, -1):
            for i in range(6):
                wrench[k, i] += wrench[k + 1, i]
                for j in range(6):
                    composite[k, i, j] += composite[k + 1, i, j]
        for i in range(6):
            bias[i] += wrench[0, i]
            for j in range(6):
                a[i, j] += composite[0, i, j]
        foot = terms.foot_position[leg]
        velocity = terms.foot_velocity[leg]
        cross(base_rate, foot, velocity)
        for i in range(3):
            velocity[i] += base_velocity[i]
        for k in range(3):
            # A turn about an axis through p moves the base origin's point by p x axis.
            cross(position[k], axis[k], column[k, :3])
            column[k, 3:] = axis[k]
            for i in range(3):
                vector[i] = foot[i] - position[k, i]
            cross(axis[k], vector, com)
            load = 0.0
            for i in range(3):
                terms.foot_jacobian[leg, i, k] = com[i]
                velocity[i] += com[i] * qd[leg, k]
                load += column[k, i] * wrench[k, i] + column[k, 3 + i] * wrench[k, 3 + i]
            terms.leg_bias[leg, k] = load
        for k in range(3):
            for i in range(6):
                total = 0.0
                for j in range(6):
                    total += composite[k, i, j] * column[k, j]
                terms.coupling[leg, i, k] = total
            for other in range(k + 1):
                total = 0.0
                for i in range(6):
                    total += column[other, i] * terms.coupling[leg, i, k]
                terms.leg_mass_matrix[leg, other, k] = total
                terms.leg_mass_matrix[leg, k, other] = total
            terms.leg_mass_matrix[leg, k, k] += tree.armature[leg, k]

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
from surefoot.stack_arrays import stack_matrix, stack_vector

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
    """Add a body to an inertia about the base origin, (13,): mass, first moment, second moments row by row.

    Mass, com (3,) and inertia about the com (3, 3) are those of the body, all in odom axes.
    """
    square = dot(com, com)
    total[0] += mass
    for i in range(3):
        total[1 + i] += mass * com[i]
        for j in range(3):
            total[4 + 3 * i + j] += inertia[i, j] - mass * com[i] * com[j]
        total[4 + 4 * i] += mass * square


@compiled
def _momentum(inertia: Array, twist: Array, out: Array) -> None:
    """Momentum about the base origin, linear then angular, (6,), of an inertia (13,) that moves with a twist (6,)."""
    mass, x, y, z = inertia[0], inertia[1], inertia[2], inertia[3]
    a, b, c, d, e, f = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
    out[0] = mass * a + z * e - y * f
    out[1] = mass * b - z * d + x * f
    out[2] = mass * c + y * d - x * e
    out[3] = -z * b + y * c + inertia[4] * d + inertia[5] * e + inertia[6] * f
    out[4] = z * a - x * c + inertia[7] * d + inertia[8] * e + inertia[9] * f
    out[5] = -y * a + x * b + inertia[10] * d + inertia[11] * e + inertia[12] * f


@compiled
def _as_matrix(inertia: Array, out: Array) -> None:
    """The (6, 6) matrix of an inertia (13,)."""
    out[:] = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i, i] = inertia[0]
        for column in range(3):
            out[3 + i, 3 + column] = inertia[4 + 3 * i + column]
        # The angular rows hold m com x v, the linear rows m w x com.
        out[3 + i, j] = out[j, 3 + i] = -inertia[1 + k]
        out[3 + i, k] = out[k, 3 + i] = inertia[1 + j]


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
    a, b = stack_vector(3), stack_vector(3)
    cross(spin, lever, a)
    cross(spin, a, b)
    cross(spin_rate, lever, a)
    for i in range(3):
        out[i] += a[i] + b[i]


@compiled
def _body_wrench(mass: float, inertia: Array, com: Array, acceleration: Array, spin: Array, spin_rate: Array, wrench: Array) -> None:
    """Add the wrench about the base origin, force first, that moves a body (Newton and Euler)."""
    moment, work, force = stack_vector(3), stack_vector(3), stack_vector(3)
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
    work, inertia, turned = stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(3, 3)
    rotation, parent_rotation = stack_matrix(3, 3), stack_matrix(3, 3)
    com, lever, vector = stack_vector(3), stack_vector(3), stack_vector(3)
    acceleration, point_acceleration, spin, spin_rate = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3)
    position, axis = stack_matrix(3, 3), stack_matrix(3, 3)
    composite, column, wrench, momentum = stack_matrix(3, 13), stack_matrix(3, 6), stack_matrix(3, 6), stack_vector(6)
    whole, zero = stack_vector(13), stack_vector(3)
    zero[:] = 0.0

    whole[:] = 0.0
    rotate(base_rotation, tree.base_com, com)
    _world_inertia(base_rotation, tree.base_inertia, work, inertia)
    _add_inertia(tree.base_mass, com, inertia, whole)
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
            for i in range(13):
                composite[k, i] += composite[k + 1, i]
        for i in range(6):
            bias[i] += wrench[0, i]
        for i in range(13):
            whole[i] += composite[0, i]
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
            _momentum(composite[k], column[k], momentum)
            for i in range(6):
                terms.coupling[leg, i, k] = momentum[i]
            for other in range(k + 1):
                total = 0.0
                for i in range(6):
                    total += column[other, i] * momentum[i]
                terms.leg_mass_matrix[leg, other, k] = total
                terms.leg_mass_matrix[leg, k, other] = total
            terms.leg_mass_matrix[leg, k, k] += tree.armature[leg, k]
    _as_matrix(whole, terms.base_mass_matrix)

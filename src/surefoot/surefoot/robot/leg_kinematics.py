# SPDX-License-Identifier: Apache-2.0
"""Kinematics of one leg, compiled: from joint angles to the foot, on the record that robot/tree.py makes of a robot.

The functions take the record itself (fields placement_rotation (4, 3, 3, 3), placement_translation (4, 3, 3), axis (4, 3, 3) and
foot_offset (4, 3)), so that compiled code can call them on its own robot. They allocate nothing: the caller brings the arrays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


@compiled
def foot_terms_in_base(tree: Any, leg: int, joint_position: Array, foot: Array, jacobian: Array, axes: Array) -> None:
    """Foot, its Jacobian and the joint axes of one leg in the base frame.

    Args:
        tree: the leg record of the robot.
        leg: index in the order of LEG_NAMES.
        joint_position: of this leg, (3,), rad.
        foot: output, centre of the foot in base, (3,), m.
        jacobian: output, velocity of the foot in base by the joint velocities, (3, 3), m/rad.
        axes: output, joint axes in base as columns, (3, 3): the last link turns with axes @ joint_velocity.
    """
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    x, y, z = 0.0, 0.0, 0.0
    for joint in range(3):
        move = tree.placement_translation[leg, joint]
        x += r00 * move[0] + r01 * move[1] + r02 * move[2]
        y += r10 * move[0] + r11 * move[1] + r12 * move[2]
        z += r20 * move[0] + r21 * move[1] + r22 * move[2]
        turn = tree.placement_rotation[leg, joint]
        r00, r01, r02 = _row(r00, r01, r02, turn)
        r10, r11, r12 = _row(r10, r11, r12, turn)
        r20, r21, r22 = _row(r20, r21, r22, turn)
        axis = tree.axis[leg, joint]
        u, v, w = axis[0], axis[1], axis[2]
        axes[0, joint] = r00 * u + r01 * v + r02 * w
        axes[1, joint] = r10 * u + r11 * v + r12 * w
        axes[2, joint] = r20 * u + r21 * v + r22 * w
        # The origin of this joint waits here until the foot is known.
        jacobian[0, joint], jacobian[1, joint], jacobian[2, joint] = x, y, z
        cosine, sine = np.cos(joint_position[joint]), np.sin(joint_position[joint])
        r00, r01, r02 = _row_about_axis(r00, r01, r02, u, v, w, cosine, sine)
        r10, r11, r12 = _row_about_axis(r10, r11, r12, u, v, w, cosine, sine)
        r20, r21, r22 = _row_about_axis(r20, r21, r22, u, v, w, cosine, sine)
    offset = tree.foot_offset[leg]
    foot[0] = x + r00 * offset[0] + r01 * offset[1] + r02 * offset[2]
    foot[1] = y + r10 * offset[0] + r11 * offset[1] + r12 * offset[2]
    foot[2] = z + r20 * offset[0] + r21 * offset[1] + r22 * offset[2]
    for joint in range(3):
        dx, dy, dz = foot[0] - jacobian[0, joint], foot[1] - jacobian[1, joint], foot[2] - jacobian[2, joint]
        jacobian[0, joint] = axes[1, joint] * dz - axes[2, joint] * dy
        jacobian[1, joint] = axes[2, joint] * dx - axes[0, joint] * dz
        jacobian[2, joint] = axes[0, joint] * dy - axes[1, joint] * dx


@compiled
def feet_in_odom(
    trees: Any, base_position: Array, rotation: Array, base_velocity: Array, base_rate: Array, joints: Array, rates: Array,
    position: Array, velocity: Array,
) -> None:  # fmt: skip
    """Positions and velocities of all feet in odom.

    Args:
        trees: array of one leg record.
        base_position: (3,), m. rotation: odom_from_base, (3, 3).
        base_velocity, base_rate: in the axes of odom, (3,), m/s and rad/s.
        joints, rates: (4, 3), rad and rad/s.
        position, velocity: (4, 3), written, m and m/s.
    """
    foot, jacobian, axes, lever = np.empty(3), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for leg in range(4):
        foot_terms_in_base(trees[0], leg, joints[leg], foot, jacobian, axes)
        for i in range(3):
            lever[i] = rotation[i, 0] * foot[0] + rotation[i, 1] * foot[1] + rotation[i, 2] * foot[2]
            position[leg, i] = base_position[i] + lever[i]
            own = 0.0
            for j in range(3):
                swing = jacobian[j, 0] * rates[leg, 0] + jacobian[j, 1] * rates[leg, 1] + jacobian[j, 2] * rates[leg, 2]
                own += rotation[i, j] * swing
            velocity[leg, i] = base_velocity[i] + own
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            velocity[leg, i] += base_rate[j] * lever[k] - base_rate[k] * lever[j]


@compiled
def foot_in_base(tree: Any, leg: int, joint_position: Array) -> Array:
    """Centre of one foot in the base frame, (3,), m, for the angles of its leg (3,), rad."""
    foot = np.empty(3)
    foot_terms_in_base(tree, leg, joint_position, foot, np.empty((3, 3)), np.empty((3, 3)))
    return foot


@compiled
def foot_jacobian_in_base(tree: Any, leg: int, joint_position: Array) -> Array:
    """Velocity of one foot in the base frame by its joint velocities, (3, 3), m/rad, for the angles of its leg (3,), rad."""
    jacobian = np.empty((3, 3))
    foot_terms_in_base(tree, leg, joint_position, np.empty(3), jacobian, np.empty((3, 3)))
    return jacobian


@compiled
def _row(a: float, b: float, c: float, turn: Array) -> tuple[float, float, float]:
    """Row (a, b, c) times a rotation matrix."""
    return (
        a * turn[0, 0] + b * turn[1, 0] + c * turn[2, 0],
        a * turn[0, 1] + b * turn[1, 1] + c * turn[2, 1],
        a * turn[0, 2] + b * turn[1, 2] + c * turn[2, 2],
    )


@compiled
def _row_about_axis(a: float, b: float, c: float, u: float, v: float, w: float, cosine: float, sine: float) -> tuple[float, float, float]:
    """Row (a, b, c) times the rotation about the unit axis (u, v, w), after Rodrigues."""
    along = (a * u + b * v + c * w) * (1.0 - cosine)
    return (
        a * cosine + (b * w - c * v) * sine + along * u,
        b * cosine + (c * u - a * w) * sine + along * v,
        c * cosine + (a * v - b * u) * sine + along * w,
    )

# SPDX-License-Identifier: Apache-2.0
"""What the errors of base and feet ask for, as accelerations; compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.inverse_dynamics.law import SINGULAR
from surefoot.robot.spatial import (
    damped_inverse,
    rotate,
    rotate_back,
    rotation_from_roll_pitch_yaw,
    rotation_vector,
    yaw_of,
)
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def wanted_base_acceleration(gains: Any, plan: Any, state: Any, base_rotation: Array, out: Array) -> None:
    """Acceleration of the base that is planned and would mend its errors, (6,), linear then angular, in the axes of odom.

    The gains act in the heading frame, so that they mean forward, left and up, and roll, pitch and yaw.
    """
    yaw = yaw_of(base_rotation)
    heading, wanted, error_rotation = stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(3, 3)
    rotation_from_roll_pitch_yaw(0.0, 0.0, yaw, heading)
    tilt = plan.base_roll_pitch_yaw
    rotation_from_roll_pitch_yaw(tilt[0], tilt[1], tilt[2], wanted)
    for i in range(3):
        for j in range(3):
            error_rotation[i, j] = (
                wanted[i, 0] * base_rotation[j, 0] + wanted[i, 1] * base_rotation[j, 1] + wanted[i, 2] * base_rotation[j, 2]
            )
    p, v, r, w, work = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3)
    for i in range(3):
        work[i] = plan.base_position[i] - state.base_position[i]
    rotate_back(heading, work, p)
    for i in range(3):
        work[i] = plan.base_velocity[i] - state.base_velocity[i]
    rotate_back(heading, work, v)
    rotation_vector(error_rotation, work)
    rotate_back(heading, work, r)
    for i in range(3):
        work[i] = plan.base_rate[i] - state.base_rate[i]
    rotate_back(heading, work, w)
    for i in range(3):
        p[i] = gains.base_position_gain[i] * p[i] + gains.base_velocity_gain[i] * v[i]
        r[i] = gains.base_orientation_gain[i] * r[i] + gains.base_rate_gain[i] * w[i]
    rotate(heading, p, work)
    for i in range(3):
        out[i] = work[i] + plan.base_acceleration[i]
    rotate(heading, r, work)
    out[3:] = work


@compiled
def leg_accelerations(gains: Any, plan: Any, state: Any, terms: Any, constant: Array, by_base: Array) -> None:
    """Joint accelerations of each leg as constant + by_base times the base acceleration.

    A loaded foot is braked to rest, on top of what is planned for it, any other follows its path.

    Args:
        constant: (4, 3), written.
        by_base: (12, 6), three rows a leg, written.
    """
    inverse, wanted = stack_matrix(3, 3), stack_vector(3)
    for leg in range(4):
        damped_inverse(terms.foot_jacobian[leg], SINGULAR, inverse)
        for i in range(3):
            if plan.load[leg] > 0.0:
                wanted[i] = plan.foot_acceleration[leg, i] - gains.contact_velocity_gain * terms.foot_velocity[leg, i]
            else:
                error = plan.foot_position[leg, i] - state.base_position[i] - terms.foot_position[leg, i]
                wanted[i] = (
                    plan.foot_acceleration[leg, i]
                    + gains.foot_position_gain * error
                    + gains.foot_velocity_gain * (plan.foot_velocity[leg, i] - terms.foot_velocity[leg, i])
                )
            wanted[i] -= terms.foot_bias_acceleration[leg, i]
        x, y, z = terms.foot_position[leg, 0], terms.foot_position[leg, 1], terms.foot_position[leg, 2]
        for i in range(3):
            constant[leg, i] = inverse[i, 0] * wanted[0] + inverse[i, 1] * wanted[1] + inverse[i, 2] * wanted[2]
            a, b, c = inverse[i, 0], inverse[i, 1], inverse[i, 2]
            row = 3 * leg + i
            by_base[row, 0], by_base[row, 1], by_base[row, 2] = -a, -b, -c
            # The base block of the foot Jacobian is [1, -[foot x]].
            by_base[row, 3] = -(b * -z + c * y)
            by_base[row, 4] = -(a * z + c * -x)
            by_base[row, 5] = -(a * -y + b * x)

# SPDX-License-Identifier: Apache-2.0
"""Joint targets that go with a plan, for servos that follow positions; compiled."""

from typing import Any

from surefoot.compilation import compiled
from surefoot.inverse_dynamics.law import SINGULAR
from surefoot.robot.spatial import damped_inverse, rotate, rotate_back, rotation_from_roll_pitch_yaw
from surefoot.stack_arrays import stack_matrix, stack_vector


@compiled
def joint_targets(tree: Any, gains: Any, plan: Any, state: Any, base_rotation: Any, terms: Any, dt: float, control: Any) -> None:
    """Joint positions by one Newton step towards the planned feet under the planned base, and velocities one tick ahead."""
    wanted_rotation, inverse, planned, relative = stack_matrix(3, 3), stack_matrix(3, 3), stack_vector(3), stack_vector(3)
    tilt = plan.base_roll_pitch_yaw
    rotation_from_roll_pitch_yaw(tilt[0], tilt[1], tilt[2], wanted_rotation)
    for leg in range(4):
        for i in range(3):
            relative[i] = plan.foot_position[leg, i] - plan.base_position[i]
        rotate_back(wanted_rotation, relative, planned)
        # What the planned base would see, turned into the axes of odom by the measured attitude.
        rotate(base_rotation, planned, relative)
        damped_inverse(terms.foot_jacobian[leg], SINGULAR, inverse)
        for k in range(3):
            step = 0.0
            for i in range(3):
                step += inverse[k, i] * (relative[i] - terms.foot_position[leg, i])
            step = min(gains.position_step_limit, max(-gains.position_step_limit, step))
            position = state.joint_position[leg, k] + step
            control.position[leg, k] = min(tree.position_upper[leg, k], max(tree.position_lower[leg, k], position))
            velocity = state.joint_velocity[leg, k] + dt * control.joint_acceleration[leg, k]
            control.velocity[leg, k] = min(tree.velocity_limit[leg, k], max(-tree.velocity_limit[leg, k], velocity))

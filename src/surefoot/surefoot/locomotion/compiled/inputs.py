# SPDX-License-Identifier: Apache-2.0
"""Whether a plan and a state can be read at all, and what every law reads out of them; compiled."""

import math
from typing import Any

from surefoot.compilation import compiled
from surefoot.inverse_dynamics.inputs import UNIT_TOLERANCE
from surefoot.locomotion.compiled.rigid_body import rigid_body_terms
from surefoot.robot.spatial import rotation_from_quaternion


@compiled
def usable_inputs(plan: Any, state: Any) -> bool:
    """Whether every number that the controller reads is finite and the attitude is one; see `inverse_dynamics.inputs`."""
    total, square = 0.0, 0.0
    for i in range(4):
        square += state.base_quaternion[i] * state.base_quaternion[i]
    for i in range(3):
        total += abs(state.base_position[i]) + abs(state.base_velocity[i]) + abs(state.base_rate[i])
        total += abs(plan.base_position[i]) + abs(plan.base_velocity[i]) + abs(plan.base_rate[i]) + abs(plan.base_roll_pitch_yaw[i])
        total += abs(plan.base_acceleration[i])
    for leg in range(4):
        total += abs(plan.load[leg]) + abs(plan.friction[leg])
        for i in range(3):
            total += abs(state.joint_position[leg, i]) + abs(state.joint_velocity[leg, i]) + abs(plan.normal[leg, i])
            total += abs(plan.foot_position[leg, i]) + abs(plan.foot_velocity[leg, i]) + abs(plan.foot_acceleration[leg, i])
    return math.isfinite(total) and abs(square - 1.0) <= UNIT_TOLERANCE


@compiled
def read_inputs(tree: Any, plan: Any, state: Any, dt: float, base_rotation: Any, terms: Any) -> bool:
    """Write the attitude of the base, odom_from_base, (3, 3), and a TERMS record; returns whether plan, state and period can be used."""
    if not (usable_inputs(plan, state) and dt > 0.0):
        return False
    rotation_from_quaternion(state.base_quaternion, base_rotation)
    rigid_body_terms(tree, base_rotation, state.base_velocity, state.base_rate, state.joint_position, state.joint_velocity, terms)
    return True

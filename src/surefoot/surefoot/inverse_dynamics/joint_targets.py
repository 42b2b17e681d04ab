# SPDX-License-Identifier: Apache-2.0
"""Joint targets that go with a plan, for servos that follow positions."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.inverse_dynamics.desired import Attitude
from surefoot.inverse_dynamics.law import POSITION_STEP_LIMIT
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


def joint_targets(
    model: RobotModel, attitude: Attitude, inverses: Array, plan: np.void, state: np.void, terms: RigidBodyTerms,
    joint_acceleration: Array, dt: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Joint positions by one Newton step towards the planned feet under the planned base, and velocities one tick ahead.

    Args:
        inverses: of the leg Jacobians, see `desired.leg_inverses`.

    Returns:
        Positions, (12,), rad, and velocities, (12,), rad/s, inside the limits of the joints.
    """
    position, velocity = np.empty(12), np.empty(12)
    _write_targets(
        plan["foot_position"], plan["base_position"], attitude.turn, inverses, terms.foot_positions, state["base_position"],
        state["joint_position"], state["joint_velocity"], joint_acceleration, dt, model.position_lower, model.position_upper,
        model.velocity_limit, position, velocity,
    )  # fmt: skip
    return position, velocity


@compiled
def _write_targets(
    planned_foot: Array, planned_base: Array, turn: Array, inverses: Array, foot: Array, base: Array, joint_position: Array,
    joint_velocity: Array, joint_acceleration: Array, dt: float, lower: Array, upper: Array, fastest: Array, position: Array,
    velocity: Array,
) -> None:  # fmt: skip
    for leg in range(4):
        joints = slice(3 * leg, 3 * leg + 3)
        # Where the planned base has the planned foot, turned into the axes of odom by the measured attitude.
        step = inverses[leg] @ ((planned_foot[leg] - planned_base) @ turn - foot[leg] + base)
        step = np.minimum(np.maximum(step, -POSITION_STEP_LIMIT), POSITION_STEP_LIMIT)
        position[joints] = np.minimum(np.maximum(joint_position[leg] + step, lower[joints]), upper[joints])
        ahead = joint_velocity[leg] + dt * joint_acceleration[joints]
        velocity[joints] = np.minimum(np.maximum(ahead, -fastest[joints]), fastest[joints])

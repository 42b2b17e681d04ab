# SPDX-License-Identifier: Apache-2.0
"""Joint targets that go with a plan, for servos that follow positions."""

import numpy as np
from numpy.typing import NDArray

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
    # Where the planned base has the planned feet, turned into the axes of odom by the measured attitude.
    planned = (plan["foot_position"] - plan["base_position"]).dot(attitude.turn)
    error = planned - terms.foot_positions + state["base_position"]
    step = (inverses @ error[:, :, np.newaxis]).ravel()
    position = state["joint_position"].ravel() + step.clip(-POSITION_STEP_LIMIT, POSITION_STEP_LIMIT)
    velocity = state["joint_velocity"].ravel() + dt * joint_acceleration
    return position.clip(model.position_lower, model.position_upper), velocity.clip(-model.velocity_limit, model.velocity_limit)

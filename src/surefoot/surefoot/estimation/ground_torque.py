# SPDX-License-Identifier: Apache-2.0
"""The part of the joint torques that the ground takes: measured torque less what moves and carries the legs themselves.

In a quick swing the rotor behind its gear asks for more torque than a foot that bears load; without this, a foot in the air would
count as one on the ground. Measured torque and velocity go through the same low-pass, so that the acceleration is never differentiated
[Haddadin 2017, section IV]; the legs' dynamics are those of the motion after the low-pass.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.leg_dynamics import leg_torque
from surefoot.stack_arrays import stack_vector

Array = NDArray[np.float64]

STILL = 0.1
"""rad/s below which dry friction is let grow with the speed, since its direction is not known."""


@compiled
def update_ground_torque(
    state: Any, parameters: Any, tree: Any, gravity: Array, base_rate: Array, position: Array, velocity: Array, effort: Array, step: float,
    torque: Array,
) -> None:  # fmt: skip
    """Joint torques that hold against the forces of the ground. Starts anew by itself whenever a value was not a number.

    Args:
        state: record of FILTER_STATE; its torque_... and joint_torque change.
        parameters: record of FILTER_PARAMETERS.
        tree: leg record of the believed robot.
        gravity: in base axes, (3,), m/s^2.
        base_rate: angular velocity of the base in base axes, (3,), rad/s.
        position, velocity, effort: of the joints, (12,), rad, rad/s, N m; the effort is NaN where it is not measured.
        step: since the last call, s.
        torque: output, (12,), N m; NaN where the effort is not measured.
    """
    acceleration, before, legs, slow = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3)
    time_constant = parameters.torque_time_constant
    share = step / (time_constant + step)
    for leg in range(4):
        for i in range(3):
            joint = 3 * leg + i
            friction = parameters.viscous_friction * velocity[joint] + parameters.dry_friction * math.tanh(velocity[joint] / STILL)
            raw = effort[joint] - friction
            if state.torque_watched == 0.0:
                state.torque_velocity[joint], state.joint_torque[joint] = velocity[joint], raw
            else:
                state.torque_velocity[joint] += share * (velocity[joint] - state.torque_velocity[joint])
                held = state.joint_torque[joint]
                state.joint_torque[joint] = held + share * (raw - held) if math.isfinite(held) else raw
            slow[i] = state.torque_velocity[joint]
            acceleration[i] = (velocity[joint] - slow[i]) / time_constant
            # The low-pass of the position is behind it by its own velocity.
            before[i] = position[joint] - time_constant * slow[i]
        leg_torque(tree, leg, gravity, base_rate, before, slow, acceleration, legs)
        for i in range(3):
            torque[3 * leg + i] = state.joint_torque[3 * leg + i] - legs[i]
    state.torque_watched = 1.0

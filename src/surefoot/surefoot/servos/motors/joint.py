# SPDX-License-Identifier: Apache-2.0
"""Joints on their own, without a robot around them: inertia, friction, and motors that give what they can."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.servos.motors.gear import gear_friction
from surefoot.servos.motors.torque_speed import most_torque

Array = NDArray[np.float64]


@compiled
def swing(
    position: Array, velocity: Array, law: Array, motor: Array, losses: tuple[float, float, float], inertia: float, friction: float,
    duration: float, steps: int, torque: Array,
) -> None:  # fmt: skip
    """Advance joints that are driven by torques, in place: semi-implicit Euler, friction and damping taken at the end of each step.

    Args:
        position, velocity: (n,), rad, rad/s, changed; a joint stops dead at its ends.
        law: rows position, velocity, effort, stiffness, damping of the command, (5, n).
        motor: rows stall torque, no-load speed, lower and upper end, (4, n), N m, rad/s, rad.
        losses: of torque with speed, see `torque_speed.most_torque`; of the gear forward and backward, see `gear.gear_friction`.
        inertia, friction: of each joint, kg m^2, N m s/rad.
        duration: s, cut into this many steps.
        torque: (n,), N m, written: of the motor behind the ratio of its gear, in the last step.
    """
    h = duration / steps
    for i in range(position.shape[0]):
        for _ in range(steps):
            most = most_torque(motor[0, i], motor[1, i], velocity[i], losses[0])
            drive = law[2, i] + law[3, i] * (law[0, i] - position[i]) + law[4, i] * law[1, i]
            stiff = law[4, i] + h * law[3, i]
            after = (velocity[i] + h * drive / inertia) / (1.0 + h * (stiff + friction) / inertia)
            given = inertia * (after - velocity[i]) / h + friction * after
            torque[i] = min(max(given, -most), most)
            if torque[i] != given:
                after = (velocity[i] + h * torque[i] / inertia) / (1.0 + h * friction / inertia)
            if after != 0.0:
                stopped = h * gear_friction(torque[i], after, losses[1], losses[2]) / inertia / (1.0 + h * friction / inertia)
                after = np.sign(after) * max(0.0, abs(after) - stopped)
            position[i] += h * after
            velocity[i] = after
            if not motor[2, i] <= position[i] <= motor[3, i]:
                position[i] = min(max(position[i], motor[2, i]), motor[3, i])
                velocity[i] = 0.0

# SPDX-License-Identifier: Apache-2.0
"""The part of the joint torques that the ground takes: measured torque less what moves and carries the legs themselves.

In a quick swing the rotor behind its gear asks for more torque than a foot that bears load; without this, a foot in the air would
count as one on the ground. Measured torque, dynamics and velocity go through the same low-pass, so that the acceleration is never
differentiated [Haddadin 2017, section IV].
"""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.model import RobotModel

Array = NDArray[np.float64]

STILL = 0.1
"""rad/s below which dry friction is let grow with the speed, since its direction is not known."""


class GroundTorque:
    """Filters joint torques. It starts anew by itself whenever a value was not a number."""

    def __init__(self, model: RobotModel, time_constant: float) -> None:
        """Args:
        model: the believed robot, with rotors and friction.
        time_constant: of the low-pass, s.
        """
        self._model, self._time_constant = model, time_constant
        self._servos = model.description.servos
        self.reset()

    def reset(self) -> None:
        """Forget what came before."""
        self._velocity: Array | None = None
        self._torque = np.zeros(12)

    def update(
        self,
        step: float,
        base_quaternion: Array,
        base_angular_velocity: Array,
        joint_position: Array,
        joint_velocity: Array,
        joint_effort: Array,
    ) -> Array:
        """Joint torques that hold against the forces of the ground, (12,), N m; NaN where the effort is not measured.

        Args:
            step: since the last sample, s.
            base_quaternion: odom_from_base, x y z w, (4,).
            base_angular_velocity: in odom axes, (3,), rad/s.
            joint_position, joint_velocity, joint_effort: (12,), rad, rad/s, N m.
        """
        mass, bias = self._model.joint_dynamics(base_quaternion, base_angular_velocity, joint_position, joint_velocity)
        friction = self._servos.viscous_friction * joint_velocity + self._servos.friction * np.tanh(joint_velocity / STILL)
        torque: Array = joint_effort - bias - friction
        if self._velocity is None:
            self._velocity, self._torque = joint_velocity.copy(), torque.copy()
        else:
            share = step / (self._time_constant + step)
            self._velocity += share * (joint_velocity - self._velocity)
            self._torque = np.where(np.isfinite(self._torque), self._torque + share * (torque - self._torque), torque)
        acceleration = (joint_velocity - self._velocity) / self._time_constant
        result: Array = self._torque - mass @ acceleration
        return result

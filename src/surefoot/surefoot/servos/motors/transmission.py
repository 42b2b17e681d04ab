# SPDX-License-Identifier: Apache-2.0
"""Between motor and joint: gear, direction, zero, and play."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.compilation import compiled

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Transmission:
    """Joints and their motors: motor angle = sign gear (joint angle - offset). All arrays are (n,).

    Attributes:
        sign: +1 or -1.
        offset: joint angle at which the motor reads zero, rad.
        gear: turns of the motor for one of the joint; also below one.
    """

    sign: Array
    offset: Array
    gear: Array

    def motor_position(self, joint_position: ArrayLike) -> Array:
        """rad to rad."""
        angle: Array = self.sign * self.gear * (np.asarray(joint_position) - self.offset)
        return angle

    def joint_position(self, motor_position: ArrayLike) -> Array:
        """rad to rad."""
        return np.asarray(motor_position) * self.sign / self.gear + self.offset

    def motor_velocity(self, joint_velocity: ArrayLike) -> Array:
        """rad/s to rad/s."""
        velocity: Array = self.sign * self.gear * np.asarray(joint_velocity)
        return velocity

    def joint_velocity(self, motor_velocity: ArrayLike) -> Array:
        """rad/s to rad/s."""
        return np.asarray(motor_velocity) * self.sign / self.gear

    def motor_torque(self, joint_torque: ArrayLike) -> Array:
        """N m to N m; an ideal gear loses nothing."""
        return np.asarray(joint_torque) * self.sign / self.gear

    def joint_torque(self, motor_torque: ArrayLike) -> Array:
        """N m to N m."""
        torque: Array = self.sign * self.gear * np.asarray(motor_torque)
        return torque


@compiled
def drag_along(motor: Array, play: Array, joint: Array) -> None:
    """Move joints that nothing else moves inside of the play of their gears, in place: (n,) each, rad. A joint lags half of it."""
    for i in range(joint.shape[0]):
        half = 0.5 * play[i]
        joint[i] = min(max(joint[i], motor[i] - half), motor[i] + half)


@compiled
def torque_through_play(torque: float, stiffness: float, play: float) -> float:
    """What arrives of a position servo's torque behind a gear with play, N m.

    Args:
        torque: that the servo would make without play, N m.
        stiffness: of the servo, N m/rad.
        play: whole width, rad: half of it is travelled before anything arrives.
    """
    return target_through_play(torque, 0.0, stiffness, play)


@compiled
def target_through_play(target: float, held: float, stiffness: float, play: float) -> float:
    """What a servo without play would have to be asked for to give what arrives behind a gear with play, N m.

    Args:
        target: that it is asked for: its torque is this less what it is held by.
        held: stiffness times position and damping times velocity of the joint, N m.
        stiffness, play: see `torque_through_play`.
    """
    most = 0.5 * play * stiffness
    return target - min(most, max(-most, target - held))

# SPDX-License-Identifier: Apache-2.0
"""The motors of a robot all together: the torque that they have, what of it passes their gears, and how warm that makes them."""

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.servos.motors.gear import gear_friction
from surefoot.servos.motors.heat import Heat, HeatEstimate, limited_by_current
from surefoot.servos.motors.settings import MotorSettings
from surefoot.servos.motors.torque_speed import most_torque
from surefoot.servos.motors.transmission import target_through_play

Array = NDArray[np.float64]


@compiled
def most_torques(stall_torque: Array, no_load_speed: Array, speed: Array, loss: float) -> Array:
    """`torque_speed.most_torque` of each motor, (n,), N m."""
    most = np.empty_like(stall_torque)
    for i in range(most.shape[0]):
        most[i] = most_torque(stall_torque[i], no_load_speed[i], speed[i], loss)
    return most


@compiled
def targets_through_play(target: Array, held: Array, stiffness: Array, play: float) -> Array:
    """`transmission.target_through_play` of each servo, (n,), N m."""
    passed = np.empty_like(target)
    for i in range(passed.shape[0]):
        passed[i] = target_through_play(target[i], held[i], stiffness[i], play)
    return passed


@compiled
def gear_frictions(torque: Array, speed: Array, forward: float, backward: float) -> Array:
    """`gear.gear_friction` of each gear, (n,), N m."""
    friction = np.empty_like(torque)
    for i in range(friction.shape[0]):
        friction[i] = gear_friction(torque[i], speed[i], forward, backward)
    return friction


class Motors:
    """Motors of the joints of a robot. All arrays are (n,).

    Args:
        settings: of every motor alike.
        effort_limit, velocity_limit: of the joints, N m, rad/s.

    Attributes:
        settings: see there.
        stall_torque: N m, inside of what the current allows.
        no_load_speed: rad/s.
    """

    def __init__(self, settings: MotorSettings, effort_limit: Array, velocity_limit: Array) -> None:
        self.settings = settings
        self.stall_torque, self.no_load_speed = np.array(effort_limit, dtype=np.float64), np.array(velocity_limit, dtype=np.float64)
        if settings.current_limit is not None:
            one = np.ones_like(self.stall_torque)
            self.stall_torque = limited_by_current(self.stall_torque, settings.joint_torque_per_ampere * one, settings.current_limit * one)
        heat = Heat(settings.joint_torque_per_ampere, settings.resistance, settings.thermal_resistance, settings.thermal_time_constant)
        self._heat = HeatEstimate(heat, len(self.stall_torque))

    @property
    def temperature(self) -> Array:
        """Of the windings, degrees Celsius."""
        return self._heat.temperature

    def most(self, speed: Array) -> Array:
        """Most torque that they have at their speeds (rad/s), N m."""
        return most_torques(self.stall_torque, self.no_load_speed, speed, self.settings.torque_speed_loss)

    def passed(self, target: Array, held: Array, stiffness: Array) -> Array:
        """What is left of the targets (N m) of servos of a stiffness (N m/rad) behind gears with play, see `target_through_play`, N m."""
        return targets_through_play(target, held, stiffness, self.settings.backlash)

    def friction(self, torque: Array, speed: Array) -> Array:
        """What their gears take of torques (N m, behind the ratio) against the motion at speeds of the joints (rad/s), N m."""
        return gear_frictions(torque, speed, *self.settings.gear.losses)

    def warm(self, torque: Array, duration: float) -> None:
        """Take that they gave these torques (N m, behind the ratio and before what the gears take) for some time (s)."""
        self._heat.advance(torque, duration)

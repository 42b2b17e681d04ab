# SPDX-License-Identifier: Apache-2.0
"""The reference controller: proportional, integral and derivative feedback of each joint [Zapolsky 2017, section 7.6.3].

It knows neither masses nor contacts, so it needs neither to be right, and it predicts neither.
"""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.desired import Attitude, leg_inverses
from surefoot.inverse_dynamics.joint_targets import joint_targets
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]

FORGETTING = 2.5
"""Ticks without a call after which the integrals are those of another situation."""


@dataclass(frozen=True)
class JointPidGains:
    """Gains by joint, (12,) each.

    Attributes:
        stiffness: N m/rad.
        integral: N m/(rad s).
        damping: N m s/rad.
        integral_limit: bound on the torque of the integral, N m.

    Raises:
        ConfigurationError: a gain is not 12 finite numbers of at least 0.
    """

    stiffness: Array
    integral: Array
    damping: Array
    integral_limit: Array

    def __post_init__(self) -> None:
        for item in fields(self):
            value = np.asarray(getattr(self, item.name))
            if value.shape != (12,) or not (np.isfinite(value).all() and (value >= 0.0).all()):
                raise ConfigurationError(f"joint PID gain '{item.name}' is {value!r}; give 12 finite numbers of at least 0")

    @classmethod
    def of(cls, model: RobotModel) -> Self:
        """The posture gains of the robot's servos, less what the servos themselves add to each command of balance control.

        A steady error is taken back within about a second by at most a third of the torque limit.
        """
        servos = model.description.servos
        stiffness = max(servos.posture_stiffness - servos.stiffness, 0.0)
        damping = max(servos.posture_damping - servos.damping, 0.0)
        return cls(
            np.full(12, stiffness), np.full(12, servos.posture_stiffness), np.full(12, damping), np.asarray(model.effort_limit) / 3.0
        )


class JointPid:
    """A `Controller` out of one PID a joint, on the joint angles that the plan asks for.

    An integral stands still while its joint is saturated in its direction, stays inside its limit, and is forgotten after a pause.
    Forces and accelerations of the answer are zero: this law predicts none.
    """

    def __init__(self, model: RobotModel, gains: ControlDescription, joint_gains: JointPidGains | None = None) -> None:
        """Make the controller.

        Args:
            model: the robot.
            gains: not read; every controller is made with them.
            joint_gains: `JointPidGains.of(model)` if none are given.
        """
        self._model = model
        self._gains = joint_gains or JointPidGains.of(model)
        self._integral, self._last_time = np.zeros(12), np.nan

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        attitude, inverses = Attitude.of(plan, state), leg_inverses(terms)
        position, _ = joint_targets(self._model, attitude, inverses, plan, state, terms, np.zeros(12), dt)
        velocity = planned_joint_velocity(self._model, attitude, inverses, plan)
        if not 0.0 < state["time"] - self._last_time < FORGETTING * dt:
            self._integral = np.zeros(12)
        self._last_time = float(state["time"])
        gains, limit = self._gains, self._model.effort_limit
        error = position - state["joint_position"].ravel()
        torque = gains.stiffness * error + gains.damping * (velocity - state["joint_velocity"].ravel())
        step = gains.integral * error * dt
        total = torque + self._integral + step
        winding_up = (np.abs(total) > limit) & (total * step > 0.0)
        self._integral = np.clip(self._integral + np.where(winding_up, 0.0, step), -gains.integral_limit, gains.integral_limit)
        torque = torque + self._integral
        if not np.isfinite(torque).all():
            self._last_time = np.nan
            return ControlResult.failed()
        return ControlResult(
            position, velocity, np.clip(torque, -limit, limit), np.zeros((4, 3)), np.zeros(6), np.zeros(12), SOLVED,
            int(np.count_nonzero(np.abs(torque) > limit)),
        )  # fmt: skip


def planned_joint_velocity(model: RobotModel, attitude: Attitude, inverses: Array, plan: np.void) -> Array:
    """Joint velocities that move the planned feet under the planned base, (12,), rad/s, inside the limits of the joints.

    Args:
        inverses: of the leg Jacobians at the measured angles, see `desired.leg_inverses`.
    """
    lever = plan["foot_position"] - plan["base_position"]
    in_odom = plan["foot_velocity"] - plan["base_velocity"] - np.cross(plan["base_rate"], lever)
    # What the planned base sees, turned into the axes of odom by the measured attitude.
    seen = in_odom @ attitude.planned @ attitude.measured.T
    velocity = (inverses @ seen[:, :, np.newaxis]).reshape(12)
    limited: Array = np.clip(velocity, -model.velocity_limit, model.velocity_limit)
    return limited

# SPDX-License-Identifier: Apache-2.0
"""The frame of every controller that prescribes joint accelerations and asks a contact law for the forces and torques of them."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.inverse_dynamics.balance import balanced_base_acceleration
from surefoot.inverse_dynamics.contact_problem import ContactProblem, contact_problem
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.desired import Attitude, leg_accelerations, leg_inverses, wanted_base_acceleration
from surefoot.inverse_dynamics.joint_range import keep_swing_in_range
from surefoot.inverse_dynamics.joint_targets import joint_targets
from surefoot.inverse_dynamics.law import FAILED
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


class InverseDynamics(NamedTuple):
    """What a contact law answers for prescribed joint accelerations.

    Attributes:
        force: of the loaded feet, (3 n,), N, odom axes.
        torque: of the joints, (12,), N m, not clamped.
        base_acceleration: that goes with them, (6,).
        status: SOLVED, RELAXED or FAILED.
        repaired: the joint accelerations are not consistent with rigid contact, and the answer is for the nearest that are.
    """

    force: Array
    torque: Array
    base_acceleration: Array
    status: int
    repaired: bool = False


ContactLaw = Callable[[RobotModel, ControlDescription, RigidBodyTerms, ContactProblem, Array, float], InverseDynamics]
"""(model, gains, terms, contacts, joint_acceleration, dt): forces and torques that give the joints their accelerations."""


class PrescribedMotion:
    """A `Controller` out of a contact law.

    The errors of the base become a wanted base acceleration, `balance` finds the nearest one that the loaded feet can produce, each
    leg gets the joint acceleration that goes with it, and the contact law gives forces and torques for those.
    """

    def __init__(self, model: RobotModel, gains: ControlDescription, contact_law: ContactLaw) -> None:
        self._model = model
        self._gains = gains
        self._contact_law = contact_law
        self._lower, self._upper = model.position_lower.reshape(4, 3), model.position_upper.reshape(4, 3)

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        contacts = contact_problem(terms, plan, self._gains.foot_force_limit)
        attitude, inverses = Attitude.of(plan, state), leg_inverses(terms)
        constant, by_base = leg_accelerations(self._gains, plan, terms, inverses)
        keep_swing_in_range(
            plan["load"], state["joint_position"], state["joint_velocity"], self._lower, self._upper, constant.reshape(4, 3), by_base
        )
        wanted = wanted_base_acceleration(self._gains, attitude, plan, state)
        balanced, status = balanced_base_acceleration(terms, contacts, wanted, constant, by_base)
        if status == FAILED:
            return ControlResult.failed()
        joint_acceleration = constant + by_base.dot(balanced)
        answer = self._contact_law(self._model, self._gains, terms, contacts, joint_acceleration, dt)
        if answer.status == FAILED or not math.isfinite(sum(answer.torque.tolist())):
            return ControlResult.failed()
        limit = self._model.effort_limit
        foot_force = np.zeros((4, 3))
        foot_force[contacts.legs] = answer.force.reshape(-1, 3)
        position, velocity = joint_targets(self._model, attitude, inverses, plan, state, terms, joint_acceleration, dt)
        return ControlResult(
            position,
            velocity,
            answer.torque.clip(-limit, limit),
            foot_force,
            answer.base_acceleration,
            joint_acceleration,
            max(status, answer.status),
            int(np.count_nonzero(abs(answer.torque) > limit * (1.0 + 1e-9))),
            answer.repaired,
        )

# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with the contact forces that the feet measure: the references ID(t_{i-1}) and ID(t_{i-2}) on the robot."""

import numpy as np
from numpy.typing import NDArray

from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.joint_pid import FORGETTING
from surefoot.inverse_dynamics.prescribed_motion import InverseDynamics, PrescribedMotion
from surefoot.inverse_dynamics.robot_law import robot_problem
from surefoot.inverse_dynamics.sensed_contact import SensedContact
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


class SensedContactController:
    """A `Controller` that takes measured forces of the loaded feet, some ticks late, for those of this tick.

    It fails where a loaded foot measures no force, and until it has been asked as often as the forces are late; after a pause it begins
    again.
    """

    def __init__(self, model: RobotModel, gains: ControlDescription, delay: int) -> None:
        """Make the controller.

        Args:
            model: the believed robot.
            gains: of the motion.
            delay: ticks, as often as it is asked, by which forces are late: 1 takes those of the state, which are of the tick before.

        Raises:
            ConfigurationError: see `SensedContact`.
        """
        self._sensed, self._last_time = SensedContact(delay), np.nan
        self._motion = PrescribedMotion(model, gains, self._law)

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        if not 0.0 < state["time"] - self._last_time < FORGETTING * dt:
            self._sensed.reset()
        self._last_time = float(state["time"])
        self._sensed.sense(state["foot_force"])
        return self._motion.control(terms, plan, state, dt)

    def _law(
        self, model: RobotModel, gains: ControlDescription, terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array,
        dt: float,
    ) -> InverseDynamics:  # fmt: skip
        answer = self._sensed(robot_problem(model, gains, terms, contacts, joint_acceleration, dt), points=contacts.legs)
        return InverseDynamics(answer.force, answer.torque, answer.acceleration[:6], answer.status)

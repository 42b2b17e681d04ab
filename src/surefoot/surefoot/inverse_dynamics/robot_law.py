# SPDX-License-Identifier: Apache-2.0
"""Laws of general multi-bodies on the robot."""

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.multibody import MultibodyContactProblem, MultibodyContactSolution
from surefoot.inverse_dynamics.contact_problem import ContactProblem
from surefoot.inverse_dynamics.law import FAILED
from surefoot.inverse_dynamics.multibody_law import MultibodyLaw
from surefoot.inverse_dynamics.prescribed_motion import InverseDynamics
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


def robot_problem(
    model: RobotModel, gains: ControlDescription, terms: RigidBodyTerms, contacts: ContactProblem, joint_acceleration: Array, dt: float
) -> MultibodyContactProblem:
    """The robot on its loaded feet as a multi-body with 12 actuated coordinates.

    The joints are moved so that feet brake with the contact velocity gain. A law that brought them to rest within one tick would ask for
    more than that of the base, so contact velocities are looked at over the inverse of the gain. What is planned of a foot that lands says
    how much of its gap it may still close, so that no gaps are left. Bounds on loads are not part of it.
    """
    step = max(dt, 1.0 / gains.contact_velocity_gain) if gains.contact_velocity_gain > 0.0 else dt
    # Terms carry the velocities of the feet, not of the robot, and these are all that the contacts need.
    rate = contacts.bias_acceleration + contacts.velocity / step - contacts.acceleration
    return MultibodyContactProblem(
        mass_matrix=terms.mass_matrix,
        bias=terms.bias,
        velocity=np.zeros(18),
        actuated=np.arange(6, 18),
        acceleration=joint_acceleration,
        effort_limit=model.effort_limit,
        jacobian=contacts.jacobian,
        jacobian_rate=rate,
        normals=contacts.normals,
        friction=contacts.friction,
        gaps=np.zeros(len(contacts.legs)),
        step=step,
    )


class RobotLaw:
    """A `ContactLaw` out of a `MultibodyLaw`; it remembers the last answer, for one robot, as long as the same feet bear load."""

    def __init__(self, law: MultibodyLaw) -> None:
        self._law = law
        self._legs: NDArray[np.int64] = np.empty(0, np.int64)
        self._previous: MultibodyContactSolution | None = None

    def __call__(
        self,
        model: RobotModel,
        gains: ControlDescription,
        terms: RigidBodyTerms,
        contacts: ContactProblem,
        joint_acceleration: Array,
        dt: float,
    ) -> InverseDynamics:
        """See `prescribed_motion.ContactLaw`."""
        previous = self._previous if np.array_equal(contacts.legs, self._legs) else None
        answer = self._law(robot_problem(model, gains, terms, contacts, joint_acceleration, dt), previous)
        self._legs, self._previous = contacts.legs, None if answer.status == FAILED else answer
        return InverseDynamics(answer.force, answer.torque, answer.acceleration[:6], answer.status, answer.repaired)

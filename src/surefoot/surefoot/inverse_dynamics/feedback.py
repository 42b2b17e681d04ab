# SPDX-License-Identifier: Apache-2.0
"""Feedback that can be switched on for any controller, as torques on top of its own [Zapolsky 2017, section 7.6.3 and Figure 54a]."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.quadratic_program import solve_quadratic_program
from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.desired import Attitude, leg_inverses, wanted_base_acceleration, wanted_foot_accelerations
from surefoot.inverse_dynamics.whole_body_tasks import centre_of_mass_offset
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


class Feedback(Protocol):
    """Torques from what is wrong; a feedback never raises on finite numbers."""

    def torque(self, terms: RigidBodyTerms, plan: np.void, state: np.void) -> Array:
        """Joint torques to add, (12,), N m."""
        ...


FEEDBACK_NAMES = ("operational_space", "stabiliser")


def make_feedback(name: str, model: RobotModel, gains: ControlDescription | None = None) -> Feedback:
    """A feedback by name.

    Args:
        name: one of FEEDBACK_NAMES.
        model: the robot.
        gains: those of the robot's description if none are given.

    Raises:
        UnknownNameError: nothing answers to the name.
    """
    own = gains or model.description.control
    if name == "operational_space":
        return OperationalSpaceFeedback(own)
    if name == "stabiliser":
        return PendulumStabiliser(own, own.foot_force_limit)
    raise UnknownNameError("feedback", name, FEEDBACK_NAMES)


JOINED_BY = "+"
"""Between the name of a controller and those of its feedback."""


def split_feedback(name: str) -> tuple[str, tuple[str, ...]]:
    """The controller and the feedback of a name such as joint_pid+stabiliser.

    Raises:
        UnknownNameError: a feedback is unknown.
        ConfigurationError: one is named twice, and would count twice.
    """
    controller, *feedback = name.split(JOINED_BY)
    for one in feedback:
        if one not in FEEDBACK_NAMES:
            raise UnknownNameError("feedback", one, FEEDBACK_NAMES)
    if len(set(feedback)) < len(feedback):
        raise ConfigurationError(f"controller '{name}' names a feedback twice; name each once")
    return controller, tuple(feedback)


def with_feedback(
    controller: Controller, feedback: Sequence[str], model: RobotModel, gains: ControlDescription | None = None
) -> Controller:
    """A controller with feedback by name on top of it, see `make_feedback`; the same one where there is none."""
    if not feedback:
        return controller
    return WithFeedback(model, controller, [make_feedback(name, model, gains) for name in feedback])


class WithFeedback:
    """A `Controller` that adds feedback to another one's torques and keeps the sum inside their limits.

    Forces and accelerations of the answer stay those of the other controller: they do not know of the feedback.
    """

    def __init__(self, model: RobotModel, controller: Controller, feedback: Sequence[Feedback]) -> None:
        self._model, self._controller, self._feedback = model, controller, tuple(feedback)

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        result = self._controller.control(terms, plan, state, dt)
        if not (result.usable and self._feedback):
            return result
        torque = result.effort + np.sum([module.torque(terms, plan, state) for module in self._feedback], axis=0)
        if not np.isfinite(torque).all():
            return ControlResult.failed()
        limit = self._model.effort_limit
        clamped = int(np.count_nonzero(np.abs(torque) > limit))
        return replace(result, effort=np.clip(torque, -limit, limit), saturated=max(clamped, result.saturated))


@dataclass(frozen=True)
class OperationalSpaceFeedback:
    """Proportional and derivative feedback of feet and base in odom.

    A foot without load is accelerated towards its path, through the masses of its leg. The loaded feet push the base towards its
    reference, each by the share of its load: the foot moves as the base should, with the opposite sign [Zapolsky 2017, section 8.4].

    Attributes:
        gains: of the robot.
        base_share: of the base's gains, 0 to 1; 0 leaves the base alone.
    """

    gains: ControlDescription
    base_share: float = 1.0

    def torque(self, terms: RigidBodyTerms, plan: np.void, state: np.void) -> Array:
        """See `Feedback`."""
        free = plan["load"] <= 0.0
        # The path's own acceleration is no feedback.
        wanted = wanted_foot_accelerations(self.gains, plan, terms) - plan["foot_acceleration"]
        joints = (leg_inverses(terms) @ np.where(free[:, np.newaxis], wanted, 0.0)[:, :, np.newaxis]).reshape(12)
        torque: Array = terms.mass_matrix[6:, 6:] @ joints
        total = plan["load"].sum()
        if total > 0.0 and self.base_share > 0.0:
            wanted_base = wanted_base_acceleration(self.gains, Attitude.of(plan, state), plan, state)[:3]
            force = self.base_share * terms.mass_matrix[0, 0] * np.outer(plan["load"] / total, wanted_base)
            torque = torque - np.einsum("lik,li->k", terms.foot_jacobians, force)[6:]
        return torque


@dataclass(frozen=True)
class PendulumStabiliser:
    """The robot as an inverted pendulum on its loaded feet, held upright by pushes along the contact normals.

    Errors of height, roll and pitch, and of the horizontal position, which tips the pendulum, ask for a heave force and two moments about
    the centre of mass; those feet that push towards them do. A push is a virtual compressive force: no foot is asked to pull.

    Attributes:
        gains: of the robot; those of the base are used.
        foot_force_limit: bound on the push of a foot at load 1, N.
        share: of the gains, 0 to 1.
        tipping_share: of the horizontal gains, 0 to 1.
    """

    gains: ControlDescription
    foot_force_limit: float
    share: float = 1.0
    tipping_share: float = 0.3

    def torque(self, terms: RigidBodyTerms, plan: np.void, state: np.void) -> Array:
        """See `Feedback`."""
        force = self.pushes(terms, plan, state)[:, np.newaxis] * plan["normal"]
        torque: Array = -np.einsum("lik,li->k", terms.foot_jacobians, force)[6:]
        return torque

    def pushes(self, terms: RigidBodyTerms, plan: np.void, state: np.void) -> Array:
        """Force of the ground along the normal that each foot is to add, (4,), N, at least 0; 0 without load."""
        pushes, legs = np.zeros(4), np.flatnonzero(plan["load"] > 0.0)
        if not len(legs):
            return pushes
        mass, centre = terms.mass_matrix, state["base_position"] + centre_of_mass_offset(terms)
        lever, normals = terms.foot_positions[legs] - centre, plan["normal"][legs]
        wanted = self.share * wanted_base_acceleration(self.gains, Attitude.of(plan, state), plan, state)
        height = -float(lever[:, 2].mean())
        tipping = self.tipping_share * mass[0, 0] * height * np.array((-wanted[1], wanted[0]))
        wrench = np.concatenate(((mass[0, 0] * wanted[2],), np.diag(mass)[3:5] * wanted[3:5] + tipping))
        by_push = np.vstack((normals[:, 2], np.cross(lever, normals)[:, :2].T))
        # A moment counts as the force that makes it at the foot furthest out.
        per_metre = 1.0 / max(float(np.abs(lever[:, :2]).max()), 1e-6)
        scale = np.array((1.0, per_metre, per_metre))
        rows = scale[:, np.newaxis] * by_push
        count = len(legs)
        hessian = rows.T @ rows + 1e-6 * np.eye(count)
        bounds = np.concatenate((np.zeros(count), -self.foot_force_limit * plan["load"][legs]))
        result = solve_quadratic_program(hessian, -rows.T @ (scale * wrench), np.vstack((np.eye(count), -np.eye(count))), bounds)
        if result.solved:
            pushes[legs] = np.maximum(result.solution, 0.0)
        return pushes

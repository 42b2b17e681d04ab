# SPDX-License-Identifier: Apache-2.0
"""Whole-body control by one quadratic program over accelerations, torques, contact forces and foot slack [Chatzinikolaidis 2021, 4.2.2]."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.contact.wrench_cone import Sole
from surefoot.inverse_dynamics.controller import ControlResult
from surefoot.inverse_dynamics.desired import Attitude, leg_inverses
from surefoot.inverse_dynamics.joint_targets import joint_targets
from surefoot.inverse_dynamics.law import SOLVED
from surefoot.inverse_dynamics.planar_feet import planar_feet
from surefoot.inverse_dynamics.whole_body_contacts import LoadedFeet, loaded_feet
from surefoot.inverse_dynamics.whole_body_program import Previous, WholeBodyWeights, solve_whole_body
from surefoot.inverse_dynamics.whole_body_tasks import BasePose, JointPosture, SwingFeet, Task, Tick
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]


class WholeBodyController:
    """A `Controller` that weighs a list of tasks against each other, inside torque limits and friction pyramids.

    It remembers torques and forces of the tick before for its rate terms, and forgets them when a tick was left out.

    Attributes:
        tasks: served in each tick; another package's tasks are added here.
        contact_slack: largest acceleration of a loaded foot beyond the wanted one in the last tick, m/s^2: above some 1e-3 the planned
            contacts contradict each other or the torque limits.
    """

    def __init__(
        self,
        model: RobotModel,
        gains: ControlDescription,
        tasks: Sequence[Task] | None = None,
        weights: WholeBodyWeights | None = None,
        sole: Sole | None = None,
    ) -> None:
        """Make the controller.

        Args:
            model: the believed robot.
            gains: of the robot.
            tasks: base pose, swing feet and a faint posture of the stand if none are given.
            weights: beside those of the tasks.
            sole: of feet that stay flat on the ground, see `planar_feet`; feet are points without it.
        """
        self.tasks = list(tasks) if tasks is not None else default_tasks(model, gains)
        self.contact_slack = 0.0
        self._model, self._gains, self._weights = model, gains, weights or WholeBodyWeights()
        self._sole = sole
        # Of each foot the force and, where it has a sole, the moment.
        self._last_time, self._torque, self._wrench = np.nan, np.zeros(12), np.zeros((4, 3 if sole is None else 6))

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        feet = self._feet(terms, plan, state)
        tick = Tick(terms, plan, state, Attitude.of(plan, state))
        since = state["time"] - self._last_time
        previous = Previous(self._torque, self._wrench[feet.legs].ravel()) if 0.0 < since < 1.5 * dt else None
        rows = [task.rows(tick) for task in self.tasks]
        motion = solve_whole_body(terms, feet, rows, self._weights, self._model.effort_limit, previous)
        if motion is None:
            self._last_time = np.nan
            return ControlResult.failed()
        wrench = np.zeros_like(self._wrench)
        wrench[feet.legs] = motion.force.reshape(-1, wrench.shape[1])
        self._last_time, self._torque, self._wrench = float(state["time"]), motion.torque, wrench
        self.contact_slack = max(abs(motion.slack).tolist(), default=0.0)
        joints = motion.acceleration[6:]
        position, velocity = joint_targets(self._model, tick.attitude, leg_inverses(terms), plan, state, terms, joints, dt)
        return ControlResult(position, velocity, motion.torque, wrench[:, :3].copy(), motion.acceleration[:6], joints, SOLVED)

    def _feet(self, terms: RigidBodyTerms, plan: np.void, state: np.void) -> LoadedFeet:
        if self._sole is None:
            return loaded_feet(terms, plan, self._gains)
        joints = state["joint_position"].ravel(), state["base_rate"], state["joint_velocity"].ravel()
        rotation = self._model.foot_rotation_terms(state["base_quaternion"], *joints)
        return planar_feet(terms, rotation, plan, self._gains, self._sole)


def default_tasks(model: RobotModel, gains: ControlDescription) -> list[Task]:
    """What a walking robot is asked for."""
    return [BasePose(gains), SwingFeet(gains), JointPosture(model.stand_joint_position)]

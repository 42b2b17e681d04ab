# SPDX-License-Identifier: Apache-2.0
"""The policy's inverse dynamics in its readable form, from records to a command: it can drive the robot like the compiled form."""

import math

import numpy as np

from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.inputs import usable_inputs
from surefoot.inverse_dynamics.selector import DEFAULT, make_controller
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RobotModel


class ReferenceController:
    """A controller by name on the rigid-body terms of pinocchio."""

    def __init__(self, model: RobotModel, gains: ControlDescription | None = None, controller: str | Controller = DEFAULT) -> None:
        """Make the controller.

        Args:
            model: the believed robot.
            gains: those of the robot's description if none are given.
            controller: one of `selector.controller_names()`, or a controller that was made before.

        Raises:
            UnknownNameError, ConfigurationError: see `selector.make_controller`.
        """
        self._model = model
        self._controller = make_controller(controller, model, gains) if isinstance(controller, str) else controller

    def tick(self, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """Compute the command of one tick. It never raises on numbers: bad ones give a FAILED answer.

        Args:
            plan: a PLAN record of `gait.records`.
            state: a STATE record of `gait.records`.
            dt: control period, s.
        """
        if not (usable_inputs(plan, state) and math.isfinite(dt) and dt > 0.0):
            return ControlResult.failed()
        terms = self._model.rigid_body_terms(
            state["base_position"],
            state["base_quaternion"],
            state["joint_position"].ravel(),
            state["base_velocity"],
            state["base_rate"],
            state["joint_velocity"].ravel(),
        )
        return self._controller.control(terms, plan, state, dt)

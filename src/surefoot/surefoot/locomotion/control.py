# SPDX-License-Identifier: Apache-2.0
"""The controller that drives the robot, by name: the compiled law, or any of the readable ones, swapped while the robot walks."""

import math
from collections.abc import Callable

import numpy as np

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.guarded import Fault, GuardedController
from surefoot.inverse_dynamics.hot_swap import HotSwapController
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import DEFAULT, controller_names, make_controller
from surefoot.locomotion.policy import Controlling, state_record
from surefoot.robot.model import RigidBodyTerms, RobotModel
from surefoot.robot.state import RobotState

COMPILED = "compiled"
"""Name of the compiled law, which is what runs in the traces."""

REHEARSED = frozenset({COMPILED, DEFAULT})
"""Controllers that a trace speaks for: the compiled law and its readable form."""


class CompiledController:
    """The compiled law as a `Controller`; it computes its own rigid-body terms and does not look at those it is given."""

    def __init__(self, model: RobotModel) -> None:
        self._controlling = Controlling(model)

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `inverse_dynamics.controller.Controller`."""
        return result_of(self._controlling.tick_record(np.array([plan]), np.array([state]), dt)[0])


class SelectedControl:
    """Drives by one controller and swaps to another.

    As long as it is the compiled law nothing else is computed. Any other runs behind a guard, and a swap goes from the torques of the one
    to those of the other in bounded steps.

    Attributes:
        name: of the controller in force.
    """

    def __init__(
        self,
        model: RobotModel,
        name: str = COMPILED,
        hardware: bool = True,
        report: Callable[[Fault, str], None] = lambda fault, text: None,
        time_limit: float = math.inf,
        every: int = 1,
    ) -> None:
        """Begin with one controller.

        Args:
            model: the believed robot.
            name: one of `names()`.
            hardware: whether the torques go to motors; some controllers are refused then.
            report: called at the begin of every row of faults of a readable controller.
            time_limit: wall time after which the answer of a readable controller is no answer any more, s.
            every: a readable controller is asked at every n-th tick only; the compiled law is fast enough for each.

        Raises:
            UnknownNameError, ConfigurationError: see `inverse_dynamics.selector.make_controller`; every is less than 1.
        """
        if every < 1:
            raise ConfigurationError(f"a controller cannot run at every {every}-th tick; give 1 or more")
        self.name = name
        self._model, self._hardware, self._report = model, hardware, report
        self._time_limit, self._every = time_limit, every
        self._compiled = Controlling(model)
        self._period = 1.0 / model.description.control.rate
        self._swapping: HotSwapController | None = None
        self._guarded: ReferenceController | None = None
        self._next: str | None = None
        if name != COMPILED:
            self._leave_compiled(name)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Every controller that can be asked for."""
        return (COMPILED, *controller_names())

    def warm_up(self) -> None:
        """Compile, or read from the cache, everything that a tick calls."""
        self._compiled.warm_up(self._model)

    def swap(self, name: str) -> None:
        """Put another controller in force.

        Raises:
            UnknownNameError, ConfigurationError: it cannot be had; the one in force stays.
        """
        if self._swapping is None:
            if name == self.name:
                return
            self._made(name)
            # The torques that the swap begins from are those of one more tick of the compiled law.
            self._leave_compiled(COMPILED)
            self._next = name
        else:
            self._swapping.swap(name, self._every_of(name))
            self._next = None
        self.name = name

    def tick(self, plan: np.ndarray, state: RobotState) -> ControlResult:
        """The command for a PLAN record in an array of one; it is not usable where there is no answer."""
        if self._swapping is None or self._guarded is None:
            return result_of(self._compiled.tick(plan, state)[0])
        result = self._guarded.tick(plan[0], state_record(state)[0], self._period)
        if self._next is not None:
            self._swapping.swap(self._next, self._every_of(self._next))
            self._next = None
        elif self.name == COMPILED and not self._swapping.blending:
            self._swapping = self._guarded = None
        return result

    def _leave_compiled(self, name: str) -> None:
        self._swapping = HotSwapController(self._model, name, self._made, every=self._every_of(name))
        guard = GuardedController(self._model, self._swapping, report=self._report, time_limit=self._time_limit)
        self._guarded = ReferenceController(self._model, controller=guard)

    def _every_of(self, name: str) -> int:
        return 1 if name == COMPILED else self._every

    def _made(self, name: str) -> Controller:
        if name == COMPILED:
            return CompiledController(self._model)
        if name not in self.names():
            raise UnknownNameError("controller", name, self.names())
        return make_controller(name, self._model, hardware=self._hardware)


def result_of(control: np.void) -> ControlResult:
    """A CONTROL record as a result of its own; one that failed holds NaN, whatever the record holds."""
    status = int(control["status"])
    result = ControlResult(
        control["position"].reshape(12).copy(),
        control["velocity"].reshape(12).copy(),
        control["effort"].reshape(12).copy(),
        control["force"].copy(),
        control["base_acceleration"].copy(),
        control["joint_acceleration"].reshape(12).copy(),
        status,
        int(control["saturated"]),
    )
    return result if result.usable else ControlResult.failed()

# SPDX-License-Identifier: Apache-2.0
"""The controller that drives the robot, by name: the compiled law, or any of the readable ones, swapped while the robot walks."""

import math
from collections.abc import Callable

import numpy as np

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.every_nth import EveryNth
from surefoot.inverse_dynamics.feedback import split_feedback, with_feedback
from surefoot.inverse_dynamics.guarded import HOLD_TICKS, Fault, GuardedController
from surefoot.inverse_dynamics.hot_swap import HotSwapController
from surefoot.inverse_dynamics.joint_pid import FORGETTING
from surefoot.inverse_dynamics.reference import ReferenceController
from surefoot.inverse_dynamics.selector import controller_names, make_controller
from surefoot.inverse_dynamics.time_limited import TimeLimited
from surefoot.locomotion.laws import COMPILED, COMPILED_LAWS
from surefoot.locomotion.policy import Controlling, standing_plan, state_record
from surefoot.robot.model import RigidBodyTerms, RobotModel
from surefoot.robot.state import RobotState


class CompiledController:
    """A compiled law as a `Controller`; it computes its own rigid-body terms and does not look at those it is given."""

    def __init__(self, model: RobotModel, law: str = COMPILED) -> None:
        self._controlling = Controlling(model, law)

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `inverse_dynamics.controller.Controller`."""
        return result_of(self._controlling.tick_record(np.array([plan]), np.array([state]), dt)[0])


class SelectedControl:
    """Drives by one controller and swaps to another.

    As long as it is the compiled two-stage law nothing else is computed. Any other runs behind a guard, and a swap goes from the torques of
    the one to those of the other in bounded steps.

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
            name: one of `names()`, or one of them with feedback on top, such as joint_pid+stabiliser.
            hardware: whether the torques go to motors; some controllers are refused then.
            report: called at the begin of every row of faults of a readable controller.
            time_limit: wall time after which the answer of a readable controller is no answer any more, s.
            every: a readable controller is asked at every n-th tick only; the compiled law is fast enough for each.

        Raises:
            UnknownNameError, ConfigurationError: see `inverse_dynamics.selector.make_controller`; every is less than 1.
        """
        if every < 1:
            raise ConfigurationError(f"controller_every is {every}: a controller cannot run at every {every}-th tick; give 1 or more")
        self.name = name
        self._model, self._hardware, self._report = model, hardware, report
        self._time_limit, self._every = time_limit, every
        self._compiled = Controlling(model)
        self._period, self._last_time = 1.0 / model.description.control.rate, math.nan
        self._swapping: HotSwapController | None = None
        self._guarded: ReferenceController | None = None
        self._controller, self._next = self._made(name), False
        self._waited = 0
        if name != COMPILED:
            self._leave_compiled(name, self._controller)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Every controller that can be asked for."""
        return (*COMPILED_LAWS, *controller_names())

    def warm_up(self, others: bool = False) -> None:
        """Compile, or read from the cache, what a tick calls.

        Args:
            others: do so for every controller that may be put in force later, and not only for the one that is.
        """
        self._compiled.warm_up(self._model)
        plan, state = standing_plan(), state_record(self._model.neutral())
        for name in self.names() if others else (self.name,):
            if name == COMPILED:
                continue
            try:
                guard = GuardedController(self._model, self._made(name))
            except ConfigurationError:
                continue
            ReferenceController(self._model, controller=guard).tick(plan[0], state[0], self._period)

    def swap(self, name: str) -> None:
        """Put another controller in force.

        Raises:
            UnknownNameError, ConfigurationError: it cannot be had; the one in force stays.
        """
        if name == self.name:
            return
        self._controller = self._made(name)
        self.name = name
        if self._swapping is None:
            # The torques that the swap begins from are those of one more tick of the compiled law.
            self._leave_compiled(COMPILED, self._made(COMPILED))
            self._next, self._waited = True, 0
        elif not self._next:
            self._swapping.put(self._paced(self._controller), name)

    def tick(self, plan: np.ndarray, state: RobotState) -> ControlResult:
        """The command for a PLAN record in an array of one; it is not usable where there is no answer."""
        if self._swapping is not None and state.time - self._last_time > FORGETTING * self._period:
            self._begin_again()
        self._last_time = state.time
        if self._swapping is None or self._guarded is None:
            return result_of(self._compiled.tick(plan, state)[0])
        result = self._guarded.tick(plan[0], state_record(state)[0], self._period)
        if self._next:
            self._waited += 1
            # Without an answer to begin from for so long, the servos are damping: there are no torques to jump from.
            if result.usable or self._waited > HOLD_TICKS:
                self._swapping.put(self._paced(self._controller), self.name)
                self._next = False
        elif self.name == COMPILED and not self._swapping.blending:
            self._swapping = self._guarded = None
        return result

    def _begin_again(self) -> None:
        """After a pause: answers that could be repeated or held, and swaps that were on the way, belong to another situation."""
        self._next = False
        if self.name == COMPILED:
            self._swapping = self._guarded = None
        else:
            self._leave_compiled(self.name, self._controller)

    def _leave_compiled(self, name: str, controller: Controller) -> None:
        paced = self._paced(controller)
        self._swapping = HotSwapController(self._model, name, lambda _: paced)
        guard = GuardedController(self._model, self._swapping, report=self._report)
        self._guarded = ReferenceController(self._model, controller=guard)

    def _paced(self, controller: Controller) -> Controller:
        slow = self._every > 1 and not isinstance(controller, CompiledController)
        return EveryNth(controller, self._every) if slow else controller

    def _made(self, name: str) -> Controller:
        own, feedback = split_feedback(name)
        if own not in self.names():
            raise UnknownNameError("controller", own, self.names())
        if own in COMPILED_LAWS:
            return with_feedback(CompiledController(self._model, own), feedback, self._model)
        controller = make_controller(name, self._model, hardware=self._hardware)
        return TimeLimited(controller, self._time_limit) if math.isfinite(self._time_limit) else controller


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

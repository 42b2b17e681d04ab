# SPDX-License-Identifier: Apache-2.0
"""A controller that may fail, behind a guard: never an unchecked answer, and no endless repetition of an old one."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.law import FAILED, HELD, STATUS_TEXT
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]

HOLD_TICKS = 3


class Fault(StrEnum):
    """Kinds of answers that are none."""

    FAILED = "failed"
    NOT_FINITE = "not_finite"
    OUT_OF_LIMITS = "out_of_limits"
    EXCEPTION = "exception"
    TIME_OUT = "time_out"


class GuardedController:
    """A `Controller` that checks the answers of another one.

    Where there is none that may be used, the last one that may is held for a few ticks, with the status HELD. After those the guard
    answers FAILED, which the servos turn into damping, until the other controller has an answer again.

    Attributes:
        faults: how often each kind of fault was met.
        held: how often an earlier answer was given again.
    """

    def __init__(
        self,
        model: RobotModel,
        controller: Controller,
        hold_ticks: int = HOLD_TICKS,
        report: Callable[[Fault, str], None] = lambda fault, text: None,
    ) -> None:
        """Put a controller behind a guard.

        Args:
            model: the robot, for its limits.
            controller: that may fail, raise, or be too late and say so by `TimeoutError`, see `TimeLimited`.
            hold_ticks: for how many ticks in a row an earlier answer may stand in.
            report: called once at the begin of every row of faults, with the kind and what happened.

        Raises:
            ConfigurationError: hold_ticks is negative.
        """
        if hold_ticks < 0:
            raise ConfigurationError(f"hold_ticks is {hold_ticks}; give 0 to hold no answer, or more")
        self.faults: Counter[Fault] = Counter()
        self.held = 0
        self._model, self._controller, self._hold_ticks, self._report = model, controller, hold_ticks, report
        self._last: ControlResult | None = None
        self._in_a_row = 0

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        result: ControlResult | None = None
        try:
            result = self._controller.control(terms, plan, state, dt)
            found = fault_of(result, self._model)
        except TimeoutError as error:
            found = (Fault.TIME_OUT, str(error) or "the controller was too late")
        except Exception as error:  # The one place where whatever a third party's controller raises has to end.
            found = (Fault.EXCEPTION, f"{type(error).__name__}: {error}")
        if found is None and result is not None:
            self._last, self._in_a_row = result, 0
            return result
        assert found is not None
        return self._without_answer(*found)

    def _without_answer(self, fault: Fault, text: str) -> ControlResult:
        self.faults[fault] += 1
        self._in_a_row += 1
        if self._in_a_row == 1:
            self._report(fault, text)
        if self._last is None or self._in_a_row > self._hold_ticks:
            self._last = None
            return ControlResult.failed()
        self.held += 1
        return replace(self._last, status=HELD)


def fault_of(result: ControlResult, model: RobotModel) -> tuple[Fault, str] | None:
    """What is wrong with an answer, None if it may be sent to the servos."""
    if result.status == FAILED or result.status not in range(len(STATUS_TEXT)):
        return Fault.FAILED, f"status {result.status}"
    for name, joints in (("position", result.position), ("velocity", result.velocity), ("effort", result.effort)):
        if np.shape(joints) != (12,) or not np.isfinite(joints).all():
            return Fault.NOT_FINITE, f"{name} is not 12 finite numbers"
    over = np.abs(result.effort) > model.effort_limit * (1.0 + 1e-9)
    if over.any():
        joint = int(np.argmax(over))
        return (
            Fault.OUT_OF_LIMITS,
            f"{result.effort[joint]:.1f} N m at '{model.joint_names[joint]}'; {model.effort_limit[joint]:.1f} are allowed",
        )
    return None

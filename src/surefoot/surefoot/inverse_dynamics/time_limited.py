# SPDX-License-Identifier: Apache-2.0
"""A controller whose answers come in time or not at all."""

import time
from collections.abc import Callable

import numpy as np

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.robot.model import RigidBodyTerms


class TimeLimited:
    """A `Controller` that gives up an answer of another one that took too long: it is about a robot that has moved on.

    It raises `TimeoutError` then, which `GuardedController` counts. It belongs around the controller itself: what stands between it and
    the guard, and remembers answers, must not remember one that is not used. Where time is simulated there is no limit, or answers would
    depend on the load of the machine.
    """

    def __init__(self, controller: Controller, limit: float, clock: Callable[[], float] = time.perf_counter) -> None:
        """Limit the time of a controller.

        Args:
            controller: asked at each tick.
            limit: of wall time, s.
            clock: wall time, s.

        Raises:
            ConfigurationError: the limit is not above 0.
        """
        if not limit > 0.0:
            raise ConfigurationError(f"the time limit of a controller is {limit} s; give a time above 0, or none at all")
        self._controller, self._limit, self._clock = controller, limit, clock

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`. Raises TimeoutError."""
        begin = self._clock()
        result = self._controller.control(terms, plan, state, dt)
        taken = self._clock() - begin
        if taken > self._limit:
            raise TimeoutError(f"took {1e3 * taken:.1f} ms, {1e3 * self._limit:.1f} ms are allowed")
        return result

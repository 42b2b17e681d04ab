# SPDX-License-Identifier: Apache-2.0
"""A controller that is too slow for every tick."""

import numpy as np

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.robot.model import RigidBodyTerms


class EveryNth:
    """A `Controller` that asks another one at every n-th tick, with n times the period, and repeats its answer in between.

    An answer that may not be used is not repeated: the other controller is asked again at the next tick.
    """

    def __init__(self, controller: Controller, ticks: int) -> None:
        """Slow a controller down.

        Args:
            controller: asked at the first tick and then at every n-th one.
            ticks: n, 1 or more.

        Raises:
            ConfigurationError: ticks is less than 1.
        """
        if ticks < 1:
            raise ConfigurationError(f"a controller cannot run at every {ticks}-th tick; give 1 or more")
        self._controller, self._ticks = controller, ticks
        self._answer, self._age = ControlResult.failed(), 0

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        self._age += 1
        if not self._answer.usable or self._age >= self._ticks:
            # Before it is asked: an exception must not leave an old answer that looks like a new one.
            self._answer, self._age = ControlResult.failed(), 0
            self._answer = self._controller.control(terms, plan, state, self._ticks * dt)
        return self._answer

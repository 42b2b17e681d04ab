# SPDX-License-Identifier: Apache-2.0
"""Another controller while the robot walks, without a jump of the torques."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.inverse_dynamics.controller import Controller, ControlResult
from surefoot.inverse_dynamics.every_nth import EveryNth
from surefoot.inverse_dynamics.guarded import fault_of
from surefoot.inverse_dynamics.selector import make_controller
from surefoot.robot.model import RigidBodyTerms, RobotModel

Array = NDArray[np.float64]

SHARE_PER_SECOND = 10.0
"""The default bound crosses a torque limit in a tenth of a second."""


@dataclass(frozen=True)
class TorqueStep:
    """Bound on the change of each joint torque in a swap: in one tick, or in a second.

    Raises:
        ConfigurationError: not exactly one of the two is given, or it is not above 0.
    """

    per_tick: float | None = None
    """N m"""
    per_second: float | None = None
    """N m/s"""

    def __post_init__(self) -> None:
        given = [value for value in (self.per_tick, self.per_second) if value is not None]
        if len(given) != 1 or not given[0] > 0.0:
            raise ConfigurationError(f"the torque step of a swap is {self}; give one of per_tick and per_second, above 0")

    def within(self, dt: float) -> float:
        """The bound for one tick of a period, N m."""
        return self.per_tick if self.per_tick is not None else (self.per_second or 0.0) * dt


class HotSwapController:
    """A `Controller` in whose place another one can be put at any tick.

    After a swap each joint goes from the last command to that of the new controller in steps that change the torque of its servo, feed-
    forward and position and velocity gains together, by no more than the bound. From the tick on at which it gets there, the joint is the
    new controller's, with whatever steps that takes by itself.

    Attributes:
        name: of the controller in force.
        on_the_way: joints that were not there yet at the last tick, (12,).
    """

    def __init__(
        self,
        model: RobotModel,
        name: str,
        make: Callable[[str], Controller] | None = None,
        step: TorqueStep | None = None,
        every: int = 1,
    ) -> None:
        """Begin with one controller.

        Args:
            model: the robot.
            name: one that `make` answers to.
            make: a controller by its name; `selector.make_controller` with the gains of the robot's description if none is given. Feedback
                and other gains are put around or into a controller here.
            step: by default a tenth of a second for the whole range of the weakest joint's torque.
            every: the controller is asked at every n-th tick only.

        Raises:
            UnknownNameError, ConfigurationError: what `make` raises.
        """
        self.name, self.on_the_way = name, np.zeros(12, np.bool_)
        self._model = model
        self._make: Callable[[str], Controller] = make or (lambda wanted: make_controller(wanted, model))
        self._step = step or TorqueStep(per_second=SHARE_PER_SECOND * float(model.effort_limit.min()))
        self._controller = self._made(name, every)
        servos = model.description.servos
        self._stiffness, self._damping = servos.stiffness, servos.damping
        self._last: ControlResult | None = None

    def swap(self, name: str, every: int = 1) -> None:
        """Put another controller in force from the next tick on.

        Raises:
            UnknownNameError, ConfigurationError: what `make` raises; the controller in force then stays.
        """
        self.put(self._made(name, every), name)

    def _made(self, name: str, every: int) -> Controller:
        controller = self._make(name)
        return controller if every == 1 else EveryNth(controller, every)

    def put(self, controller: Controller, name: str) -> None:
        """Put a controller in force that was made before, under a name of its own."""
        self._controller, self.name, self.on_the_way = controller, name, np.ones(12, np.bool_)

    @property
    def blending(self) -> bool:
        """Whether some joint is still on its way to the new controller."""
        return bool(self.on_the_way.any())

    def control(self, terms: RigidBodyTerms, plan: np.void, state: np.void, dt: float) -> ControlResult:
        """See `controller.Controller`."""
        result = self._controller.control(terms, plan, state, dt)
        if fault_of(result, self._model) is not None:
            return result
        if self._last is None:
            self.on_the_way = np.zeros(12, np.bool_)
        elif self.blending:
            result = self._towards(self._last, result, self._step.within(dt))
        self._last = result
        return result

    def _towards(self, last: ControlResult, new: ControlResult, bound: float) -> ControlResult:
        """The part of the way from one command to another that the bound allows, joint by joint.

        The way is straight in position, velocity and effort, so what lies between two commands inside their limits is inside too.
        """
        change = np.abs(self._drive(new) - self._drive(last))
        share = np.where(self.on_the_way, np.minimum(1.0, bound / np.maximum(change, 1e-300)), 1.0)
        self.on_the_way = share < 1.0
        return replace(
            new,
            position=last.position + share * (new.position - last.position),
            velocity=last.velocity + share * (new.velocity - last.velocity),
            effort=last.effort + share * (new.effort - last.effort),
        )

    def _drive(self, result: ControlResult) -> Array:
        """Torque of the servos but for what the joints' own motion makes of it, (12,), N m."""
        return result.effort + self._stiffness * result.position + self._damping * result.velocity

# SPDX-License-Identifier: Apache-2.0
"""Controllers by name: those of the library and those that other packages add by an entry point."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.inverse_dynamics.controller import Controller
from surefoot.inverse_dynamics.prescribed_motion import ContactLaw, PrescribedMotion
from surefoot.inverse_dynamics.two_stage_qp import two_stage
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RobotModel

ENTRY_POINT_GROUP = "surefoot.controllers"
"""An entry point of this group names a function (model, gains) -> Controller, see `Factory`."""

DEFAULT = "two_stage_qp"

Factory = Callable[[RobotModel, ControlDescription], Controller]

_CONTACT_LAWS: dict[str, ContactLaw] = {DEFAULT: two_stage}


def _prescribing(law: ContactLaw) -> Factory:
    return lambda model, gains: PrescribedMotion(model, gains, law)


_OWN: dict[str, Factory] = {name: _prescribing(law) for name, law in _CONTACT_LAWS.items()}


def controller_names() -> tuple[str, ...]:
    """Every name that `make_controller` answers to, the library's own first."""
    return (*_OWN, *sorted(name for name in _added() if name not in _OWN))


def make_controller(name: str, model: RobotModel, gains: ControlDescription | None = None) -> Controller:
    """A controller for a robot.

    Args:
        name: one of `controller_names()`; an entry point cannot replace a name of the library.
        model: the believed robot.
        gains: those of the robot's description if none are given.

    Raises:
        UnknownNameError: nothing answers to the name; the message lists what would.
        ConfigurationError: another package's entry point cannot be loaded.
    """
    if name in _OWN:
        factory = _OWN[name]
    else:
        added = _added()
        if name not in added:
            hint = f"Packages add more by the entry point group '{ENTRY_POINT_GROUP}'."
            raise UnknownNameError("controller", name, controller_names(), hint)
        factory = _load(added[name])
    return factory(model, gains or model.description.control)


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def _load(point: EntryPoint) -> Factory:
    try:
        return cast(Factory, point.load())
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"controller '{point.name}' is declared as '{point.value}', which cannot be loaded: {error}") from error

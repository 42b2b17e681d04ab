# SPDX-License-Identifier: Apache-2.0
"""Controllers by name: those of the library and those that other packages add by an entry point."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.inverse_dynamics.controller import Controller
from surefoot.inverse_dynamics.coulomb_lcp import NOT_ON_HARDWARE, coulomb_lcp
from surefoot.inverse_dynamics.feedback import split_feedback, with_feedback
from surefoot.inverse_dynamics.inverse_contact import inverse_contact
from surefoot.inverse_dynamics.joint_pid import JointPid
from surefoot.inverse_dynamics.multibody_two_stage import two_stage_qp_no_slip
from surefoot.inverse_dynamics.no_slip_lcp import no_slip_lcp
from surefoot.inverse_dynamics.orthogonal_decomposition import orthogonal_decomposition
from surefoot.inverse_dynamics.prescribed_motion import ContactLaw, PrescribedMotion
from surefoot.inverse_dynamics.robot_law import RobotLaw
from surefoot.inverse_dynamics.sensed_controller import SensedContactController
from surefoot.inverse_dynamics.two_stage_qp import two_stage
from surefoot.inverse_dynamics.whole_body_qp import WholeBodyController
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RobotModel

ENTRY_POINT_GROUP = "surefoot.controllers"
"""An entry point of this group names a function (model, gains) -> Controller, see `Factory`."""

DEFAULT = "two_stage_qp"

Factory = Callable[[RobotModel, ControlDescription], Controller]

_CONTACT_LAWS: dict[str, Callable[[], ContactLaw]] = {
    DEFAULT: lambda: two_stage,
    "two_stage_qp_no_slip": lambda: RobotLaw(two_stage_qp_no_slip),
    "no_slip_lcp": lambda: RobotLaw(no_slip_lcp),
    "coulomb_lcp": lambda: RobotLaw(coulomb_lcp),
    "orthogonal_decomposition": lambda: RobotLaw(orthogonal_decomposition),
    "inverse_contact": lambda: RobotLaw(inverse_contact),
}

_UNSTEADY = "in simulation it let the robot tip over in a walk on firm ground"
_LATE = "forces that are measured come a tick late: in simulation hyq fell within two seconds"

_NOT_ON_HARDWARE = {"coulomb_lcp": NOT_ON_HARDWARE} | dict.fromkeys(("no_slip_lcp", "orthogonal_decomposition"), _UNSTEADY)
_NOT_ON_HARDWARE |= dict.fromkeys(("sensed_contact", "sensed_contact_2"), _LATE)
"""Why a controller may not drive motors. Who walks one in simulation takes it off this list."""


def _prescribing(make_law: Callable[[], ContactLaw]) -> Factory:
    return lambda model, gains: PrescribedMotion(model, gains, make_law())


_OWN: dict[str, Factory] = {name: _prescribing(make_law) for name, make_law in _CONTACT_LAWS.items()} | {
    "whole_body_qp": WholeBodyController,
    "joint_pid": JointPid,
    "sensed_contact": lambda model, gains: SensedContactController(model, gains, 1),
    "sensed_contact_2": lambda model, gains: SensedContactController(model, gains, 2),
}


def controller_names() -> tuple[str, ...]:
    """Every name that `make_controller` answers to, the library's own first."""
    return (*_OWN, *sorted(name for name in _added() if name not in _OWN))


def reason_against_hardware(name: str) -> str | None:
    """Why a controller may not drive motors, or None if it may."""
    return _NOT_ON_HARDWARE.get(name)


def make_controller(name: str, model: RobotModel, gains: ControlDescription | None = None, hardware: bool = False) -> Controller:
    """A controller for a robot.

    Args:
        name: one of `controller_names()`, or with feedback, such as joint_pid+stabiliser; an entry point cannot replace a name of the
            library.
        model: the believed robot.
        gains: those of the robot's description if none are given.
        hardware: whether its torques go to motors.

    Raises:
        UnknownNameError: nothing answers to the name; the message lists what would.
        ConfigurationError: another package's entry point cannot be loaded, or the controller may not drive motors.
    """
    name, feedback = split_feedback(name)
    return with_feedback(_made(name, model, gains or model.description.control, hardware), feedback, model, gains)


def _made(name: str, model: RobotModel, gains: ControlDescription, hardware: bool) -> Controller:
    if hardware and (reason := reason_against_hardware(name)):
        raise ConfigurationError(f"controller '{name}' may not drive motors: {reason}; take '{DEFAULT}', or run it in simulation")
    if name in _OWN:
        factory = _OWN[name]
    else:
        added = _added()
        if name not in added:
            hint = f"Packages add more by the entry point group '{ENTRY_POINT_GROUP}'."
            raise UnknownNameError("controller", name, controller_names(), hint)
        return _added_controller(added[name], model, gains)
    return factory(model, gains)


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def _added_controller(point: EntryPoint, model: RobotModel, gains: ControlDescription) -> Controller:
    try:
        return cast(Factory, point.load())(model, gains)
    except Exception as error:  # Whatever another package raises, a robot that walks goes on with the controller that it has.
        problem = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"controller '{point.name}' is declared as '{point.value}', which cannot be loaded: {problem}") from error

# SPDX-License-Identifier: Apache-2.0
"""Requirements and objectives by name: those of the library and those that other packages add by an entry point."""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings, check_settings

Array = NDArray[np.float64]

REQUIREMENT_GROUP = "surefoot.requirements"
"""An entry point of this group names a `Plugin` that is made into a function of a `view.TraceView`."""
OBJECTIVE_GROUP = "surefoot.objectives"
"""An entry point of this group names a `Plugin` that is made into a function of an `objectives.FinishedTraces`."""

Condition = Callable[[Any], NDArray[Any]]
"""For n particles, either whether the condition holds, (n,) bool, or its witness: the distance to its limit, (n,), 0 or more where it
holds [Zapolsky 2017, section 5.1].
"""


class Plugin(Protocol):
    """A condition with numbers to choose."""

    parameters: type[Settings]

    def make(self, model: RobotModel, parameters: Any) -> Condition:
        """The condition for a believed robot, with parameters of the class above."""


def witness_of(values: NDArray[Any]) -> Array:
    """The witness of what a condition said: a boolean is as far from its limit as one is from zero."""
    if values.dtype == np.bool_:
        return np.where(values, 1.0, -1.0)
    return np.asarray(values, np.float64)


def holds(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether a condition holds. A witness that is not a number holds nothing."""
    result: NDArray[np.bool_] = values if values.dtype == np.bool_ else values >= 0.0
    return result


def spoken(name: str) -> str:
    """The name of a condition in a sentence."""
    return name.replace("_", " ")


def known_names(group: str, own: Iterable[str]) -> tuple[str, ...]:
    """Every name that there is, the library's own first."""
    first = tuple(own)
    return (*first, *sorted(set(_added(group)) - set(first)))


def added_plugin(group: str, name: str, own: Iterable[str]) -> Plugin:
    """What another package calls by a name.

    Raises:
        UnknownNameError: nothing answers to the name; the message lists what would.
        ConfigurationError: it cannot be loaded, or is no plug-in.
    """
    added = _added(group)
    if name not in added:
        hint = f"Packages add more by the entry point group '{group}'."
        raise UnknownNameError(group.removeprefix("surefoot.").removesuffix("s"), name, known_names(group, own), hint)
    point = added[name]
    try:
        plugin: Plugin = point.load()
    except Exception as error:  # Whatever another package raises is named for what it is.
        problem = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"'{name}' is declared as '{point.value}', which cannot be loaded: {problem}") from error
    kind = getattr(plugin, "parameters", None)
    if not (isinstance(kind, type) and issubclass(kind, Settings) and callable(getattr(plugin, "make", None))):
        needs = "it needs `parameters`, a class of settings, and `make`"
        raise ConfigurationError(f"'{name}', declared as '{point.value}', is no plug-in: {needs}")
    return plugin


def checked_parameters(group: str, own: Mapping[str, type[Settings]], chosen: Mapping[str, Any]) -> dict[str, Settings]:
    """The parameters of every condition that is asked for, by name.

    Args:
        group: of the entry points.
        own: parameter classes of the library's own conditions.
        chosen: plain values by name.

    Raises:
        UnknownNameError: of a name that nothing answers to.
        ConfigurationError: of parameters that are unknown or out of range.
    """
    result = {}
    for name, values in chosen.items():
        kind = own[name] if name in own else added_plugin(group, name, own).parameters
        result[name] = check_settings(kind, values or {}, name)
    return result


def _added(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}

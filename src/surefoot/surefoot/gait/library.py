# SPDX-License-Identifier: Apache-2.0
"""The gaits that a robot knows by name: config/gaits/SET.yaml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.gait.parameters import Gait
from surefoot.gait.relative import MEASURES, in_metres, of_measures
from surefoot.robot.locate import find_gait_set
from surefoot.settings import check_settings, read_yaml

STAND = "stand"
"""The gait in which no foot leaves the ground; every library has it."""


class GaitLibrary:
    """Gaits by name."""

    def __init__(self, gaits: Mapping[str, Gait]) -> None:
        self._gaits = dict(gaits)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in the order of the file."""
        return tuple(self._gaits)

    def __getitem__(self, name: str) -> Gait:
        """Raises UnknownNameError, which lists the names that would be right."""
        if name not in self._gaits:
            raise UnknownNameError("gait", name, self._gaits)
        return self._gaits[name]

    def __contains__(self, name: object) -> bool:
        return name in self._gaits


def read_gaits(path: Path) -> GaitLibrary:
    """Read a set of gaits: `common` holds what all of them share, `gaits` the rest of each.

    Lengths may be in parts of the robot, such as '75 % of leg_length', if `measures` says how long these are, m.
    A set may start from another one, `based_on`, of its folder or else of config/gaits, and change what differs; where that one is
    written for a robot of any size (`relative: true`), `stand_height` says how large the robot is, see `relative.in_metres`.

    Raises:
        ConfigurationError: naming the gait and every key that is unknown, missing or out of range.
    """
    gaits = {name: check_settings(Gait, {**values, "name": name}, f"{path}, gait '{name}'") for name, values in _plain(path).items()}
    if STAND not in gaits or gaits[STAND].moves:
        raise ConfigurationError(f"{path}: needs a gait '{STAND}' with duty factor 1 for every foot, so that the robot can always stop")
    return GaitLibrary(gaits)


def _plain(path: Path) -> dict[str, dict[str, Any]]:
    """The values of each gait of a file in SI units, unchecked."""
    document = _document(path)
    based_on, common, gaits = document.get("based_on"), document.get("common") or {}, document.get("gaits") or {}
    if document.get("relative"):
        raise ConfigurationError(f"{path} is for robots of any size: name it in a file with 'based_on' and a 'stand_height' in m")
    measures = document.get("measures") or {}
    if not isinstance(measures, dict) or not set(measures) <= set(MEASURES) or not all(_is_length(value) for value in measures.values()):
        raise ConfigurationError(f"{path}: measures: needs lengths in m, of {', '.join(MEASURES)}, not {measures!r}")
    ground = {} if based_on is None else _based_on(path, _origin(path, str(based_on)), document.get("stand_height"))
    result = {}
    for name in {**ground, **gaits}:
        try:
            result[name] = of_measures(_over(ground.get(name, {}), {**common, **gaits.get(name, {})}), measures)
        except ValueError as error:
            raise ConfigurationError(f"{path}, gait '{name}': {error}") from error
    return result


def _over(ground: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """A gait with what is its own in the place of what it is based on; touchdowns stand for liftoffs."""
    replaced = {"liftoff", "touchdown"} if {"liftoff", "touchdown"} & set(own) else set()
    return {key: value for key, value in ground.items() if key not in replaced} | dict(own)


def _is_length(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.0 < value < 10.0


def _origin(path: Path, based_on: str) -> Path:
    beside = path.with_name(f"{based_on}.yaml")
    return beside if beside.is_file() else find_gait_set(based_on)


def _based_on(path: Path, origin: Path, stand_height: Any) -> dict[str, dict[str, Any]]:
    """The values of each gait of the set that another one starts from."""
    document = _document(origin)
    if not document.get("relative"):
        return _plain(origin)
    if not _is_length(stand_height):
        raise ConfigurationError(f"{path}: stand_height: must be a number over 0 m, not {stand_height!r}, since {origin.name} is relative")
    common = document.get("common") or {}
    return {name: in_metres({**common, **values}, stand_height) for name, values in document["gaits"].items()}


def _document(path: Path) -> dict[str, Any]:
    """The document of a file, of the right shape."""
    document = read_yaml(path)
    shape = isinstance(document, dict) and set(document) <= {"common", "gaits", "relative", "based_on", "stand_height", "measures"}
    if not shape or not ("gaits" in document or "based_on" in document) or not isinstance(document.get("gaits", {}), dict):
        raise ConfigurationError(
            f"{path}: needs the key 'gaits' (by name) or 'based_on' (another set), if wanted 'common', 'relative', 'stand_height' "
            "and 'measures', and no others"
        )
    result: dict[str, Any] = document
    return result

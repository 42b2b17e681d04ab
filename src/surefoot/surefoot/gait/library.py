# SPDX-License-Identifier: Apache-2.0
"""The gaits that a robot knows by name: config/gaits/SET.yaml."""

from collections.abc import Mapping
from pathlib import Path

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.gait.parameters import Gait
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

    Raises:
        ConfigurationError: naming the gait and every key that is unknown, missing or out of range.
    """
    document = read_yaml(path)
    if not isinstance(document, dict) or set(document) - {"common", "gaits"} or not isinstance(document.get("gaits"), dict):
        raise ConfigurationError(f"{path}: needs the keys 'gaits' (by name) and, if wanted, 'common', and no others")
    common = document.get("common") or {}
    gaits = {}
    for name, values in document["gaits"].items():
        gaits[name] = check_settings(Gait, {**common, **values, "name": name}, f"{path}, gait '{name}'")
    if STAND not in gaits or gaits[STAND].moves:
        raise ConfigurationError(f"{path}: needs a gait '{STAND}' with duty factor 1 for every foot, so that the robot can always stop")
    return GaitLibrary(gaits)

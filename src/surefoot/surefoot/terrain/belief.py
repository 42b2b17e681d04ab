# SPDX-License-Identifier: Apache-2.0
"""What is believed about the ground ahead."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.robot.description import NotNegative, Positive
from surefoot.settings import Settings, check_settings, read_yaml


class TerrainBelief(Settings):
    """A truncated Gaussian over Coulomb's coefficient of flat ground."""

    name: str
    friction_mean: Positive
    friction_standard_deviation: NotNegative
    friction_minimum: Annotated[float, Field(gt=0.0)] = 0.01
    friction_maximum: Positive = 1.5

    @model_validator(mode="after")
    def _inside(self) -> "TerrainBelief":
        if not self.friction_minimum <= self.friction_mean <= self.friction_maximum:
            raise ValueError(f"friction_mean: must lie in {self.friction_minimum} to {self.friction_maximum}, not {self.friction_mean}")
        return self

    @property
    def cautious_friction(self) -> float:
        """What a controller may rely on: one standard deviation below the mean, inside the truncation."""
        return max(self.friction_minimum, self.friction_mean - self.friction_standard_deviation)


class Grounds:
    """The kinds of ground that an operator or a sensor may name."""

    def __init__(self, grounds: dict[str, TerrainBelief]) -> None:
        self._grounds = grounds

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of the file."""
        return tuple(self._grounds)

    @property
    def usual(self) -> TerrainBelief:
        """What is believed when nobody says anything: the first of the file."""
        return next(iter(self._grounds.values()))

    def __getitem__(self, name: str) -> TerrainBelief:
        """Raises UnknownNameError."""
        if name not in self._grounds:
            raise UnknownNameError("ground", name, self._grounds)
        return self._grounds[name]


def read_grounds(path: Path) -> Grounds:
    """Read config/terrain/grounds.yaml, a mapping of names to beliefs. Raises ConfigurationError."""
    document = read_yaml(path)
    if not isinstance(document, dict) or not document or not all(isinstance(values, dict) for values in document.values()):
        raise ConfigurationError(f"{path}: needs one ground or more, each a name with its friction_mean and friction_standard_deviation")
    return Grounds(
        {name: check_settings(TerrainBelief, {**values, "name": name}, f"{path}, ground '{name}'") for name, values in document.items()}
    )

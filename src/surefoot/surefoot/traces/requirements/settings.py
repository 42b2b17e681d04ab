# SPDX-License-Identifier: Apache-2.0
"""Which requirements and objectives hold for a task, and with which numbers: config/requirements."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from surefoot.errors import SurefootError
from surefoot.robot.locate import find_configuration
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings, read_settings
from surefoot.traces.requirements.built_in import BUILT_IN
from surefoot.traces.requirements.feet_beyond import FeetBeyond, make_feet_beyond
from surefoot.traces.requirements.keeps_its_speed import KeepsItsSpeed, make_keeps_its_speed
from surefoot.traces.requirements.plugins import (
    OBJECTIVE_GROUP,
    REQUIREMENT_GROUP,
    Condition,
    added_plugin,
    checked_parameters,
)  # fmt: skip
from surefoot.traces.requirements.upright import Upright, make_upright


@dataclass(frozen=True)
class Objective:
    """An objective of the library: a `plugins.Plugin`."""

    parameters: type[Settings]
    make: Callable[[RobotModel, Any], Condition]


OBJECTIVES: dict[str, Objective] = {
    "keeps_its_speed": Objective(KeepsItsSpeed, make_keeps_its_speed),
    "upright": Objective(Upright, make_upright),
    "feet_beyond": Objective(FeetBeyond, make_feet_beyond),
}

_REQUIREMENTS = {name: requirement.parameters for name, requirement in BUILT_IN.items()}
_OBJECTIVES = {name: objective.parameters for name, objective in OBJECTIVES.items()}


def _standard(names: Iterable[str]) -> dict[str, dict[str, Any] | None]:
    return dict.fromkeys(names)


class RequirementSettings(Settings):
    """What a trace must hold and reach. By default, what is asked of a change of gait."""

    requirements: dict[str, dict[str, Any] | None] = Field(default_factory=lambda: _standard(BUILT_IN))
    """Conditions that hold at every tick, by name, with the parameters that are not the standard ones."""
    objectives: dict[str, dict[str, Any] | None] = Field(default_factory=lambda: _standard(["keeps_its_speed"]))
    """Conditions that hold at the end, likewise."""
    deepest_start: Annotated[float, Field(gt=0.0, le=1.0)] = 0.1
    """How deep in the ground a particle may start, in stand heights; deeper, the model and not the robot is at fault."""

    @model_validator(mode="after")
    def _known_and_in_range(self) -> "RequirementSettings":
        try:
            self.chosen_requirements()
            self.chosen_objectives()
        except SurefootError as error:
            raise ValueError(str(error)) from error
        return self

    def chosen_requirements(self) -> dict[str, Settings]:
        """All parameters of each requirement, by name."""
        return checked_parameters(REQUIREMENT_GROUP, _REQUIREMENTS, self.requirements)

    def chosen_objectives(self) -> dict[str, Settings]:
        """All parameters of each objective, by name."""
        return checked_parameters(OBJECTIVE_GROUP, _OBJECTIVES, self.objectives)

    def added_conditions(self, model: RobotModel) -> dict[str, Condition]:
        """The requirements of other packages, by name."""
        return {
            name: added_plugin(REQUIREMENT_GROUP, name, BUILT_IN).make(model, parameters)
            for name, parameters in self.chosen_requirements().items()
            if name not in BUILT_IN
        }

    def objective_conditions(self, model: RobotModel) -> dict[str, Condition]:
        """The objectives, by name."""
        return {
            name: (OBJECTIVES[name] if name in OBJECTIVES else added_plugin(OBJECTIVE_GROUP, name, OBJECTIVES)).make(model, parameters)
            for name, parameters in self.chosen_objectives().items()
        }


GAIT_TRANSITION = RequirementSettings()
"""What config/requirements/gait_transition.yaml says."""


def find_requirements(name_or_path: str) -> Path:
    """A preset in config/requirements, or a path. Raises UnknownNameError, with the names that would be right."""
    return find_configuration("requirements", "requirements", name_or_path)


def read_requirements(path: Path) -> RequirementSettings:
    """Read what a task asks for.

    Raises:
        ConfigurationError: naming every unknown name and every parameter that is unknown or out of range.
    """
    return read_settings(RequirementSettings, path)

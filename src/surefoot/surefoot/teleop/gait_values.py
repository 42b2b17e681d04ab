# SPDX-License-Identifier: Apache-2.0
"""The parameters of a gait that are tuned by hand: one number each, with a step and a range."""

import math
from dataclasses import dataclass
from typing import Any

from surefoot.errors import UnknownNameError
from surefoot.gait.parameters import Gait
from surefoot.robot.description import LEG_NAMES

STEPS_PER_VALUE = 40
"""A step of a length or a speed is about this part of its value, rounded to 1, 2 or 5 of a decimal place."""


@dataclass(frozen=True)
class GaitParameter:
    """One number of a gait.

    Attributes:
        key: its name; `duty_factor` is that of every foot at once, `liftoff.LF` that of one.
        unit: of its values; empty: a part of the period.
        least: end of its range.
        most: other end of it; a phase goes round instead.
        meaning: for people.
        words: for a gait in which it is more, and less, than in the one it was made from.
        fixed_step: step, where it does not depend on the value.
    """

    key: str
    unit: str
    least: float
    most: float
    meaning: str
    words: tuple[str, str]
    fixed_step: float | None = None

    def value(self, gait: Gait) -> float:
        """Its value in a gait; of duty factors the smallest."""
        name, _, leg = self.key.partition(".")
        found = getattr(gait, name)
        if isinstance(found, dict):
            return float(found[leg]) if leg else float(min(found.values()))
        return float(found)

    def step(self, gait: Gait) -> float:
        """Its step at a gait."""
        if self.fixed_step is not None:
            return self.fixed_step
        wanted = max(self.value(gait), 1e-3) / STEPS_PER_VALUE
        decade = 10.0 ** math.floor(math.log10(wanted))
        return next(part * decade for part in (5.0, 2.0, 1.0) if part * decade <= wanted * (1.0 + 1e-9))

    def stepped(self, gait: Gait, steps: int) -> float:
        """The value some steps on, inside its range; a phase goes round."""
        value = round(self.value(gait) + steps * self.step(gait), 9)
        if self.key.startswith("liftoff"):
            return round(value % 1.0, 9) % 1.0
        return min(self.most, max(self.least, value))

    def changed(self, gait: Gait, value: float) -> dict[str, Any]:
        """The values of a gait with this one changed, unchecked. Duty factors move together and keep their differences."""
        values = gait.model_dump()
        name, _, leg = self.key.partition(".")
        if leg:
            values[name] = {**values[name], leg: value}
        elif isinstance(values[name], dict):
            by = value - self.value(gait)
            values[name] = {foot: round(old + by, 9) for foot, old in values[name].items()}
        else:
            values[name] = value
        return values

    def show(self, gait: Gait) -> str:
        """Its value with its unit."""
        return f"{self.value(gait):.4g} {self.unit}".rstrip()

    def range(self) -> str:
        """Its range with its unit."""
        return f"{self.least:g} to {self.most:g} {self.unit}".rstrip()


PARAMETERS: tuple[GaitParameter, ...] = (
    GaitParameter("period", "s", 0.1, 5.0, "time of one cycle", ("slow", "quick")),
    GaitParameter("duty_factor", "", 0.05, 1.0, "part of the cycle that each foot is on the ground", ("steady", "light"), 0.01),
    GaitParameter("step_height", "m", 0.0, 1.0, "how high a foot is lifted", ("high", "low")),
    GaitParameter("stance_length", "m", 0.01, 3.0, "between front and hind feet", ("long", "short")),
    GaitParameter("stance_width", "m", 0.01, 3.0, "between left and right feet", ("wide", "narrow")),
    GaitParameter("max_forward_speed", "m/s", 0.0, 5.0, "largest speed forward", ("fast", "calm")),
    GaitParameter("max_strafe_speed", "m/s", 0.0, 5.0, "largest speed sideways", ("sidling", "straight")),
    GaitParameter("max_turn_rate", "rad/s", 0.0, 5.0, "largest rate of turning", ("agile", "stiff")),
    *(
        GaitParameter(f"liftoff.{leg}", "", 0.0, 1.0, f"when in the cycle {leg} leaves the ground", ("shifted", "shifted"), 0.01)
        for leg in LEG_NAMES
    ),
    GaitParameter("base_height", "m", 0.01, 3.0, "of the body over the ground", ("tall", "crouched")),
    GaitParameter("base_roll", "rad", -0.5, 0.5, "left side of the body up", ("rolled", "rolled"), 0.02),
    GaitParameter("base_pitch", "rad", -0.5, 0.5, "nose of the body down", ("pitched", "pitched"), 0.02),
    GaitParameter("base_yaw", "rad", -math.pi, math.pi, "body turned to the left of where it goes", ("yawed", "yawed"), 0.05),
)
"""What the tuning page shows, in its order."""


def find_parameter(key: str) -> GaitParameter:
    """A parameter by its name. Raises UnknownNameError."""
    for parameter in PARAMETERS:
        if parameter.key == key:
            return parameter
    raise UnknownNameError("parameter of a gait", key, (parameter.key for parameter in PARAMETERS))

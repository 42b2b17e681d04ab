# SPDX-License-Identifier: Apache-2.0
"""A gait: the parameters of Table 17 [Zapolsky 2017, section 9.2], typed and range-checked."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from surefoot.robot.description import LEG_NAMES, NotNegative, Positive
from surefoot.settings import Settings

Phase = Annotated[float, Field(ge=0.0, lt=1.0)]
Duty = Annotated[float, Field(gt=0.0, le=1.0)]
Share = Annotated[float, Field(ge=0.0, le=0.45)]


def _shares(name: str, phases: object) -> Mapping[str, float]:
    """Parts of the period by leg; raises ValueError for anything else."""
    if isinstance(phases, Mapping) and set(phases) == set(LEG_NAMES):
        shares = [phase for phase in phases.values() if isinstance(phase, int | float) and not isinstance(phase, bool)]
        if len(shares) == len(LEG_NAMES) and all(0.0 <= share <= 1.0 for share in shares):
            return phases
    raise ValueError(f"{name}: needs a part of the period for each of {', '.join(LEG_NAMES)}")


class Gait(Settings):
    """How the feet take turns, and how the base is carried meanwhile. Per-leg values go by leg name."""

    name: str = Field(min_length=1)
    period: Annotated[float, Field(ge=0.1, le=5.0)]
    """Duration of the cycle, s."""
    liftoff: dict[str, Phase]
    """Part of the period at which each foot is planned to leave the ground. `touchdown` in its place says when each lands."""
    duty_factor: dict[str, Duty]
    """Part of the period that each foot is planned to stay on the ground; 1 for a foot that never leaves it."""
    step_height: NotNegative
    """Height of both via points of the swing, m."""
    base_height: Positive
    """Base origin above the ground, m."""
    base_roll: Annotated[float, Field(ge=-0.5, le=0.5)] = 0.0
    base_pitch: Annotated[float, Field(ge=-0.5, le=0.5)] = 0.0
    base_yaw: Annotated[float, Field(ge=-math.pi, le=math.pi)] = 0.0
    """From the direction that commands call forward to that in which the base looks, rad, counter-clockwise; the feet follow the base."""
    stance_length: Positive
    """Between front and hind feet at rest, m."""
    stance_width: Positive
    """Between left and right feet at rest, m."""
    stance_offset: tuple[float, float] = (0.0, 0.0)
    """Centre of the feet at rest from the base origin, forward and left of where the base looks, m."""
    max_forward_speed: NotNegative
    max_strafe_speed: NotNegative
    max_turn_rate: NotNegative
    overshoot: Share = 0.05
    """How far the second via point lies beyond the touchdown, in parts of the step; not stated by the source."""
    velocity_feedback: Annotated[float, Field(ge=0.0, le=0.5)] = 0.0
    """Displacement of the touchdown per unit of velocity error, s; 0 is the printed foothold.

    Half of the stance time puts the foot at the neutral point of the velocity as it is (Raibert), sqrt(base_height / g) at the capture
    point of an inverted pendulum.
    """

    @model_validator(mode="before")
    @classmethod
    def _liftoff_of_touchdown(cls, values: Any) -> Any:
        """A gait may be given by its touchdowns: liftoff = (touchdown + duty factor) mod 1 [Zapolsky 2017, section 9.2.3]."""
        if not isinstance(values, Mapping) or "touchdown" not in values:
            return values
        rest = {key: value for key, value in values.items() if key != "touchdown"}
        touchdown, duty = _shares("touchdown", values["touchdown"]), _shares("duty_factor", values.get("duty_factor"))
        liftoff = {leg: round((touchdown[leg] + duty[leg]) % 1.0, 12) % 1.0 for leg in LEG_NAMES}
        given = values.get("liftoff", liftoff)
        for leg, phase in liftoff.items():
            if not isinstance(given, Mapping) or not abs((given.get(leg, math.nan) - phase + 0.5) % 1.0 - 0.5) <= 1e-9:
                raise ValueError(f"liftoff.{leg}: must be (touchdown + duty factor) mod 1 = {phase:.4g}; give one of the two only")
        return rest | {"liftoff": liftoff}

    @model_validator(mode="after")
    def _every_leg(self) -> "Gait":
        for key in ("liftoff", "duty_factor"):
            given = set(getattr(self, key))
            if given != set(LEG_NAMES):
                raise ValueError(f"{key}: needs exactly {', '.join(LEG_NAMES)}, not {', '.join(sorted(given)) or 'nothing'}")
        return self

    @property
    def moves(self) -> bool:
        """Whether any foot ever leaves the ground."""
        return any(duty < 1.0 for duty in self.duty_factor.values())

    @property
    def touchdown(self) -> dict[str, float]:
        """Part of the period at which each foot is planned to land: (liftoff + 1 - duty factor) mod 1."""
        return {leg: (self.liftoff[leg] + 1.0 - self.duty_factor[leg]) % 1.0 for leg in LEG_NAMES}


GAIT = np.dtype(
    [
        ("period", "f8"),
        ("liftoff", "f8", (4,)),
        ("duty_factor", "f8", (4,)),
        ("step_height", "f8"),
        ("base_height", "f8"),
        ("base_roll", "f8"),
        ("base_pitch", "f8"),
        ("base_yaw", "f8"),
        ("neutral_foot", "f8", (4, 2)),  # feet at rest from the base origin, forward and left of where the base looks, m
        ("max_speed", "f8", (3,)),  # forward m/s, left m/s, turning rad/s
        ("overshoot", "f8"),
        ("velocity_feedback", "f8"),
        ("moves", "i8"),
    ],
    align=True,
)
"""A gait as compiled functions read it."""


def gait_record(gait: Gait) -> np.ndarray:
    """The gait as an array of one GAIT record, legs in the order of LEG_NAMES."""
    record = np.zeros(1, GAIT)
    record["period"] = gait.period
    record["liftoff"] = [gait.liftoff[leg] for leg in LEG_NAMES]
    record["duty_factor"] = [gait.duty_factor[leg] for leg in LEG_NAMES]
    for key in ("step_height", "base_height", "base_roll", "base_pitch", "base_yaw", "overshoot", "velocity_feedback"):
        record[key] = getattr(gait, key)
    half_length, half_width = 0.5 * gait.stance_length, 0.5 * gait.stance_width
    signs = {"LF": (1, 1), "RF": (1, -1), "LH": (-1, 1), "RH": (-1, -1)}
    record["neutral_foot"] = [
        (gait.stance_offset[0] + signs[leg][0] * half_length, gait.stance_offset[1] + signs[leg][1] * half_width) for leg in LEG_NAMES
    ]
    record["max_speed"] = (gait.max_forward_speed, gait.max_strafe_speed, gait.max_turn_rate)
    record["moves"] = gait.moves
    return record

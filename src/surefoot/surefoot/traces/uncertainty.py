# SPDX-License-Identifier: Apache-2.0
"""How much the robot may differ from what is believed of it: one YAML file, typed and range-checked."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from surefoot.robot.description import NotNegative, Positive
from surefoot.settings import Settings, read_settings

Relative = Annotated[float, Field(ge=0.0, le=0.3)]

_FACTORS = {
    "persistent": ("base_mass", "link_mass", "link_length", "servo_stiffness", "servo_damping", "effort"),
    "transient": ("effort",),
}
"""What multiplies a mass, a length, a gain or a torque, none of which may vanish or change its sign."""


class PersistentUncertainty(Settings):
    """Standard deviations of what is drawn once per particle [Zapolsky 2017, section 4.1.1]."""

    base_mass: Relative
    """Relative."""
    link_mass: Relative
    """Relative, of each of the 12 links."""
    base_centre_of_mass: NotNegative
    """In parts of the stand height, per axis."""
    link_length: Relative
    """Relative, of each thigh and shin."""
    joint_damping: NotNegative
    """In parts of the servo's damping; extra viscous friction of each joint, never negative."""
    servo_stiffness: Relative
    servo_damping: Relative
    effort: Relative
    """Relative, of the feed-forward torque that each servo really gives."""
    command_delay: NotNegative
    """s"""


class TransientUncertainty(Settings):
    """Standard deviations of what is drawn anew at each control tick, on top of what the sensors' description says."""

    base_orientation: NotNegative
    """rad, about each axis"""
    base_velocity: NotNegative
    """m/s, per axis"""
    base_rate: NotNegative
    """rad/s, per axis"""
    effort: Relative
    """Relative, of each torque."""


class Uncertainty(Settings):
    """The whole cloud: persistent, transient, and how far out a draw may lie."""

    truncation: Positive
    """Standard deviations beyond which nothing is drawn."""
    persistent: PersistentUncertainty
    transient: TransientUncertainty
    initial_state: NotNegative = 1.0
    """Multiplies the standard deviations of the estimate; 0 starts every particle at the estimate."""
    ground: NotNegative = 1.0
    """Multiplies the standard deviation of the believed friction; 0 gives every particle the mean."""
    joint_sensors: NotNegative = 1.0
    """Multiplies the white noise of the joint sensors' description, tick by tick."""

    @model_validator(mode="after")
    def _possible(self) -> "Uncertainty":
        for group, names in _FACTORS.items():
            for name in names:
                deviation = getattr(getattr(self, group), name)
                if deviation * self.truncation >= 1.0:
                    raise ValueError(
                        f"{group}.{name}: {deviation:g} with a truncation of {self.truncation:g} draws factors of 0 or less, which no "
                        f"robot has; keep it under {1.0 / self.truncation:.2g}"
                    )
        return self

    def scaled(self, factor: float) -> "Uncertainty":
        """The same cloud with every standard deviation multiplied; 0 makes every particle the believed robot."""
        return Uncertainty(
            truncation=self.truncation,
            persistent=PersistentUncertainty(**{key: value * factor for key, value in self.persistent}),
            transient=TransientUncertainty(**{key: value * factor for key, value in self.transient}),
            initial_state=self.initial_state * factor,
            ground=self.ground * factor,
            joint_sensors=self.joint_sensors * factor,
        )


NO_UNCERTAINTY = Uncertainty(
    truncation=1.0,
    persistent=PersistentUncertainty(**dict.fromkeys(PersistentUncertainty.model_fields, 0.0)),
    transient=TransientUncertainty(**dict.fromkeys(TransientUncertainty.model_fields, 0.0)),
    initial_state=0.0,
    ground=0.0,
    joint_sensors=0.0,
)
"""Every particle is the believed robot."""


def read_uncertainty(path: Path) -> Uncertainty:
    """Read config/uncertainty/NAME.yaml. Raises ConfigurationError."""
    return read_settings(Uncertainty, path)

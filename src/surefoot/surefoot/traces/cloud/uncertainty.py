# SPDX-License-Identifier: Apache-2.0
"""How much the robot may differ from what is believed of it: one YAML file, typed and range-checked."""

from pathlib import Path
from typing import Literal

from pydantic import model_validator

from surefoot.robot.description import NotNegative, Positive
from surefoot.servos.motors.settings import MotorSettings
from surefoot.settings import Settings, read_settings
from surefoot.traces.cloud.catalogue import PERSISTENT, TRANSIENT, Law, Parameter
from surefoot.traces.cloud.ranges import BELIEVED_CONTACT, Choice, Spread


class PersistentUncertainty(Settings):
    """What is drawn once per particle [Zapolsky 2017, section 4.1.1]; see `catalogue.PERSISTENT` for what each is and acts on."""

    base_mass: Spread
    link_mass: Spread
    foot_mass: Spread
    link_length: Spread
    link_radius: Spread
    foot_radius: Spread
    joint_axis: Spread
    base_centre_of_mass: Spread
    payload_mass: Spread
    payload_place: Spread
    restitution: Spread
    contact_model: Choice
    foot_friction: Spread
    compliance: Spread
    ground_height: Spread
    slope: Spread
    joint_damping: Spread
    servo_stiffness: Spread
    servo_damping: Spread
    effort: Spread
    effort_limit: Spread
    torque_speed: Spread
    backlash: Spread
    command_delay: Spread
    push_velocity: Spread
    push_time: Spread


class TransientUncertainty(Settings):
    """What is drawn anew at each control tick, on top of what the sensors' description says; see `catalogue.TRANSIENT`."""

    base_position: Spread
    base_orientation: Spread
    base_velocity: Spread
    base_rate: Spread
    effort: Spread
    command_delay: Spread


class Uncertainty(Settings):
    """The whole cloud: persistent, transient, and how far out a draw may lie."""

    truncation: Positive
    """Standard deviations beyond which nothing is drawn, unless a parameter says otherwise."""
    sampling: Literal["pseudorandom", "sobol"] = "pseudorandom"
    """Of the persistent parameters: independent, or evenly spread by a scrambled Sobol sequence."""
    persistent: PersistentUncertainty
    transient: TransientUncertainty
    motors: MotorSettings = MotorSettings()
    """Of the believed robot: what is drawn of play and of torque at speed comes on top."""
    initial_state: NotNegative = 1.0
    """Multiplies the standard deviations of the estimate; 0 starts every particle at the estimate."""
    ground: NotNegative = 1.0
    """Multiplies the standard deviation of the believed friction; 0 gives every particle the mean."""
    joint_sensors: NotNegative = 1.0
    """Multiplies the white noise of the joint sensors' description, tick by tick."""
    foot_sensors: NotNegative = 1.0
    """The same of the force sensors of the feet, where the robot has them."""

    @model_validator(mode="after")
    def _possible(self) -> "Uncertainty":
        for name, group, table in (("persistent", self.persistent, PERSISTENT), ("transient", self.transient, TRANSIENT)):
            for parameter in table:
                spread = getattr(group, parameter.name, None)
                if isinstance(spread, Spread):
                    _check(f"{name}.{parameter.name}", spread, parameter, self.truncation)
        return self

    def scaled(self, factor: float) -> "Uncertainty":
        """The same cloud, as many times as wide; 0 makes every particle the believed robot. Raises ValueError if it is too wide."""
        return Uncertainty(
            truncation=self.truncation,
            sampling=self.sampling,
            motors=self.motors,
            persistent=PersistentUncertainty(**{key: value.scaled(factor) for key, value in self.persistent}),
            transient=TransientUncertainty(**{key: value.scaled(factor) for key, value in self.transient}),
            initial_state=self.initial_state * factor,
            ground=self.ground * factor,
            joint_sensors=self.joint_sensors * factor,
            foot_sensors=self.foot_sensors * factor,
        )


def _check(key: str, spread: Spread, parameter: Parameter, truncation: float) -> None:
    """Refuse what draws robots that there cannot be. Raises ValueError."""
    reach, factor = spread.reach(truncation), parameter.law is Law.FACTOR
    if reach < parameter.largest or (not factor and reach == parameter.largest):
        return
    stretch = 1.0 if spread.distribution == "uniform" else spread.truncation or truncation
    width = f"{spread.width:g}" + ("" if spread.distribution == "uniform" else f" with a truncation of {stretch:g}")
    limit = f"keep it {'under' if factor else 'at most'} {parameter.largest / stretch:.2g}"
    if factor:
        raise ValueError(f"{key}: {width} draws factors of 0 or less, which no robot has; {limit}")
    unit = f" {parameter.unit}" if parameter.unit not in ("", "of it") else ""
    raise ValueError(f"{key}: {width} draws up to {reach:g}{unit}, and at most {parameter.largest:g} is allowed; {limit}{unit}")


_NONE = Spread(sigma=0.0, origin="as believed")

NO_UNCERTAINTY = Uncertainty(
    truncation=1.0,
    persistent=PersistentUncertainty(
        **dict.fromkeys(set(PersistentUncertainty.model_fields) - {"contact_model"}, _NONE),
        contact_model=Choice(choices=(BELIEVED_CONTACT,), origin="as believed"),
    ),
    transient=TransientUncertainty(**dict.fromkeys(TransientUncertainty.model_fields, _NONE)),
    initial_state=0.0,
    ground=0.0,
    joint_sensors=0.0,
    foot_sensors=0.0,
)
"""Every particle is the believed robot."""


def read_uncertainty(path: Path) -> Uncertainty:
    """Read config/uncertainty/NAME.yaml. Raises ConfigurationError."""
    return read_settings(Uncertainty, path)

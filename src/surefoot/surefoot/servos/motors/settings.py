# SPDX-License-Identifier: Apache-2.0
"""Settings of the motors of a robot, alike at every joint; what is not set is ideal."""

from typing import Annotated

from pydantic import Field, model_validator

from surefoot.settings import Settings

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]
Share = Annotated[float, Field(gt=0.0, le=1.0)]


class GearSettings(Settings):
    """The gear between a motor and its joint. One that locks itself, so that no load turns it back, is not among them."""

    ratio: Positive = 1.0
    """Turns of the motor for one of the joint."""
    efficiency: Share = 1.0
    """Share of the motor's power that arrives at the joint which it drives."""
    efficiency_backward: Share | None = None
    """Share of the joint's power that arrives at a motor which brakes it; none: 1 / (2 - efficiency), the same friction both ways."""
    rotor_inertia: NotNegative | None = None
    """Of what turns with the motor, kg m^2: the joint feels ratio^2 times as much. None: `servos.armature` of the robot."""

    @property
    def losses(self) -> tuple[float, float]:
        """Shares of the torque that are lost while the motor drives, and while it is driven, see `gear.gear_friction`."""
        forward = 1.0 - self.efficiency
        return forward, forward if self.efficiency_backward is None else 1.0 / self.efficiency_backward - 1.0

    @property
    def reflected_inertia(self) -> float | None:
        """What the joint feels of the rotor, kg m^2; None: what the robot's description says."""
        return None if self.rotor_inertia is None else self.ratio**2 * self.rotor_inertia


class MotorSettings(Settings):
    """Motors with their gears. Stall torque and no-load speed are the robot's own limits of effort and velocity, at the joint; what is said
    of current and heat is of the motor itself, in front of its gear."""

    torque_speed_loss: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    """Share of the torque that is gone at the velocity limit; 1: the diamond."""
    backlash: NotNegative = 0.0
    """Play of the gear between motor and joint, rad."""
    gear: GearSettings = GearSettings()
    """Between motor and joint."""
    torque_per_ampere: Positive = 1.8
    """Of the motor, N m/A; at the joint it is worth the ratio of the gear times as much."""
    current_limit: Positive | None = None
    """A; none: the effort limit alone."""
    resistance: Positive = 3.0
    """ohm"""
    thermal_resistance: Positive = 4.0
    """K/W"""
    thermal_time_constant: Positive = 300.0
    """s"""

    @model_validator(mode="after")
    def _of_one_side(self) -> "MotorSettings":
        if self.gear.ratio != 1.0 and "torque_per_ampere" not in self.model_fields_set:
            raise ValueError(f"torque_per_ampere: beside a gear of {self.gear.ratio:g} that of the motor itself is needed; see data sheet")
        return self

    @property
    def joint_torque_per_ampere(self) -> float:
        """What a current is worth behind the ratio of the gear, N m/A."""
        return self.gear.ratio * self.torque_per_ampere

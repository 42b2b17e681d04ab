# SPDX-License-Identifier: Apache-2.0
"""Settings of the operator's side, as written in config/teleop.yaml."""

from typing import Literal, Self

from pydantic import model_validator

from surefoot.robot.description import Positive, RobotDescription
from surefoot.settings import Settings


class DrivingSettings(Settings):
    """From sticks to a velocity of the base."""

    mode: Literal["holonomic", "car"] = "holonomic"
    """In car mode there is no sideways velocity."""
    full_stick: Literal["configured", "gait"] = "configured"
    """What the end of a stick means: the speeds below, or those of the running gait. Neither is ever exceeded."""
    max_forward_speed: Positive = 0.5
    """m/s"""
    max_strafe_speed: Positive = 0.3
    """m/s"""
    max_turn_rate: Positive = 0.6
    """rad/s"""


class OperatorSettings(Settings):
    """What the operator's door lets through."""

    layout: str = "xbox"
    """Name of a file in config/gamepads."""
    driving: DrivingSettings = DrivingSettings()
    gaits: tuple[str, ...] = ("walk", "trot", "pace")
    """Gaits of the actions gait_1, gait_2, … of the layout."""
    grounds: tuple[str, ...] = ("dry", "wet", "ice")
    """What the operator can say of the ground ahead, in the order of the button ground_next; names in config/terrain."""
    posture_limit: tuple[Positive, Positive, Positive, Positive] = (0.15, 0.2, 0.2, 0.2)
    """Largest height, in stand heights, roll, pitch and yaw, in rad, of the body beside what the gait says."""
    posture_time: Positive = 2.0
    """Time from level to the limit under a full stick, s."""
    pad_fades_after: Positive = 0.25
    """Age of the last message at which the commanded velocity begins to fade, s."""
    pad_timeout: Positive = 0.5
    """Age at which it is zero and the operator counts as absent, s. Slower than the repeat rate of the driver by a few messages."""
    pad_lost_after: Positive = 2.0
    """Silence after which the pad counts as lost, as if it had been unplugged: it has to be armed again, s."""
    pad_delay_limit: Positive | None = 0.3
    """Delay of a message, against the fastest delivery, from which on it is too late to be obeyed, s; none: not watched."""
    pad_frozen_after: Positive | None = 60.0
    """Time of identical messages under a deflected stick after which the operator counts as absent, s; none: not watched.

    Some drivers repeat the last message for ever once a pad is unplugged. A hand trembles, but a stick pushed to its end reads the
    same for as long as it is held, so this cannot be short: it bounds how far a ghost can drive, no more."""
    external_timeout: Positive = 0.5
    """Age of an external velocity at which it is zero, s."""
    external_without_operator: bool = False
    """Whether an external velocity counts while no dead-man switch is held."""
    request_timeout: Positive = 0.5
    """Age at which a press is dropped instead of obeyed, s. A stop is obeyed at any age."""

    user_gaits: str = "~/.config/surefoot/gaits"
    """Folder for gaits that are saved on the tuning page, one file for each set of gaits."""

    def for_robot(self, description: RobotDescription) -> Self:
        """The same settings with the full speeds that suit a robot, where it names its own."""
        if description.full_stick is None:
            return self
        keys = ("max_forward_speed", "max_strafe_speed", "max_turn_rate")
        driving = self.driving.model_copy(update=dict(zip(keys, description.full_stick, strict=True)))
        return self.model_copy(update={"driving": driving})

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.pad_fades_after >= self.pad_timeout:
            raise ValueError(f"pad_fades_after {self.pad_fades_after} s must be shorter than pad_timeout {self.pad_timeout} s")
        if self.pad_timeout > self.pad_lost_after:
            raise ValueError(f"pad_timeout {self.pad_timeout} s must not be longer than pad_lost_after {self.pad_lost_after} s")
        if len(set(self.grounds)) != len(self.grounds):
            raise ValueError(f"grounds {', '.join(self.grounds)} has a name twice")
        return self

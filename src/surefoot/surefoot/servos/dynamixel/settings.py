# SPDX-License-Identifier: Apache-2.0
"""A robot on Dynamixel servos, as written in config/buses."""

import math
import os
from typing import Annotated, Literal

from pydantic import Field

from surefoot.settings import Settings

Positive = Annotated[float, Field(gt=0.0)]


def device_of(port: str) -> str:
    """What no two who open a serial port may share, however they spell its name."""
    return f"serial {os.path.realpath(port)}"


class JointServo(Settings):
    """The servo of one joint."""

    id: Annotated[int, Field(ge=0, le=252)]
    """On the wire."""
    table: str
    """A file in config/servos."""
    sign: Literal[-1, 1] = 1
    """-1 where the servo turns against the joint."""
    offset: Annotated[float, Field(ge=-2.0 * math.pi, le=2.0 * math.pi)] = 0.0
    """Angle of the joint where the servo stands on its maker's zero, rad."""
    gear: Positive = 1.0
    """Turns of the servo for one of the joint."""
    stiffness: Positive | None = None
    """Of the servo's own position control at the joint, N m/rad: a feed-forward torque moves the target by torque / stiffness. None: it is
    left out."""


class DynamixelSettings(Settings):
    """The line and its servos."""

    port: str
    """A serial port, such as /dev/ttyUSB0."""
    baud_rate: int = 1000000
    mode: Literal["position", "current_based_position", "current"] = "position"
    """Of the servos that know modes; all others know position only."""
    torque_reserve: Positive = 1.0
    """In current-based position mode: what a servo may give beyond the torque of the command at the measured state, N m."""
    reply_time: Annotated[float, Field(gt=0.0, le=0.5)] = 0.003
    """Beyond the time on the wire, after which a reply counts as lost, s: the adapter's latency timer (set that to 1 ms) and the servo."""
    health_every: Annotated[int, Field(ge=1)] = 20
    """Reads of the joint state between two looks at the voltage and temperature of one servo, one after the other."""
    watchdog: Annotated[float, Field(ge=0.0, le=2.0)] = 0.1
    """Silence of the line after which servos that can stop by themselves, s; 0: never. They stop, and keep their torque."""
    stale_after: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Age of a servo's last answer beyond which no torque is worked out from it, s."""
    joints: dict[str, JointServo]
    """By name."""

    @property
    def device(self) -> str:
        """What no two bridges may share."""
        return device_of(self.port)

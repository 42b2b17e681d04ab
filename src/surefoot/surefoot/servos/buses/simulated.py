# SPDX-License-Identifier: Apache-2.0
"""A robot on a stand, in this process: its joints swing freely, its motors give what their models allow, its base is level and at rest."""

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from surefoot.robot.command import JointCommand
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import Array, BusHealth
from surefoot.servos.motors.drive import Motors
from surefoot.servos.motors.joint import swing
from surefoot.servos.motors.settings import MotorSettings, NotNegative, Positive
from surefoot.servos.motors.transmission import drag_along
from surefoot.settings import Settings

STEP = 5e-4
"""Longest of the integration, s."""
LONGEST = 0.1
"""s; time that passes beyond this between two reads passes unseen."""


class SimulatedSettings(MotorSettings):
    """Of every joint alike."""

    torque_speed_loss: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    """Share of the torque that is gone at the velocity limit; 1: the diamond."""
    inertia: Positive = 0.1
    """kg m^2; where the gear says what its rotor has, that comes on top."""
    friction: NotNegative = 0.5
    """N m s/rad"""


SETTINGS: type[Settings] = SimulatedSettings


class SimulatedBus:
    """See ServoBus. Joints start at the pose in which the robot lies.

    Args:
        model: the robot.
        settings: see there.
        clock: which time passes by, s; a sample comes at each new time.
    """

    def __init__(self, model: RobotModel, settings: SimulatedSettings, clock: Callable[[], float]) -> None:
        self._settings, self._clock = settings, clock
        self._motors = motors = Motors(settings, model.effort_limit, model.velocity_limit)
        self._motor = np.array((motors.stall_torque, motors.no_load_speed, model.position_lower, model.position_upper))
        self._position = model.lie_joint_position.copy()
        self._behind_play = self._position.copy()
        count = len(self._position)
        self._velocity, self._torque, self._law = np.zeros(count), np.zeros(count), np.zeros((5, count))
        frame = model.attached_frame(model.description.sensors.imu_link)
        self._specific_force = np.asarray(frame.body_from_frame_rotation).T @ (0.0, 0.0, GRAVITY)
        self._time = clock()
        self._reads, self._writes = 0, 0
        self._closed = False

    def read(self) -> SensorSample | None:
        """See ServoBus.read."""
        now = self._clock()
        if self._closed or not now > self._time:
            return None
        duration, settings = min(now - self._time, LONGEST), self._settings
        steps = max(1, int(np.ceil(duration / STEP - 1e-9)))
        swing(
            self._position, self._velocity, self._law, self._motor, (settings.torque_speed_loss, *settings.gear.losses),
            settings.inertia + (settings.gear.reflected_inertia or 0.0), settings.friction, duration, steps, self._torque,
        )  # fmt: skip
        drag_along(self._position, np.full(len(self._position), settings.backlash), self._behind_play)
        self._motors.warm(self._torque, duration)
        self._time, self._reads = now, self._reads + 1
        return SensorSample(
            now, self._behind_play.copy(), self._velocity.copy(), self._torque.copy(), np.zeros(3), self._specific_force,
            np.full((4, 3), np.nan),
        )  # fmt: skip

    def write(self, command: JointCommand) -> None:
        """See ServoBus.write."""
        self._law = np.array((command.position, command.velocity, command.effort, command.stiffness, command.damping))
        self._writes += 1

    def health(self) -> BusHealth:
        """See ServoBus.health."""
        counters = {"reads": self._reads, "writes": self._writes}
        return BusHealth("closed" if self._closed else "", (), self._motors.temperature.copy(), self._unknown(), counters)

    def close(self) -> None:
        """See ServoBus.close."""
        self._closed = True

    def _unknown(self) -> Array:
        return np.full(len(self._position), np.nan)


def open_bus(model: RobotModel, settings: SimulatedSettings, clock: Callable[[], float]) -> SimulatedBus:
    """See `buses.open_bus`."""
    return SimulatedBus(model, settings, clock)

# SPDX-License-Identifier: Apache-2.0
"""The sensors of a simulated robot: noise, bias and delay as its description says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.bodies import AttachedFrame
from surefoot.robot.description import NoiseDescription, RobotDescription
from surefoot.robot.state import SensorSample

Array = NDArray[np.float64]

GRAVITY_IN_WORLD = np.array([0.0, 0.0, -9.81])


@dataclass(frozen=True)
class TrueSample:
    """What the sensors would read if they were perfect; vectors with `_base` are in the axes of the base."""

    time: float
    joint_position: Array
    joint_velocity: Array
    joint_effort: Array
    angular_velocity_base: Array
    acceleration_in_world: Array
    angular_acceleration_base: Array
    world_from_base: Array
    foot_force_base: Array


class _Channel:
    """One sensor channel: a constant bias drawn once and white noise at each reading."""

    def __init__(self, noise: NoiseDescription, size: int, generator: np.random.Generator, time_step: float) -> None:
        self._noise, self._generator = noise, generator
        self._bias = generator.normal(size=size) * noise.bias_standard_deviation
        self.delay_steps = round(noise.delay / time_step)

    def read(self, value: Array) -> Array:
        return value + self._bias + self._generator.normal(size=self._bias.shape) * self._noise.standard_deviation


class SensorModel:
    """Turns true samples into what the sensors report.

    Args:
        description: of the robot.
        imu: where the IMU sits on the base.
        seed: each channel draws from a stream of its own, so that one more channel changes no other.
        time_step: s between the true samples.
        perfect: no noise, no bias, no delay.
    """

    class Stamps(NamedTuple):
        """Sample time of each sensor, s."""

        imu: float
        joints: float
        foot_forces: float

    def __init__(self, description: RobotDescription, imu: AttachedFrame, seed: int, time_step: float, perfect: bool = False) -> None:
        sensors = description.sensors
        self._has_foot_force = sensors.foot_force is not None
        self._base_from_imu, self._imu_in_base = imu.body_from_frame_rotation, imu.body_from_frame_translation
        none = NoiseDescription()
        described = (
            (sensors.joint_position, 12),
            (sensors.joint_velocity, 12),
            (sensors.joint_effort, 12),
            (sensors.gyroscope, 3),
            (sensors.accelerometer, 3),
            (sensors.foot_force or none, 12),
        )
        streams = np.random.SeedSequence(seed).spawn(len(described))
        channels = [
            _Channel(none if perfect else noise, size, np.random.default_rng(stream), time_step)
            for (noise, size), stream in zip(described, streams, strict=True)
        ]
        self._position, self._velocity, self._effort, self._gyroscope, self._accelerometer, self._foot_force = channels
        self.longest_delay_steps = max(channel.delay_steps for channel in channels)

    def sample(self, history: Sequence[TrueSample]) -> tuple[SensorSample, "SensorModel.Stamps"]:
        """Read every sensor.

        Args:
            history: true samples one time step apart, the newest last; as far back as it goes stands in for older ones.

        Returns:
            The sample and the stamp of each sensor.
        """

        def back(steps: int) -> TrueSample:
            return history[max(0, len(history) - 1 - steps)]

        joints, imu, feet = back(self._position.delay_steps), back(self._gyroscope.delay_steps), back(self._foot_force.delay_steps)
        felt = back(self._accelerometer.delay_steps)
        rate, lever = felt.angular_velocity_base, self._imu_in_base
        specific_force = felt.world_from_base.T @ (felt.acceleration_in_world - GRAVITY_IN_WORLD)
        specific_force = specific_force + np.cross(felt.angular_acceleration_base, lever) + np.cross(rate, np.cross(rate, lever))
        foot_force = self._foot_force.read(feet.foot_force_base.reshape(12)).reshape(4, 3)
        imu_from_base = self._base_from_imu.T
        sample = SensorSample(
            time=joints.time,
            joint_position=self._position.read(joints.joint_position),
            joint_velocity=self._velocity.read(back(self._velocity.delay_steps).joint_velocity),
            joint_effort=self._effort.read(back(self._effort.delay_steps).joint_effort),
            angular_velocity_imu=self._gyroscope.read(imu_from_base @ imu.angular_velocity_base),
            specific_force_imu=self._accelerometer.read(imu_from_base @ specific_force),
            foot_force=foot_force if self._has_foot_force else np.full((4, 3), np.nan),
        )
        return sample, self.Stamps(imu.time, joints.time, feet.time)

# SPDX-License-Identifier: Apache-2.0
"""What real sensors do to the truth: noise, bias, delay, loss and feet that say the wrong thing, drawn anew for each seed."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from surefoot.estimation.slot import FootForceMeasurement, ImuMeasurement, JointMeasurement, Measurement
from surefoot.evaluation.sensor_stream import SensorStream
from surefoot.robot.description import NoiseDescription, NotNegative, Positive, RobotDescription
from surefoot.robot.locate import find_configuration
from surefoot.settings import Settings, read_settings

Array = NDArray[np.float64]
Share = Annotated[float, Field(ge=0.0, lt=1.0)]


class NoiseSettings(Settings):
    """White noise and constant bias of each channel."""

    gyroscope: NoiseDescription
    """rad/s"""
    accelerometer: NoiseDescription
    """m/s^2"""
    joint_position: NoiseDescription
    """rad"""
    joint_velocity: NoiseDescription
    """rad/s"""
    joint_effort: NoiseDescription
    """N m"""
    foot_force: NoiseDescription
    """N"""


class SensorFaults(Settings):
    """A file of config/sensors."""

    noise: NoiseSettings
    gyroscope_bias_walk: NotNegative
    """rad/s per square root of a second."""
    accelerometer_bias_walk: NotNegative
    """m/s^2 per square root of a second."""
    delay: tuple[NotNegative, NotNegative]
    """Least and largest delay: IMU, joints and feet each draw their own, constant for a run, s."""
    delay_jitter: NotNegative
    """Largest additional delay of a single sample, s."""
    loss: Share
    """Part of the samples of each sensor that never arrive."""
    wrong_contact_share: Share
    """Part of the time at which a foot says the opposite of what is true."""
    wrong_contact_duration: Positive
    """Mean time for which it does so at once, s."""

    @model_validator(mode="after")
    def _ordered(self) -> "SensorFaults":
        if self.delay[1] < self.delay[0]:
            raise ValueError(f"delay: the largest must not be less than the least, {self.delay}")
        return self

    def without_delay(self) -> "SensorFaults":
        """The same with samples that arrive at once."""
        return self.model_copy(update={"delay": (0.0, 0.0), "delay_jitter": 0.0})

    def described(self, description: RobotDescription) -> RobotDescription:
        """A robot that is said to have these sensors."""
        noise = {name: getattr(self.noise, name) for name in NoiseSettings.model_fields}
        return description.model_copy(update={"sensors": description.sensors.model_copy(update=noise)})


class Arrival(NamedTuple):
    """A measurement and when it arrives, s."""

    time: float
    measurement: Measurement


def read_sensor_faults(name_or_path: str) -> SensorFaults:
    """A file of config/sensors, or a path. Raises UnknownNameError or ConfigurationError."""
    return read_settings(SensorFaults, find_configuration("sensors", "sensors", name_or_path))


def spoil(stream: SensorStream, faults: SensorFaults, seed: int) -> list[Arrival]:
    """The measurements of a walk in the order in which they arrive.

    Args:
        stream: what perfect sensors would have said.
        faults: what the sensors do to it.
        seed: each kind of fault draws from a stream of its own, so that noise and loss are the same with and without delay.
    """
    noise, n = faults.noise, len(stream.time)
    step = float(stream.time[1] - stream.time[0])
    streams = iter(np.random.default_rng(seed_of) for seed_of in np.random.SeedSequence(seed).spawn(12))

    def read(truth: Array, channel: NoiseDescription, walk: float = 0.0) -> Array:
        generator, shape = next(streams), truth.shape[1:]
        bias = generator.normal(size=shape) * channel.bias_standard_deviation
        result = truth + bias + generator.normal(size=truth.shape) * channel.standard_deviation
        wander: Array = np.cumsum(generator.normal(size=truth.shape) * walk * step**0.5, axis=0)
        return result + wander

    rate = read(stream.angular_velocity_imu, noise.gyroscope, faults.gyroscope_bias_walk)
    force = read(stream.specific_force_imu, noise.accelerometer, faults.accelerometer_bias_walk)
    position, velocity = read(stream.joint_position, noise.joint_position), read(stream.joint_velocity, noise.joint_velocity)
    effort = read(stream.joint_effort, noise.joint_effort)
    wrong = _wrong_times(next(streams), n, step, faults)
    feet = read(np.where(wrong[:, :, None], _opposite(stream), stream.foot_force_base), noise.foot_force)
    delays = next(streams).uniform(*faults.delay, 3)
    losses, jitters = next(streams).uniform(size=(n, 3)), next(streams).uniform(size=(n, 3))
    arrivals = []
    for k, time in enumerate(stream.time.tolist()):
        measurements: tuple[Measurement, ...] = (
            ImuMeasurement(time, rate[k], force[k]), JointMeasurement(time, position[k], velocity[k], effort[k]),
            FootForceMeasurement(time, feet[k]),
        )  # fmt: skip
        for sensor, measurement in enumerate(measurements):
            if losses[k, sensor] >= faults.loss:
                arrivals.append(Arrival(time + delays[sensor] + faults.delay_jitter * jitters[k, sensor], measurement))
    return sorted(arrivals, key=lambda arrival: arrival.time)


def _wrong_times(generator: np.random.Generator, n: int, step: float, faults: SensorFaults) -> NDArray[np.bool_]:
    """When each foot says the opposite, (n, 4): on and off by chance, so long and so often as the faults say."""
    off = min(1.0, step / faults.wrong_contact_duration)
    on = off * faults.wrong_contact_share / (1.0 - faults.wrong_contact_share)
    wrong, now = np.zeros((n, 4), dtype=np.bool_), np.zeros(4, dtype=np.bool_)
    for k, dice in enumerate(generator.uniform(size=(n, 4))):
        now = np.where(now, dice >= off, dice < on)
        wrong[k] = now
    return wrong


def _opposite(stream: SensorStream) -> Array:
    """What a foot says when it is wrong, (n, 4, 3): nothing where it bears load, and a usual load where it bears none."""
    load = np.linalg.norm(stream.foot_force_base, axis=2)
    usual = float(load[load > 0.0].mean())
    return np.where(load[:, :, None] > 0.0, 0.0, np.array([0.0, 0.0, usual]))

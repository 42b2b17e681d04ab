# SPDX-License-Identifier: Apache-2.0
"""Sensors that say plausible or wild nonsense, by kind."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from surefoot.robot.state import SensorSample

Garble = Callable[[SensorSample, np.random.Generator], SensorSample]


def rate(size: float, constant: bool) -> Garble:
    """A gyroscope that says a plausible turn that is none."""

    def garble(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
        wrong = np.array([1.0, 0.5, -0.3]) if constant else generator.uniform(-1.0, 1.0, 3)
        return replace(sample, angular_velocity_imu=size * wrong)

    return garble


def force(size: float, constant: bool) -> Garble:
    """The same of an accelerometer."""

    def garble(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
        wrong = np.array([1.0, 1.0, 1.0]) if constant else generator.uniform(-1.0, 1.0, 3)
        return replace(sample, specific_force_imu=sample.specific_force_imu + size * wrong)

    return garble


def joints(size: float) -> Garble:
    def garble(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
        position, velocity = (size * generator.uniform(-1.0, 1.0, 12) for _ in range(2))
        return replace(sample, joint_position=sample.joint_position + position, joint_velocity=velocity)

    return garble


def feet(size: float) -> Garble:
    return lambda sample, generator: replace(sample, foot_force=generator.uniform(-size, size, (4, 3)))


def efforts(size: float) -> Garble:
    return lambda sample, generator: replace(sample, joint_effort=generator.uniform(-size, size, 12))


def stamps(size: float) -> Garble:
    return lambda sample, generator: replace(sample, time=sample.time + size * generator.normal())


def everything(sample: SensorSample, generator: np.random.Generator) -> SensorSample:
    size = 10.0 ** generator.uniform(-3.0, 3.0)
    for garble in (rate(min(size, 60.0), False), force(min(size, 500.0), False), joints(size), feet(size), efforts(size)):
        sample = garble(sample, generator)
    return sample


GARBAGE: dict[str, Garble] = {
    "a rate that jumps a little": rate(3.0, False),
    "a rate that jumps": rate(59.0, False),
    "a slow turn": rate(0.5, True),
    "a turn": rate(3.0, True),
    "a fast turn": rate(59.0, True),
    "a force that jumps": force(490.0, False),
    "a push": force(15.0, True),
    "a long blow": force(245.0, True),
    "joints that tremble": joints(0.1),
    "joints anywhere": joints(1000.0),
    "feet": feet(1e4),
    "feet beyond all measure": feet(1e300),
    "efforts": efforts(1e300),
    "stamps of a bad clock": stamps(0.1),
    "stamps of none": stamps(1e6),
    "everything": everything,
}

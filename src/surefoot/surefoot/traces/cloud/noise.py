# SPDX-License-Identifier: Apache-2.0
"""What is drawn anew at each control tick: what the policy sees of the robot, and what the servos make of its torques."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from surefoot.robot.model import RobotModel
from surefoot.traces.cloud.catalogue import TRANSIENT
from surefoot.traces.cloud.ranges import Spread
from surefoot.traces.cloud.sampling import stream, truncated_normal
from surefoot.traces.cloud.uncertainty import Uncertainty

Array = NDArray[np.float64]

CHANNELS = {
    parameter.name: slice(sum(before.count for before in TRANSIENT[:i]), sum(before.count for before in TRANSIENT[: i + 1]))
    for i, parameter in enumerate(TRANSIENT[:-1])
}
"""Where the noise of each parameter is; the jitter of the delay is in `Particles`."""

TRANSIENT_CHANNELS = sum(parameter.count for parameter in TRANSIENT[:-1])

_PURPOSE = 1


def transient_noise(
    model: RobotModel, uncertainty: Uncertainty, seed: int, indices: NDArray[np.int64], ticks: int
) -> NDArray[np.float64]:
    """Noise of every channel at every tick, (n, ticks, TRANSIENT_CHANNELS), SI units and relative torques.

    A longer rehearsal continues a shorter one, every candidate meets the same noise, and the noise of one channel does not depend on
    how wide the others are.
    """
    sensors, joints = model.description.sensors, uncertainty.joint_sensors
    feet = 0.0 if sensors.foot_force is None else uncertainty.foot_sensors * sensors.foot_force.standard_deviation
    stated = {
        "joint_position": joints * sensors.joint_position.standard_deviation,
        "joint_velocity": joints * sensors.joint_velocity.standard_deviation,
        "foot_force": feet,
    }
    width, limit = np.zeros(TRANSIENT_CHANNELS), np.full(TRANSIENT_CHANNELS, uncertainty.truncation)
    for name, channels in CHANNELS.items():
        spread: Spread | None = getattr(uncertainty.transient, name, None)
        width[channels] = stated[name] if spread is None else spread.width
        if spread is not None:
            limit[channels] = limit_of(spread, uncertainty.truncation)
    if not width.any():
        return np.zeros((len(indices), ticks, TRANSIENT_CHANNELS))
    noise = standard_noise(seed, indices, (_PURPOSE,), ticks, limit)
    noise *= width
    return noise


def limit_of(spread: Spread, truncation: float) -> float:
    """Standard deviations at which a spread is truncated; infinity stands for one that is even from -1 to 1."""
    return np.inf if spread.distribution == "uniform" else spread.truncation or truncation


def standard_noise(seed: int, indices: NDArray[np.int64], purpose: tuple[int, ...], ticks: int, limit: Array) -> Array:
    """Draws of unit width, (n, ticks, channels).

    Args:
        seed: of the cloud.
        indices: of the particles, (n,).
        purpose: of the draws.
        ticks: how many.
        limit: of each channel, see `limit_of`, (channels,).
    """
    noise = np.empty((len(indices), ticks, len(limit)))
    size, beyond = np.empty(noise.shape[1:]), np.empty(noise.shape[1:], np.bool_)
    even = np.flatnonzero(np.isinf(limit))
    for row, i in zip(noise, indices, strict=True):
        stream(seed, int(i), *purpose).standard_normal(out=row)
        # Drawn again from the inside, so that what is left is a truncated Gaussian; in the order of time, from a stream of its own.
        outside = np.flatnonzero(np.greater(np.abs(row, out=size), limit, out=beyond))
        if len(outside) > 0:
            edge = limit[outside % len(limit)]
            row.reshape(-1)[outside] = truncated_normal(stream(seed, int(i), *purpose, 1).random(len(outside)), -edge, edge)
        for channel in even:
            # The distribution function of a Gaussian makes its draws even.
            row[:, channel] = erf(np.sqrt(0.5) * row[:, channel])
    return noise


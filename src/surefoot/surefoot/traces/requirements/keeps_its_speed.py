# SPDX-License-Identifier: Apache-2.0
"""A robot that goes where it is told to."""

import numpy as np
from numpy.typing import NDArray

from surefoot.robot.description import NotNegative
from surefoot.robot.model import RobotModel
from surefoot.settings import Settings
from surefoot.traces.requirements.finished import FinishedTraces
from surefoot.traces.requirements.plugins import Condition

Array = NDArray[np.float64]


class KeepsItsSpeed(Settings):
    """Over the second half of the new gait. The larger of the two allowances holds."""

    largest_error: NotNegative = 0.1
    """m/s"""
    largest_share: NotNegative = 0.4
    """Of the commanded speed."""


def make_keeps_its_speed(model: RobotModel, parameters: KeepsItsSpeed) -> Condition:
    """Witness: m/s that are left."""

    def witness(traces: FinishedTraces) -> Array:
        return speed_witness(second_half(traces), traces, parameters)

    return witness


def speed_witness(velocity: Array, traces: FinishedTraces, parameters: KeepsItsSpeed) -> Array:
    """Room of mean velocities in the heading frame, (n, 2), m/s."""
    forward, left = traces.command[:2]
    allowed = max(parameters.largest_error, parameters.largest_share * float(np.hypot(forward, left)))
    result: Array = allowed - np.hypot(velocity[:, 0] - forward, velocity[:, 1] - left)
    return result


def second_half(traces: FinishedTraces) -> Array:
    """Mean velocity over the second half of the new gait in the heading frame at its beginning, (n, 2), m/s."""
    path = traces.path
    ticks = path.shape[1] - 1
    begin = (traces.new_tick + ticks) // 2
    w, x, y, z = (path[:, begin, 3 + i].astype(np.float64) for i in range(4))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)) - traces.twist[:, begin]
    way = (path[:, ticks, :2] - path[:, begin, :2]).astype(np.float64)
    forward = np.cos(yaw) * way[:, 0] + np.sin(yaw) * way[:, 1]
    left = -np.sin(yaw) * way[:, 0] + np.cos(yaw) * way[:, 1]
    result: Array = np.stack((forward, left), axis=1) / (max(1, ticks - begin) * traces.period)
    return result

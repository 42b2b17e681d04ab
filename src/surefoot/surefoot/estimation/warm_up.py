# SPDX-License-Identifier: Apache-2.0
"""Compiles everything that an update of the state estimator calls, or reads it from the cache, before anybody waits for it."""

import numpy as np

from surefoot.estimation.estimator import StateEstimator
from surefoot.estimation.settings import EstimatorSettings
from surefoot.robot.model import GRAVITY, RobotModel
from surefoot.robot.state import SensorSample


def warm_up(model: RobotModel, settings: EstimatorSettings) -> None:
    """Let an estimator of its own hear a robot that lies still, until it has started and a while longer."""
    description, nothing = model.description, np.full(12, np.nan)
    estimator = StateEstimator(description, model, settings)
    base_from_imu = model.attached_frame(description.sensors.imu_link).body_from_frame_rotation
    gravity, step = base_from_imu.T @ np.array((0.0, 0.0, GRAVITY)), 1.0 / description.control.rate
    count = round(2.0 * settings.start.duration / step) + 2
    for k in range(count):
        lying = model.lie_joint_position
        estimator.update(SensorSample(k * step, lying, np.zeros(12), nothing, np.zeros(3), gravity, np.full((4, 3), np.nan)))
    estimator.state(count * step)

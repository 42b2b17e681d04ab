# SPDX-License-Identifier: Apache-2.0
"""Forward in time by the IMU: mean and covariance of the error-state filter."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.rotation import assign, orthonormalise, product, rotation_from_vector, turned

Array = NDArray[np.float64]


@compiled
def predict(state: Any, parameters: Any, angular_velocity: Array, specific_force: Array, step: float) -> None:
    """Move the state by one step, in place.

    The mean of the last and the present IMU sample stands for the time between them; the orientation in the middle turns the force.

    Args:
        state: record of FILTER_STATE.
        parameters: record of FILTER_PARAMETERS.
        angular_velocity: present sample in base axes, (3,), rad/s.
        specific_force: present sample in base axes, (3,), m/s^2.
        step: since the last sample, s.
    """
    rate, force = np.empty(3), np.empty(3)
    for i in range(3):
        rate[i] = 0.5 * (state.angular_velocity[i] + angular_velocity[i]) - state.gyroscope_bias[i]
        force[i] = 0.5 * (state.specific_force[i] + specific_force[i]) - state.accelerometer_bias[i]
        state.angular_velocity[i], state.specific_force[i] = angular_velocity[i], specific_force[i]
    half = rotation_from_vector(0.5 * step * rate[0], 0.5 * step * rate[1], 0.5 * step * rate[2])
    middle = product(state.rotation, half)
    force_odom = turned(middle, force)
    for i in range(3):
        acceleration = force_odom[i] - (parameters.gravity if i == 2 else 0.0)
        state.position[i] += step * state.velocity[i] + 0.5 * step * step * acceleration
        state.velocity[i] += step * acceleration
    assign(state.rotation, product(middle, half))
    orthonormalise(state.rotation)

    covariance = state.covariance
    _shift_rows(covariance, middle, force_odom, step)
    _shift_columns(covariance, middle, force_odom, step)
    rate_noise = (parameters.gyroscope_variance + parameters.rate_variance) * step * step
    velocity_noise = (parameters.accelerometer_variance + parameters.acceleration_variance) * step * step
    if state.all_left_out > 0.0:
        velocity_noise += parameters.rejection_acceleration_variance * step * step
    for i in range(3):
        covariance[POSITION + i, POSITION + i] += 0.25 * step * step * velocity_noise
        covariance[POSITION + i, VELOCITY + i] += 0.5 * step * velocity_noise
        covariance[VELOCITY + i, POSITION + i] += 0.5 * step * velocity_noise
        covariance[VELOCITY + i, VELOCITY + i] += velocity_noise
        covariance[ORIENTATION + i, ORIENTATION + i] += rate_noise
        covariance[GYROSCOPE_BIAS + i, GYROSCOPE_BIAS + i] += parameters.gyroscope_bias_walk_variance * step
        covariance[ACCELEROMETER_BIAS + i, ACCELEROMETER_BIAS + i] += parameters.accelerometer_bias_walk_variance * step
        for leg in range(4):
            if state.foot_held[leg] > 0.0:
                index = FEET + 3 * leg + i
                covariance[index, index] += parameters.foot_walk_variance * step


@compiled
def _shift_rows(covariance: Array, rotation: Array, force: Array, step: float) -> None:
    """covariance = F covariance, where F differs from identity in what velocity, force and biases do to position, velocity, orientation."""
    half = 0.5 * step
    for column in range(ERRORS):
        px, py, pz = covariance[ORIENTATION, column], covariance[ORIENTATION + 1, column], covariance[ORIENTATION + 2, column]
        # A wrong orientation turns the force: error x force.
        cross = (py * force[2] - pz * force[1], pz * force[0] - px * force[2], px * force[1] - py * force[0])
        for i in range(3):
            kick, turn = cross[i], 0.0
            for j in range(3):
                kick -= rotation[i, j] * covariance[ACCELEROMETER_BIAS + j, column]
                turn -= rotation[i, j] * covariance[GYROSCOPE_BIAS + j, column]
            kick *= step
            covariance[POSITION + i, column] += step * covariance[VELOCITY + i, column] + half * kick
            covariance[VELOCITY + i, column] += kick
            covariance[ORIENTATION + i, column] += step * turn


@compiled
def _shift_columns(covariance: Array, rotation: Array, force: Array, step: float) -> None:
    """covariance = covariance F^T, see _shift_rows."""
    half = 0.5 * step
    for row in range(ERRORS):
        px, py, pz = covariance[row, ORIENTATION], covariance[row, ORIENTATION + 1], covariance[row, ORIENTATION + 2]
        cross = (py * force[2] - pz * force[1], pz * force[0] - px * force[2], px * force[1] - py * force[0])
        for i in range(3):
            kick, turn = cross[i], 0.0
            for j in range(3):
                kick -= rotation[i, j] * covariance[row, ACCELEROMETER_BIAS + j]
                turn -= rotation[i, j] * covariance[row, GYROSCOPE_BIAS + j]
            kick *= step
            covariance[row, POSITION + i] += step * covariance[row, VELOCITY + i] + half * kick
            covariance[row, VELOCITY + i] += kick
            covariance[row, ORIENTATION + i] += step * turn

# SPDX-License-Identifier: Apache-2.0
"""Forward in time by the IMU: mean and covariance of the error-state filter."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.rotation import exponential, orthonormalise
from surefoot.robot.spatial import multiply, rotate
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]


@compiled
def predict(
    state: Any, parameters: Any, angular_velocity: Array, specific_force: Array, step: float, span: float, held_for: float
) -> None:
    """Move the state by one step, in place.

    The mean of what the IMU says at both ends stands for the time between them; the orientation in the middle turns the force.

    The IMU's noise is the same over a whole span between two of its samples, so a part of a span gets that part of the variance. While
    the last sample is held, its error is one and the same all the time: the variance of the velocity grows with the square of the time.

    Args:
        state: record of FILTER_STATE.
        parameters: record of FILTER_PARAMETERS.
        angular_velocity: at the end of the step, in base axes, (3,), rad/s.
        specific_force: at the end of the step, in base axes, (3,), m/s^2.
        step: s.
        span: between the samples of the IMU on both sides, s.
        held_for: for how long the last sample of the IMU has been held at the beginning of the step, s; negative where it is not.
    """
    rate, force, force_odom = stack_vector(3), stack_vector(3), stack_vector(3)
    half, middle, end_rotation = stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(3, 3)
    for i in range(3):
        rate[i] = 0.5 * (state.angular_velocity[i] + angular_velocity[i]) - state.gyroscope_bias[i]
        force[i] = 0.5 * (state.specific_force[i] + specific_force[i]) - state.accelerometer_bias[i]
        state.angular_velocity[i], state.specific_force[i] = angular_velocity[i], specific_force[i]
    exponential(0.5 * step * rate[0], 0.5 * step * rate[1], 0.5 * step * rate[2], half)
    multiply(state.rotation, half, middle)
    rotate(middle, force, force_odom)
    for i in range(3):
        acceleration = force_odom[i] - (parameters.gravity if i == 2 else 0.0)
        state.position[i] += step * state.velocity[i] + 0.5 * step * step * acceleration
        state.velocity[i] += step * acceleration
    multiply(middle, half, end_rotation)
    orthonormalise(end_rotation, state.rotation)

    covariance = state.covariance
    _shift_rows(covariance, middle, force_odom, step)
    _shift_columns(covariance, state.foot_held, middle, force_odom, step)
    rate_noise = (parameters.gyroscope_variance + parameters.rate_variance) * span * step
    velocity_noise = (parameters.accelerometer_variance + parameters.acceleration_variance) * span * step
    if state.all_left_out > 0.0:
        velocity_noise += parameters.rejection_acceleration_variance * span * step
    if held_for >= 0.0:
        begin, end = held_for * held_for, (held_for + step) * (held_for + step)
        velocity_noise += parameters.held_acceleration_variance * (end - begin)
        rate_noise += parameters.held_rate_slope_variance * 0.25 * (end * end - begin * begin)
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
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        along_j, along_k, force_j, force_k = covariance[ORIENTATION + j], covariance[ORIENTATION + k], force[j], force[k]
        position, velocity = covariance[POSITION + i], covariance[VELOCITY + i]
        first, second, third = rotation[i, 0], rotation[i, 1], rotation[i, 2]
        for column in range(ERRORS):
            # A wrong orientation turns the force: error x force.
            kick = along_j[column] * force_k - along_k[column] * force_j
            kick -= first * covariance[ACCELEROMETER_BIAS, column]
            kick -= second * covariance[ACCELEROMETER_BIAS + 1, column]
            kick -= third * covariance[ACCELEROMETER_BIAS + 2, column]
            kick *= step
            position[column] += step * velocity[column] + half * kick
            velocity[column] += kick
    for i in range(3):
        turned = covariance[ORIENTATION + i]
        first, second, third = rotation[i, 0], rotation[i, 1], rotation[i, 2]
        for column in range(ERRORS):
            turn = 0.0 - first * covariance[GYROSCOPE_BIAS, column]
            turn -= second * covariance[GYROSCOPE_BIAS + 1, column]
            turn -= third * covariance[GYROSCOPE_BIAS + 2, column]
            turned[column] += step * turn


@compiled
def _shift_columns(covariance: Array, foot_held: Array, rotation: Array, force: Array, step: float) -> None:
    """covariance = covariance F^T, see _shift_rows; rows of feet in the air are zero and stay so."""
    half = 0.5 * step
    for row in range(ERRORS):
        if row >= FEET and foot_held[(row - FEET) // 3] == 0.0:
            continue
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

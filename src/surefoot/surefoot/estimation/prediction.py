# SPDX-License-Identifier: Apache-2.0
"""Forward in time by the IMU: mean and covariance of the error-state filter."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.consider import move_effect
from surefoot.estimation.creep import let_feet_creep
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, ERRORS, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY
from surefoot.estimation.imu_extrapolation import (
    DRIFT,
    MEAN_SHARE,
    REST_SHARE,
    add_drift,
    begin_force,
    let_force_go_back,
    let_rate_walk,
    note_force,
    scale_force_error,
)
from surefoot.estimation.rotation import exponential, orthonormalise
from surefoot.robot.spatial import multiply, rotate
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]

MOVED = GYROSCOPE_BIAS
"""Position, velocity and orientation, the first of the error state, move by themselves; the rest stays."""


@compiled
def predict(
    state: Any, parameters: Any, angular_velocity: Array, specific_force: Array, step: float, span: float, held_for: float
) -> None:
    """Move the state by one step, in place.

    The mean of what the IMU says at both ends stands for the time between them; the orientation in the middle turns the force.

    The IMU's noise is the same over a whole span between two of its samples, so a part of a span gets that part of the variance. It is
    larger the more the two differ: so where they are further apart, and where a foot comes down. While the last sample is held, the
    specific force goes back to its mean, and the angular velocity walks away (imu_extrapolation.py).

    Args:
        state: record of FILTER_STATE.
        parameters: record of FILTER_PARAMETERS.
        angular_velocity: at the end of the step, in base axes, (3,), rad/s.
        specific_force: at the end of the step, in base axes, (3,), m/s^2.
        step: s.
        span: between the samples of the IMU on both sides, s.
        held_for: for how long the last sample of the IMU has been held at the beginning of the step, s; negative where it is not.
    """
    rate, force, force_odom, push, turn = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3)
    half, middle, end_rotation, drift = stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(3, 3), stack_matrix(DRIFT, 3)
    _imu_noise(state, parameters, angular_velocity, specific_force, step, span, push, turn)
    for i in range(3):
        rate[i] = 0.5 * (state.angular_velocity[i] + angular_velocity[i]) - state.gyroscope_bias[i]
        state.angular_velocity[i] = angular_velocity[i]
        if held_for < 0.0:
            force[i] = 0.5 * (state.specific_force[i] + specific_force[i]) - state.accelerometer_bias[i]
            state.specific_force[i] = specific_force[i]
    if held_for >= 0.0:
        let_force_go_back(state, parameters, step, held_for, force, drift)
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
    if held_for >= 0.0:
        scale_force_error(state, drift[MEAN_SHARE])
    _shift(covariance, middle, force_odom, step)
    move_effect(state.zero_effect, middle, force_odom, step)
    if held_for >= 0.0:
        scale_force_error(state, drift[REST_SHARE])
        add_drift(state, middle, drift, step)
        let_rate_walk(state, middle, held_for, step)
    for i in range(3):
        for j in range(3):
            pushed, turned = 0.0, 0.0
            for axis in range(3):
                share = middle[i, axis] * middle[j, axis]
                pushed += share * push[axis]
                turned += share * turn[axis]
            covariance[POSITION + i, POSITION + j] += 0.25 * step * step * pushed
            covariance[POSITION + i, VELOCITY + j] += 0.5 * step * pushed
            covariance[VELOCITY + i, POSITION + j] += 0.5 * step * pushed
            covariance[VELOCITY + i, VELOCITY + j] += pushed
            covariance[ORIENTATION + i, ORIENTATION + j] += turned
        covariance[GYROSCOPE_BIAS + i, GYROSCOPE_BIAS + i] += parameters.gyroscope_bias_walk_variance * step
        covariance[ACCELEROMETER_BIAS + i, ACCELEROMETER_BIAS + i] += parameters.accelerometer_bias_walk_variance * step
    let_feet_creep(state, parameters, step)


@compiled
def _imu_noise(
    state: Any, parameters: Any, angular_velocity: Array, specific_force: Array, step: float, span: float, push: Array, turn: Array
) -> None:
    """Variance that a step adds to velocity and orientation by the IMU, in each of its axes; arguments as in `predict`.

    Args:
        push, turn: output, (3,), (m/s)^2 and rad^2.
    """
    jolt = parameters.acceleration_variance + parameters.accelerometer_variance
    shake = parameters.rate_variance + parameters.gyroscope_variance
    if state.all_left_out > 0.0:
        jolt += parameters.rejection_acceleration_variance
    # The whole change between two samples, of which a step may be a part.
    part = span / step
    for i in range(3):
        change = part * (specific_force[i] - state.specific_force[i])
        push[i] = (jolt + parameters.acceleration_change_variance * change * change) * span * step
        change = part * (angular_velocity[i] - state.angular_velocity[i])
        turn[i] = (shake + parameters.rate_change_variance * change * change) * span * step


@compiled
def note_sample(state: Any, parameters: Any, rate: Array, force: Array, span: float) -> None:
    """See by a sample of the IMU, (3,) each, how fast it changes, in place; `span` is the time since the last one, s, or infinite."""
    if not math.isfinite(span):
        for i in range(3):
            state.slow_rate[i], state.rate_walk[i] = rate[i], parameters.least_rate_walk
        begin_force(state, force)
        return
    note_force(state, parameters, force, span)
    follow, learn = span / (parameters.walk_time + span), span / (parameters.walk_memory + span)
    for i in range(3):
        turn = rate[i] - state.slow_rate[i]
        state.slow_rate[i] += follow * turn
        # What walks gets so far from its low-pass that the variance is half of the walk's times the time constant.
        scale = 2.0 / (parameters.walk_time + span)
        state.rate_walk[i] += learn * (max(scale * turn * turn, parameters.least_rate_walk) - state.rate_walk[i])


@compiled
def _shift(covariance: Array, rotation: Array, force: Array, step: float) -> None:
    """covariance = F covariance F^T, where F is identity but for what velocity, force and biases do to position, velocity, orientation.

    With F = 1 + A this is P + A P + (A P)^T + A P A^T, and A has only nine rows that are not zero.
    """
    moved, again = stack_matrix(MOVED, ERRORS), stack_matrix(MOVED, MOVED)
    half = 0.5 * step
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        along_j, along_k, force_j, force_k = covariance[ORIENTATION + j], covariance[ORIENTATION + k], force[j], force[k]
        velocity, position, kick, turn = covariance[VELOCITY + i], moved[POSITION + i], moved[VELOCITY + i], moved[ORIENTATION + i]
        first, second, third = rotation[i, 0], rotation[i, 1], rotation[i, 2]
        force_x, force_y = covariance[ACCELEROMETER_BIAS], covariance[ACCELEROMETER_BIAS + 1]
        force_z = covariance[ACCELEROMETER_BIAS + 2]
        rate_x, rate_y, rate_z = covariance[GYROSCOPE_BIAS], covariance[GYROSCOPE_BIAS + 1], covariance[GYROSCOPE_BIAS + 2]
        for column in range(ERRORS):
            # A wrong orientation turns the force: error x force.
            by_tilt = along_j[column] * force_k - along_k[column] * force_j
            kick[column] = step * (by_tilt - first * force_x[column] - second * force_y[column] - third * force_z[column])
            position[column] = step * velocity[column] + half * kick[column]
            turn[column] = -step * (first * rate_x[column] + second * rate_y[column] + third * rate_z[column])
    for row in range(MOVED):
        one = moved[row]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            kick_i = one[ORIENTATION + j] * force[k] - one[ORIENTATION + k] * force[j]
            turn_i = 0.0
            for m in range(3):
                kick_i -= rotation[i, m] * one[ACCELEROMETER_BIAS + m]
                turn_i -= rotation[i, m] * one[GYROSCOPE_BIAS + m]
            kick_i *= step
            again[row, POSITION + i] = step * one[VELOCITY + i] + half * kick_i
            again[row, VELOCITY + i] = kick_i
            again[row, ORIENTATION + i] = step * turn_i
    for row in range(MOVED):
        for column in range(row + 1):
            total = covariance[row, column] + (moved[row, column] + moved[column, row]) + again[row, column]
            covariance[row, column] = covariance[column, row] = total
        for column in range(MOVED, ERRORS):
            total = covariance[row, column] + moved[row, column]
            covariance[row, column] = covariance[column, row] = total

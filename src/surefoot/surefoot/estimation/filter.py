# SPDX-License-Identifier: Apache-2.0
"""One tick of the filter: predict by the IMU, correct by the legs, the ground and rest.

An error-state Kalman filter with the feet as states [Bloesch 2012], orientation errors in odom axes. A foot enters the state when it
touches down, exactly correlated with the base, and leaves it when it lifts off. The centre of a ball foot that rolls on the ground moves
although it does not slip; the rate of the last link says by how much.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.correction import correct, correct_scalar, drop_foot, set_foot_down
from surefoot.estimation.filter_state import ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY, Records
from surefoot.estimation.prediction import predict
from surefoot.estimation.rotation import product, turned
from surefoot.robot.leg_kinematics import foot_terms_in_base

Array = NDArray[np.float64]


@compiled
def tick(
    states: Records,
    parameter_records: Records,
    trees: Records,
    angular_velocity: Array,
    specific_force: Array,
    joint_position: Array,
    joint_velocity: Array,
    in_contact: NDArray[np.bool_],
    resting: bool,
    ground_offset: float,
    ground_normal: Array,
    step: float,
) -> None:
    """Advance the state by one sample, in place.

    Args:
        states: (1,) of FILTER_STATE; an array of one, because numba takes an array much faster than a bare record.
        parameter_records: (1,) of FILTER_PARAMETERS.
        trees: (1,) of the robot's leg record.
        angular_velocity: in base axes, (3,), rad/s.
        specific_force: in base axes, (3,), m/s^2.
        joint_position: (12,), rad.
        joint_velocity: (12,), rad/s.
        in_contact: feet that bear load, (4,) of bool.
        resting: whether nothing moves.
        ground_offset: of the believed ground, whose points p in odom have normal . p = offset, m.
        ground_normal: of the believed ground in odom, (3,).
        step: since the last sample, s.
    """
    state, parameters, tree = states[0], parameter_records[0], trees[0]
    predict(state, parameters, angular_velocity, specific_force, step)
    used, touching = 0, 0
    for leg in range(4):
        joints = slice(3 * leg, 3 * leg + 3)
        if in_contact[leg]:
            touching += 1
        if _foot(state, parameters, tree, leg, joint_position[joints], joint_velocity[joints], in_contact[leg], ground_normal, step):
            used += 1
            _ground(state, parameters, leg, ground_offset, ground_normal, step)
    state.all_left_out = state.all_left_out + step if touching > 0 and used == 0 else 0.0
    if resting:
        _rest(state, parameters, angular_velocity)


@compiled
def _foot(
    state: Any,
    parameters: Any,
    tree: Any,
    leg: int,
    joint_position: Array,
    joint_velocity: Array,
    in_contact: bool,
    normal: Array,
    step: float,
) -> bool:
    """Correct by one foot. Returns whether it bears load and was used."""
    foot, jacobian, axes = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    foot_terms_in_base(tree, leg, joint_position, foot, jacobian, axes)
    rate, shank, roll = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        foot[i] -= parameters.imu_in_base[i]
        rate[i] = state.angular_velocity[i] - state.gyroscope_bias[i]
        shank[i] = rate[i] + axes[i, 0] * joint_velocity[0] + axes[i, 1] * joint_velocity[1] + axes[i, 2] * joint_velocity[2]
    arm, turn, shank = turned(state.rotation, foot), turned(state.rotation, rate), turned(state.rotation, shank)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        middle_j, middle_k = 0.5 * (shank[j] + state.shank_rate[leg, j]), 0.5 * (shank[k] + state.shank_rate[leg, k])
        roll[i] = parameters.foot_radius * (middle_j * normal[k] - middle_k * normal[j])
    for i in range(3):
        state.shank_rate[leg, i] = shank[i]
    if not in_contact:
        drop_foot(state, leg)
        for i in range(3):
            state.feet[leg, i] = state.position[i] + arm[i]
        return False

    leg_in_odom = product(state.rotation, jacobian)
    stands = _stands(state, parameters, leg, arm, turn, turned(leg_in_odom, joint_velocity), shank, normal, leg_in_odom)
    # What the velocity has corrected counts for the position.
    arm = turned(state.rotation, foot)
    noise = _noise(leg_in_odom, parameters.joint_position_variance, parameters.foot_variance)
    if state.foot_held[leg] == 0.0:
        if stands:
            set_foot_down(state, leg, arm, noise)
        return stands
    if stands:
        sensitivity = np.zeros((3, ERRORS))
        innovation = np.empty(3)
        for i in range(3):
            state.feet[leg, i] += step * roll[i]
            sensitivity[i, POSITION + i] = -1.0
            sensitivity[i, FEET + 3 * leg + i] = 1.0
            innovation[i] = arm[i] - (state.feet[leg, i] - state.position[i])
        _cross_matrix(sensitivity, ORIENTATION, arm)
        stands = correct(state, sensitivity, innovation, noise, parameters.innovation_gate)
    if stands:
        state.foot_left_out[leg] = 0.0
        return True
    state.foot_left_out[leg] += step
    if state.foot_left_out[leg] > parameters.foot_reset_time:
        drop_foot(state, leg)
    return False


@compiled
def _noise(leg_in_odom: Array, joint_variance: float, variance: float) -> Array:
    """Covariance of a foot by its joints, plus a variance in every direction, (3, 3)."""
    result = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            dot = leg_in_odom[i, 0] * leg_in_odom[j, 0] + leg_in_odom[i, 1] * leg_in_odom[j, 1] + leg_in_odom[i, 2] * leg_in_odom[j, 2]
            result[i, j] = joint_variance * dot
        result[i, i] += variance
    return result


@compiled
def _stands(
    state: Any, parameters: Any, leg: int, arm: Array, turn: Array, swing: Array, shank: Array, normal: Array, leg_in_odom: Array
) -> bool:
    """Correct by the velocity of a foot, which should only roll. Returns whether it does so within the gate."""
    sensitivity = np.zeros((3, ERRORS))
    innovation, drift = np.empty(3), np.empty(3)
    squared = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    variance = parameters.slip_variance + parameters.gyroscope_variance * squared
    noise = _noise(leg_in_odom, parameters.joint_velocity_variance, variance)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        drift[i] = turn[j] * arm[k] - turn[k] * arm[j] + swing[i]
        roll = parameters.foot_radius * (shank[j] * normal[k] - shank[k] * normal[j])
        innovation[i] = roll - state.velocity[i] - drift[i]
        sensitivity[i, VELOCITY + i] = 1.0
        for m in range(3):
            noise[i, m] -= parameters.gyroscope_variance * arm[i] * arm[m]
            # -(R bias) x arm
            sensitivity[i, GYROSCOPE_BIAS + m] = arm[j] * state.rotation[k, m] - arm[k] * state.rotation[j, m]
    for i in range(3):
        drift[i] = -drift[i]
    _cross_matrix(sensitivity, ORIENTATION, drift)
    if parameters.use_foot_velocity > 0.0:
        return correct(state, sensitivity, innovation, noise, parameters.innovation_gate)
    distance = innovation[0] ** 2 + innovation[1] ** 2 + innovation[2] ** 2
    return bool(distance <= parameters.innovation_gate * (noise[0, 0] + noise[1, 1] + noise[2, 2]) / 3.0)


@compiled
def _ground(state: Any, parameters: Any, leg: int, offset: float, normal: Array, step: float) -> None:
    """Correct by the ground: a foot that bears load has its centre one radius above the believed plane.

    The ground's error under a foot lasts, so a single tick only carries step / ground_height_time of its information.
    """
    sensitivity = np.zeros(ERRORS)
    distance = -offset
    for i in range(3):
        sensitivity[FEET + 3 * leg + i] = normal[i]
        distance += normal[i] * state.feet[leg, i]
    variance = parameters.ground_height_variance * max(1.0, parameters.ground_height_time / step)
    correct_scalar(state, sensitivity, parameters.foot_radius - distance, variance, np.inf)


@compiled
def _rest(state: Any, parameters: Any, angular_velocity: Array) -> None:
    """Correct by rest: the velocity is zero, and the gyroscope shows its bias."""
    sensitivity, noise, innovation = np.zeros((3, ERRORS)), np.zeros((3, 3)), np.empty(3)
    for i in range(3):
        sensitivity[i, VELOCITY + i] = 1.0
        noise[i, i] = parameters.rest_velocity_variance
        innovation[i] = -state.velocity[i]
    correct(state, sensitivity, innovation, noise, parameters.innovation_gate)
    for i in range(3):
        sensitivity[i, VELOCITY + i] = 0.0
        sensitivity[i, GYROSCOPE_BIAS + i] = 1.0
        noise[i, i] = parameters.gyroscope_variance + parameters.rate_variance
        innovation[i] = angular_velocity[i] - state.gyroscope_bias[i]
    correct(state, sensitivity, innovation, noise, parameters.innovation_gate)


@compiled
def _cross_matrix(target: Array, column: int, vector: Array) -> None:
    """Write [vector]x into three columns of a (3, n) array."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        target[i, column + i] = 0.0
        target[i, column + j] = -vector[k]
        target[i, column + k] = vector[j]

# SPDX-License-Identifier: Apache-2.0
"""Corrections by the legs, the ground and rest.

An error-state Kalman filter with the feet as states [Bloesch 2012], orientation errors in odom axes. A foot enters the state when it
touches down, exactly correlated with the base, and leaves it when it lifts off. The centre of a ball foot that rolls on the ground moves
although it does not slip; the rate of the last link says by how much.

While the robot moves, legs do not correct the heading nor the gyroscope's bias about the vertical. A wrong zero of a joint makes the feet
of one side seem a little faster than those of the other, the same all the time: 2 mrad make an A1 seem to turn at 2 mrad/s, which is ten
times the error of a gyroscope whose bias was learned at rest. Taken for white noise it would be believed.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.consider import change_of_drift
from surefoot.estimation.contact import bears_load
from surefoot.estimation.correction import correct, correct_scalar, drop_foot, set_foot_down
from surefoot.estimation.disagreement import note_disagreement
from surefoot.estimation.filter_state import ERRORS, FEET, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY, ZEROS
from surefoot.estimation.friction import note_friction
from surefoot.estimation.innovations import PLACE, SPEED, begin_blocks, note_innovation
from surefoot.estimation.rolling import roll_by_turn, roll_foot
from surefoot.robot.spatial import multiply, rotate
from surefoot.stack_arrays import stack_matrix, stack_vector

Array = NDArray[np.float64]

GROUND_GATE = 9.0
"""Squared distance of a foot from the believed ground, over its variance, beyond which the foot stands on something else."""


@compiled
def correct_by_legs(state: Any, parameters: Any, slot: Any, resting: bool, yaw_rate_variance: float, step: float) -> None:
    """Correct the state, in place, by what the joints say about the feet in contact, by the ground and by rest.

    Where the velocity of the joints was not measured but differentiated from the positions, it says nothing that they do not say.

    Args:
        state: record of FILTER_STATE.
        parameters: record of FILTER_PARAMETERS.
        slot: record of SLOT whose joints and legs are known.
        resting: whether nothing moves.
        yaw_rate_variance: of what the rate about the vertical has changed by since it was sampled, (rad/s)^2.
        step: since the last sample of the joints, s.
    """
    used, touching, loaded = 0, 0, 0
    by_velocity = slot.velocity_measured > 0.0 and parameters.use_foot_velocity > 0.0
    for leg in range(4):
        in_contact = state.in_contact[leg] > 0.0
        if bears_load(state, leg):
            loaded += 1
        if in_contact:
            touching += 1
            state.contact_for[leg] += step
            # A foot that comes down bounces, for some hundredths of a second, and lies still where it has landed last.
            state.loaded_for[leg] = state.loaded_for[leg] + step if state.load[leg] > parameters.contact_end else 0.0
        else:
            if state.contact_for[leg] > parameters.settling_time:
                state.step_begun = state.time
            state.contact_for[leg] = state.loaded_for[leg] = 0.0
        stands = _foot(state, parameters, slot, leg, in_contact, by_velocity, yaw_rate_variance, step, not resting)
        if in_contact:
            note_friction(state, parameters, leg, stands, step)
        if stands:
            used += 1
            if state.foot_held[leg] > 0.0:
                _ground(state, parameters, leg, slot.ground_offset, slot.ground_normal, step)
    disagree = touching > 0 and used == 0
    if resting and not _rest(state, parameters, parameters.rest_sway_variance if touching > 0 else parameters.rest_tremble_variance):
        # Nothing moves, and the estimate flies: so far away from the truth no foot counts as one that stands.
        disagree = True
    state.all_left_out = state.all_left_out + step if disagree else 0.0
    note_disagreement(state, parameters, disagree or (loaded > 0 and used == 0), used > 0, step)


@compiled
def _foot(
    state: Any, parameters: Any, slot: Any, leg: int, in_contact: bool, by_velocity: bool, yaw_rate_variance: float, step: float,
    keep_heading: bool,
) -> bool:  # fmt: skip
    """Correct by one foot. Returns whether it bears load and was used."""
    jacobian, axes, normal = slot.foot_jacobian[leg], slot.joint_axes[leg], slot.ground_normal
    joint_velocity = slot.joint_velocity[3 * leg : 3 * leg + 3]
    foot, leg_in_odom, bend = stack_vector(3), stack_matrix(3, 3), stack_matrix(3, 3)
    rate, shank_in_base, middle = stack_vector(3), stack_vector(3), stack_vector(3)
    contact, axes_in_odom = stack_matrix(3, 3), stack_matrix(3, 3)
    arm, turn, shank, shank_before, swing = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(3)
    for i in range(3):
        foot[i] = slot.foot_in_base[leg, i] - parameters.imu_in_base[i]
        rate[i] = state.angular_velocity[i] - state.gyroscope_bias[i]
        shank_in_base[i] = rate[i] + axes[i, 0] * joint_velocity[0] + axes[i, 1] * joint_velocity[1] + axes[i, 2] * joint_velocity[2]
    rotate(state.rotation, foot, arm)
    rotate(state.rotation, rate, turn)
    rotate(state.rotation, shank_in_base, shank)
    for i in range(3):
        middle[i] = 0.5 * (shank[i] + state.shank_rate[leg, i])
    multiply(state.rotation, jacobian, leg_in_odom)
    rotate(leg_in_odom, joint_velocity, swing)
    _note_speed(state, leg, arm, turn, swing, shank, normal, parameters.foot_radius)
    for i in range(3):
        shank_before[i], state.shank_rate[leg, i] = state.shank_rate[leg, i], shank[i]
    if not in_contact:
        drop_foot(state, leg)
        begin_blocks(state, PLACE, leg)
        begin_blocks(state, SPEED, leg)
        _follow(state, leg, arm)
        return False

    change_of_drift(rate, jacobian, axes, joint_velocity, bend)
    # Where the foot touches the ground it stands still: how fast that point would move by the leg's joints.
    multiply(state.rotation, axes, axes_in_odom)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            lever = parameters.foot_radius * (axes_in_odom[j, m] * normal[k] - axes_in_odom[k, m] * normal[j])
            contact[i, m] = leg_in_odom[i, m] - lever
    stands = _stands(
        state, parameters, leg, arm, turn, swing, shank, shank_before, normal, contact, bend, by_velocity, yaw_rate_variance, step,
        keep_heading,
    )  # fmt: skip
    # What the velocity has corrected counts for the position.
    rotate(state.rotation, foot, arm)
    noise = stack_matrix(3, 3)
    _noise(leg_in_odom, parameters.encoder_variance, parameters.foot_variance, noise)
    if state.foot_held[leg] == 0.0:
        if stands and state.loaded_for[leg] > parameters.settling_time:
            set_foot_down(state, leg, arm, leg_in_odom, noise, parameters.zero_deviation)
        else:
            _follow(state, leg, arm)
        return stands
    if stands:
        sensitivity, innovation, by_zeros = stack_matrix(3, ERRORS), stack_vector(3), stack_matrix(3, ZEROS)
        turned = stack_vector(3)
        _clear(sensitivity)
        _clear(by_zeros)
        roll_foot(state, leg, middle, normal, parameters.foot_radius, step)
        for i in range(3):
            sensitivity[i, POSITION + i] = -1.0
            sensitivity[i, FEET + 3 * leg + i] = 1.0
            innovation[i] = arm[i] - (state.feet[leg, i] - state.position[i])
            # By the estimate, as the errors take it (unseen.py), and not by the sample, whose noise is in the innovation as well.
            turned[i] = state.feet[leg, i] - state.position[i] - state.moved_by[2 + leg, i] + state.moved_by[0, i]
            for joint in range(3):
                by_zeros[i, 3 * leg + joint] = parameters.zero_deviation * leg_in_odom[i, joint]
        _cross_matrix(sensitivity, ORIENTATION, turned)
        stands = _correct_and_note(state, parameters, PLACE, leg, sensitivity, innovation, noise, by_zeros, step, keep_heading)
    if stands:
        state.foot_left_out[leg] = 0.0
        return True
    state.foot_left_out[leg] += step
    if state.foot_left_out[leg] > parameters.foot_reset_time:
        drop_foot(state, leg)
    return False


@compiled
def _follow(state: Any, leg: int, arm: Array) -> None:
    """Keep the place of a foot that is no part of the state where the joints say that it is, `arm` (3,) from the IMU."""
    for i in range(3):
        state.feet[leg, i] = state.position[i] + arm[i]


@compiled
def _note_speed(state: Any, leg: int, arm: Array, turn: Array, swing: Array, shank: Array, normal: Array, radius: float) -> None:
    """Remember how fast a foot moves beyond its rolling; arguments as in `_stands`."""
    squared = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rest = state.velocity[i] + turn[j] * arm[k] - turn[k] * arm[j] + swing[i] - radius * (shank[j] * normal[k] - shank[k] * normal[j])
        squared += rest * rest
    state.foot_speed_squared[leg] = squared


@compiled
def _noise(leg_in_odom: Array, joint_variance: float, variance: float, result: Array) -> None:
    """Covariance of a foot by its joints, plus a variance in every direction, (3, 3)."""
    for i in range(3):
        for j in range(3):
            dot = leg_in_odom[i, 0] * leg_in_odom[j, 0] + leg_in_odom[i, 1] * leg_in_odom[j, 1] + leg_in_odom[i, 2] * leg_in_odom[j, 2]
            result[i, j] = joint_variance * dot
        result[i, i] += variance


@compiled
def _stands(
    state: Any, parameters: Any, leg: int, arm: Array, turn: Array, swing: Array, shank: Array, shank_before: Array, normal: Array,
    contact: Array, bend: Array, by_velocity: bool, yaw_rate_variance: float, step: float, keep_heading: bool,
) -> bool:  # fmt: skip
    """Correct by the velocity of a foot, which should only roll. Returns whether it does so within the gate.

    `contact` is the derivative by the leg's joints of the place of that point of the foot that touches the ground, (3, 3), in odom.
    """
    sensitivity, innovation, drift = stack_matrix(3, ERRORS), stack_vector(3), stack_vector(3)
    noise, by_zeros, lever, by_turn = stack_matrix(3, 3), stack_matrix(3, ZEROS), stack_vector(3), stack_matrix(3, 3)
    _clear(sensitivity)
    _clear(by_zeros)
    for i in range(3):
        lever[i] = arm[i] - parameters.foot_radius * normal[i]
    rate_variance = parameters.gyroscope_variance
    squared = lever[0] * lever[0] + lever[1] * lever[1] + lever[2] * lever[2]
    along, upwards = _slip_variances(state, parameters, leg)
    _noise(contact, parameters.joint_velocity_variance, along + rate_variance * squared, noise)
    # Of what the rate about the vertical is wrong by, legs say nothing.
    noise[0, 0] += yaw_rate_variance * lever[1] * lever[1]
    noise[1, 1] += yaw_rate_variance * lever[0] * lever[0]
    noise[0, 1] -= yaw_rate_variance * lever[0] * lever[1]
    noise[1, 0] -= yaw_rate_variance * lever[0] * lever[1]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        drift[i] = turn[j] * arm[k] - turn[k] * arm[j] + swing[i]
        roll = parameters.foot_radius * (shank[j] * normal[k] - shank[k] * normal[j])
        innovation[i] = roll - state.velocity[i] - drift[i]
        sensitivity[i, VELOCITY + i] = 1.0
        for m in range(3):
            noise[i, m] += (upwards - along) * normal[i] * normal[m] - rate_variance * lever[i] * lever[m]
            # -(R bias) x lever
            sensitivity[i, GYROSCOPE_BIAS + m] = lever[j] * state.rotation[k, m] - lever[k] * state.rotation[j, m]
            for n in range(3):
                by_zeros[i, 3 * leg + m] -= parameters.zero_deviation * state.rotation[i, n] * bend[n, m]
    for i in range(3):
        # What the drift is by the estimate and by the sample before, and not by this one: its noise would be in the innovation and in its
        # derivative both, and the product of the two has a mean, which tilted an A1 that stood by 2 mrad/s.
        j, k = (i + 1) % 3, (i + 2) % 3
        rolled = parameters.foot_radius * (shank_before[j] * normal[k] - shank_before[k] * normal[j])
        drift[i] = state.velocity[i] - state.moved_by[1, i] - rolled
        if keep_heading:
            # What it says of the bias about the vertical would not move the bias, but the position, which has followed the bias for as long
            # as the robot walks.
            about = 0.0
            for m in range(3):
                about += sensitivity[i, GYROSCOPE_BIAS + m] * state.rotation[2, m]
            for m in range(3):
                sensitivity[i, GYROSCOPE_BIAS + m] -= about * state.rotation[2, m]
    _cross_matrix(sensitivity, ORIENTATION, drift)
    roll_by_turn(shank_before, normal, parameters.foot_radius, by_turn)
    for i in range(3):
        for m in range(3):
            sensitivity[i, ORIENTATION + m] -= by_turn[i, m]
    if by_velocity:
        return _correct_and_note(state, parameters, SPEED, leg, sensitivity, innovation, noise, by_zeros, step, keep_heading)
    distance = innovation[0] ** 2 + innovation[1] ** 2 + innovation[2] ** 2
    return bool(distance <= parameters.innovation_gate * (noise[0, 0] + noise[1, 1] + noise[2, 2]) / 3.0)


@compiled
def _correct_and_note(
    state: Any, parameters: Any, kind: int, leg: int, sensitivity: Array, innovation: Array, noise: Array, by_zeros: Array, step: float,
    keep_heading: bool,
) -> bool:  # fmt: skip
    """As correct; a measurement that was used is noted for the test of the innovations."""
    white = stack_vector(3)
    used = correct(state, sensitivity, innovation, noise, by_zeros, white, parameters.innovation_gate, keep_heading)
    if used:
        note_innovation(state, parameters, kind, leg, white, by_zeros, step)
    return used


@compiled
def _slip_variances(state: Any, parameters: Any, leg: int) -> tuple[float, float]:
    """Of the speed of a foot in contact along the ground and along its normal: more just after touchdown, and with hardly any load.

    A foot that has come down soon stops to slide, and sinks for longer.
    """
    light = (parameters.contact_begin / state.load[leg]) ** 4 if state.load[leg] > parameters.contact_begin else 1.0
    slides = max(light, math.exp(-2.0 * state.loaded_for[leg] / parameters.slide_time))
    sinks = max(light, math.exp(-2.0 * state.loaded_for[leg] / parameters.sink_time))
    touchdown = parameters.touchdown_speed_variance
    return parameters.slip_variance + touchdown * slides, parameters.sink_variance + touchdown * sinks


@compiled
def _ground(state: Any, parameters: Any, leg: int, offset: float, normal: Array, step: float) -> None:
    """Correct by the ground: a foot that bears load has its centre one radius above the believed plane.

    The ground's error under a foot lasts, so a single tick only carries step / ground_height_time of its information. A foot that is
    further from the plane than the plane is uncertain stands on something else, a step or a slope: it says nothing about the height.
    """
    sensitivity = stack_vector(ERRORS)
    for i in range(ERRORS):
        sensitivity[i] = 0.0
    distance = -offset
    for i in range(3):
        sensitivity[FEET + 3 * leg + i] = normal[i]
        distance += normal[i] * state.feet[leg, i]
    error, spread = parameters.foot_radius - distance, parameters.ground_height_variance
    for i in range(3):
        for j in range(3):
            spread += normal[i] * normal[j] * state.covariance[FEET + 3 * leg + i, FEET + 3 * leg + j]
    if not error * error <= GROUND_GATE * spread:
        return
    variance = parameters.ground_height_variance * max(1.0, parameters.ground_height_time / step)
    correct_scalar(state, sensitivity, error, variance, np.inf)


@compiled
def _rest(state: Any, parameters: Any, variance: float) -> bool:
    """Correct by rest: the velocity is zero, and the gyroscope shows its bias, but for a rate of some variance, (rad/s)^2.

    Returns:
        Whether the estimate agrees that the velocity is zero.
    """
    sensitivity, noise, innovation, by_zeros = stack_matrix(3, ERRORS), stack_matrix(3, 3), stack_vector(3), stack_matrix(3, ZEROS)
    white, before = stack_vector(3), stack_vector(3)
    _clear(sensitivity)
    _clear(noise)
    _clear(by_zeros)
    for i in range(3):
        sensitivity[i, VELOCITY + i] = 1.0
        noise[i, i] = parameters.rest_velocity_variance
        innovation[i] = -state.velocity[i]
        before[i] = state.velocity[i] - state.moved_by[1, i]
    # No velocity is none whatever the attitude: of a turn, which turns the estimate of it as well, it says nothing.
    _cross_matrix(sensitivity, ORIENTATION, before)
    agrees = correct(state, sensitivity, innovation, noise, by_zeros, white, parameters.innovation_gate, False)
    _clear(by_zeros)
    _clear(sensitivity)
    for i in range(3):
        sensitivity[i, GYROSCOPE_BIAS + i] = 1.0
        noise[i, i] = parameters.gyroscope_variance + variance
        innovation[i] = state.angular_velocity[i] - state.gyroscope_bias[i]
    correct(state, sensitivity, innovation, noise, by_zeros, white, parameters.innovation_gate, False)
    return agrees


@compiled
def _clear(target: Array) -> None:
    """Zeros in all of a matrix."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = 0.0


@compiled
def _cross_matrix(target: Array, column: int, vector: Array) -> None:
    """Write [vector]x into three columns of a (3, n) array."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        target[i, column + i] = 0.0
        target[i, column + j] = -vector[k]
        target[i, column + k] = vector[j]

# SPDX-License-Identifier: Apache-2.0
"""From slot to slot: predict by the IMU, judge contact and rest, correct by whatever was measured at that instant."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.absolute import correct_by_field, correct_by_pose
from surefoot.estimation.contact import FORCE, TORQUE, feel_force, foot_force_from_torque, miss, see_motion
from surefoot.estimation.filter_state import Records
from surefoot.estimation.ground_torque import update_ground_torque
from surefoot.estimation.imu_extrapolation import vertical_walk
from surefoot.estimation.legs import correct_by_legs
from surefoot.estimation.prediction import note_sample, predict
from surefoot.estimation.rest import update_rest
from surefoot.estimation.unseen import turn_errors_along
from surefoot.robot.leg_kinematics import foot_terms_in_base
from surefoot.stack_arrays import stack_vector

Array = NDArray[np.float64]


@compiled
def replay(memories: Records, slots: Records, first: int, end: int, parameter_records: Records, trees: Records) -> None:
    """Compute the memories from `first` on, each from the one before it and its slot.

    Args:
        memories: of FILTER_STATE; the one before `first` answers to its slot.
        slots: of SLOT, in the order of time.
        first, end: range of indices.
        parameter_records: (1,) of FILTER_PARAMETERS.
        trees: (1,) of the robot's leg record.
    """
    for index in range(first, end):
        memories[index] = memories[index - 1]
        advance(memories, slots, index, end, parameter_records, trees)


@compiled
def advance(memories: Records, slots: Records, index: int, end: int, parameter_records: Records, trees: Records) -> None:
    """Bring one memory, in place, from its own time to its slot's; arguments as in `replay`."""
    state, slot, parameters, tree = memories[index], slots[index], parameter_records[0], trees[0]
    step = slot.time - state.time
    rate, force = stack_vector(3), stack_vector(3)
    span = _imu_at(state, slots, index, end, rate, force)
    resting = False
    if slot.has_joints > 0.0:
        _know_legs(slot, tree)
    if slot.has_joints > 0.0 or slot.has_feet > 0.0:
        resting = _watch(state, slot, parameters, tree, rate)
    held = span == 0.0
    if step > 0.0:
        held_for = -1.0
        if held:
            span, held_for = max(step, state.imu_span), state.time - state.imu_time
        predict(state, parameters, rate, force, step, span, held_for)
    state.time = slot.time
    # A rate that is held is wrong by what it has changed since, and so is what the feet say of the velocity by it.
    yaw_rate_variance = 0.0
    if held and np.isfinite(state.imu_time):
        yaw_rate_variance = vertical_walk(state) * (slot.time - state.imu_time)
    if slot.has_imu > 0.0:
        note_sample(state, parameters, slot.angular_velocity, slot.specific_force, slot.time - state.imu_time)
        if np.isfinite(state.imu_time):
            _note_silence(state, parameters, span)
            state.imu_span = span
        state.imu_time = slot.time
    if slot.has_joints > 0.0:
        joint_step = slot.time - state.joint_time
        if joint_step > 0.0 and np.isfinite(joint_step):
            correct_by_legs(state, parameters, slot, resting, yaw_rate_variance, joint_step)
            _note_silence(state, parameters, joint_step)
        state.joint_time = slot.time
    if slot.has_pose > 0.0:
        turn_errors_along(state)
        correct_by_pose(state, parameters, slot.pose_position, slot.pose_rotation, slot.pose_variance)
    if slot.has_field > 0.0:
        correct_by_field(state, parameters, slot.magnetic_field, slot.field_variance)
    if slot.has_joints > 0.0 or slot.has_pose > 0.0 or slot.has_field > 0.0:
        turn_errors_along(state)


@compiled
def all_finite(numbers: Array, row: int, columns: NDArray[np.intp]) -> bool:
    """Whether some numbers of a row of (n, m) are finite."""
    finite = True
    for column in columns:
        finite = finite and math.isfinite(numbers[row, column])
    return finite


@compiled
def look_ahead(memories: Records, parameter_records: Records, time: float) -> None:
    """Predict a memory (1,), in place, to a time after its own, s: the IMU goes on as it was."""
    state = memories[0]
    step = time - state.time
    rate, force = stack_vector(3), stack_vector(3)
    for i in range(3):
        rate[i], force[i] = state.angular_velocity[i], state.specific_force[i]
    predict(state, parameter_records[0], rate, force, step, max(step, state.imu_span), state.time - state.imu_time)
    state.time = time


@compiled
def _imu_at(state: Any, slots: Records, index: int, end: int, rate: Array, force: Array) -> float:
    """What the IMU says at a slot: its sample, what lies between its neighbours, or the last one held.

    Returns:
        Time between the samples on both sides, s; 0 where the last one is held.
    """
    here = slots[index]
    following = index
    while following < end and slots[following].has_imu == 0.0:
        following += 1
    if following == end:
        for i in range(3):
            rate[i], force[i] = state.angular_velocity[i], state.specific_force[i]
        return 0.0
    after = slots[following]
    if following == index:
        for i in range(3):
            rate[i], force[i] = here.angular_velocity[i], here.specific_force[i]
    else:
        share = (here.time - state.time) / (after.time - state.time)
        for i in range(3):
            rate[i] = state.angular_velocity[i] + share * (after.angular_velocity[i] - state.angular_velocity[i])
            force[i] = state.specific_force[i] + share * (after.specific_force[i] - state.specific_force[i])
    return float(after.time - state.imu_time)


@compiled
def _know_legs(slot: Any, tree: Any) -> None:
    """Work out, once, what the joints of a slot say of the legs whatever the estimate is."""
    if slot.legs_known == 0.0:
        for leg in range(4):
            joints = slot.joint_position[3 * leg : 3 * leg + 3]
            foot_terms_in_base(tree, leg, joints, slot.foot_in_base[leg], slot.foot_jacobian[leg], slot.joint_axes[leg])
        slot.legs_known = 1.0


@compiled
def _watch(state: Any, slot: Any, parameters: Any, tree: Any, rate: Array) -> bool:
    """Judge contact and rest by the joints and the foot forces of a slot. Returns whether the robot rests."""
    normal, gravity, turning, torque, force = stack_vector(3), stack_vector(3), stack_vector(3), stack_vector(12), stack_vector(3)
    for i in range(3):
        normal[i] = 0.0
        for j in range(3):
            normal[i] += slot.ground_normal[j] * state.rotation[j, i]
        gravity[i] = -parameters.gravity * state.rotation[2, i]
        turning[i] = rate[i] - state.gyroscope_bias[i]
    resting, step = False, 0.0
    if slot.has_joints > 0.0:
        step = slot.time - state.joint_time if np.isfinite(state.joint_time) else 0.0
        resting = update_rest(state, parameters, turning, slot.joint_position, step)
        effort = slot.joint_effort
        update_ground_torque(state, parameters, tree, gravity, turning, slot.joint_position, slot.joint_velocity, effort, step, torque)
    for leg in range(4):
        if slot.has_joints > 0.0:
            # It is that of the sample before: first what is older.
            see_motion(state, parameters, leg, step)
        if slot.has_feet > 0.0 and np.isfinite(slot.foot_force[leg, 0] + slot.foot_force[leg, 1] + slot.foot_force[leg, 2]):
            state.foot_force_time[leg] = slot.time
            for i in range(3):
                state.foot_force[leg, i] = slot.foot_force[leg, i]
            feel_force(state, parameters, leg, FORCE, state.foot_force[leg], normal)
        elif not slot.time - state.foot_force_time[leg] <= parameters.sensor_timeout:
            miss(state, parameters, leg, FORCE)
        if slot.has_joints > 0.0:
            foot_force_from_torque(torque[3 * leg : 3 * leg + 3], slot.foot_jacobian[leg], parameters.jacobian_damping, force)
            feel_force(state, parameters, leg, TORQUE, force, normal)
    return resting


@compiled
def _note_silence(state: Any, parameters: Any, silence: float) -> None:
    """A sensor that was silent for too long makes the estimate doubtful for a while."""
    if silence > parameters.sensor_timeout:
        state.silence, state.trust_after = silence, state.time + parameters.recovery_time

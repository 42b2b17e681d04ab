# SPDX-License-Identifier: Apache-2.0
"""From the filter's memory, which is about the IMU's origin, to the state of the robot with its covariances."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.estimation.consider import honest_covariance
from surefoot.estimation.filter_state import ACCELEROMETER_BIAS, FILTER_STATE, GYROSCOPE_BIAS, ORIENTATION, POSITION, VELOCITY, Records
from surefoot.estimation.flat import columns_of
from surefoot.estimation.friction import believed_friction
from surefoot.estimation.imu_extrapolation import vertical_walk
from surefoot.estimation.intake import PLACE
from surefoot.estimation.joint_motion import Joints, joints_ahead
from surefoot.estimation.rotation import quaternion_from_rotation, turned
from surefoot.robot.state import RobotState

Array = NDArray[np.float64]

MEMORY = columns_of(FILTER_STATE)
"""Of each field of a memory in its numbers."""

OUTSIDE = {f"{sensor}_outside": MEMORY[f"{sensor}_refused"].start for sensor in ("pose", "field")}
"""Kinds of refusals that the filter itself counts, and where in those numbers."""

SEEN = ACCELEROMETER_BIAS
"""Of so many errors, the first ones, the base's pose and twist depend: not on the accelerometer's bias, nor on the feet."""


class BaseEstimate(NamedTuple):
    """Pose and twist of the base origin in odom; fields as in RobotState, rotation (3, 3) is odom_from_base.

    How sure the twist is, is said of the twist along the base. Nobody tells a robot its heading, and one that does not know it knows how it
    moves all the same: with its doubt, one that was started again could not walk, nor one that has walked for an hour.
    """

    position: Array
    rotation: Array
    quaternion: Array
    linear_velocity: Array
    angular_velocity: Array
    pose_covariance: Array
    twist_covariance: Array


def base_estimate(states: Records, parameters: Records) -> BaseEstimate:
    """Read the base out of a filter state.

    Args:
        states: (1,) of FILTER_STATE.
        parameters: (1,) of FILTER_PARAMETERS.
    """
    numbers = np.empty(94)
    _base_estimate(states, parameters, numbers)
    return BaseEstimate(
        numbers[:3], numbers[3:12].reshape(3, 3), numbers[12:16], numbers[16:19], numbers[19:22],
        numbers[22:58].reshape(6, 6), numbers[58:].reshape(6, 6),
    )  # fmt: skip


def estimated_state(
    time: float, memory: Array, base: BaseEstimate, slot: Array, joints: Joints, force_timeout: float, reasons: Sequence[str]
) -> RobotState:
    """The state of the robot.

    Args:
        time: s.
        memory: numbers of FILTER_STATE.
        base: read out of it.
        slot: numbers of SLOT with the newest joints.
        joints: at the time.
        force_timeout: after which the force of a foot is not known any more, s.
        reasons: everything that speaks against walking on it; empty if it is valid.
    """
    force = memory[MEMORY["foot_force"]].reshape(4, 3).copy()
    for leg, heard in enumerate(memory[MEMORY["foot_force_time"]].tolist()):
        if not time - heard <= force_timeout:
            force[leg] = np.nan
    return RobotState(
        time=time,
        base_position=base.position,
        base_quaternion=base.quaternion,
        base_linear_velocity=base.linear_velocity,
        base_angular_velocity=base.angular_velocity,
        joint_position=joints.position,
        joint_velocity=joints.velocity,
        joint_effort=slot[PLACE["joint_effort"]].copy(),
        contact_probability=memory[MEMORY["contact_probability"]].copy(),
        foot_force=force @ base.rotation.T,
        foot_friction=believed_friction(memory[MEMORY["slip_ratio"]], memory[MEMORY["slip_time"]]),
        pose_covariance=base.pose_covariance,
        twist_covariance=base.twist_covariance,
        joint_position_variance=joints.position_variance,
        joint_velocity_variance=joints.velocity_variance,
        invalid_reason="; ".join(reasons),
    )


def unstarted_state(time: float, slot: Array, parameters: Records, reason: str) -> RobotState:
    """What is said before the filter runs: the joints, if they have spoken, and that the rest is unknown; arguments as above."""
    zero, joints = np.zeros(3), joints_ahead(slot, 0.0, parameters[0], 0.0)
    unknown = np.diag(np.full(6, 1e6))
    return RobotState(
        time=time,
        base_position=zero,
        base_quaternion=np.array([0.0, 0.0, 0.0, 1.0]),
        base_linear_velocity=zero,
        base_angular_velocity=zero,
        joint_position=joints.position,
        joint_velocity=joints.velocity,
        joint_effort=slot[PLACE["joint_effort"]].copy(),
        contact_probability=np.zeros(4),
        pose_covariance=unknown,
        twist_covariance=unknown.copy(),
        joint_position_variance=joints.position_variance,
        joint_velocity_variance=joints.velocity_variance,
        invalid_reason=reason,
    )


@compiled
def _base_estimate(states: Records, parameter_records: Records, numbers: Array) -> None:
    """Write the parts of a BaseEstimate one after the other, (94,)."""
    state, parameters = states[0], parameter_records[0]
    rotation, rate = np.empty((3, 3)), np.empty(3)
    for i in range(3):
        for j in range(3):
            rotation[i, j] = state.rotation[i, j]
        rate[i] = state.angular_velocity[i] - state.gyroscope_bias[i]
    arm, angular_velocity = turned(rotation, parameters.imu_in_base), turned(rotation, rate)
    position, velocity, arm_velocity = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        arm_velocity[i] = angular_velocity[j] * arm[k] - angular_velocity[k] * arm[j]
        position[i], velocity[i] = state.position[i] - arm[i], state.velocity[i] - arm_velocity[i]
    jacobian = _jacobian(state, rotation, arm)
    covariance = _transformed(honest_covariance(state, SEEN), jacobian)
    variance, walked = parameters.gyroscope_variance, 0.0
    if np.isfinite(state.imu_time) and state.time > state.imu_time:
        walked = vertical_walk(state) * (state.time - state.imu_time)
    squared = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    # What the gyroscope's last sample is wrong by now, which turns the velocity of the base by the arm to the IMU as well; what it has
    # walked since is in the bias, but about the vertical.
    by_yaw = (arm[1], -arm[0])
    covariance[11, 11] += walked
    for i in range(2):
        covariance[6 + i, 11] += walked * by_yaw[i]
        covariance[11, 6 + i] += walked * by_yaw[i]
        for j in range(2):
            covariance[6 + i, 6 + j] += walked * by_yaw[i] * by_yaw[j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        covariance[6 + i, 6 + i] += variance * squared
        covariance[9 + i, 9 + i] += variance
        covariance[6 + i, 9 + j] -= variance * arm[k]
        covariance[6 + i, 9 + k] += variance * arm[j]
        covariance[9 + j, 6 + i] -= variance * arm[k]
        covariance[9 + k, 6 + i] += variance * arm[j]
        for m in range(3):
            covariance[6 + i, 6 + m] -= variance * arm[i] * arm[m]
    quaternion = quaternion_from_rotation(rotation)
    for i in range(3):
        numbers[i], numbers[16 + i], numbers[19 + i] = position[i], velocity[i], angular_velocity[i]
        for j in range(3):
            numbers[3 + 3 * i + j] = rotation[i, j]
    for i in range(4):
        numbers[12 + i] = quaternion[i]
    for i in range(6):
        for j in range(6):
            numbers[22 + 6 * i + j], numbers[58 + 6 * i + j] = covariance[i, j], covariance[6 + i, 6 + j]


@compiled
def _jacobian(state: Any, rotation: Array, arm: Array) -> Array:
    """Of position, orientation, linear and angular velocity of the base by the error state, (12, SEEN).

    Of the velocities as those along the base would be, R^T v and R^T w, in the axes of odom by the rotation R that is estimated: a turn of
    the estimate d takes the velocity of the IMU v along, and changes v - d x v by nothing.
    """
    result = np.zeros((12, SEEN))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        result[i, POSITION + i] = result[3 + i, ORIENTATION + i] = result[6 + i, VELOCITY + i] = 1.0
        result[i, ORIENTATION + j], result[i, ORIENTATION + k] = -arm[k], arm[j]
        result[6 + i, ORIENTATION + j], result[6 + i, ORIENTATION + k] = -state.velocity[k], state.velocity[j]
        for m in range(3):
            result[6 + i, GYROSCOPE_BIAS + m] = arm[k] * rotation[j, m] - arm[j] * rotation[k, m]
            result[9 + i, GYROSCOPE_BIAS + m] = -rotation[i, m]
    return result


@compiled
def _transformed(covariance: Any, jacobian: Array) -> Array:
    """jacobian @ covariance @ jacobian.T, exactly symmetric, (12, 12)."""
    half = np.zeros((12, SEEN))
    for i in range(12):
        for m in range(SEEN):
            if jacobian[i, m] != 0.0:
                for n in range(SEEN):
                    half[i, n] += jacobian[i, m] * covariance[m, n]
    result = np.empty((12, 12))
    for i in range(12):
        for j in range(i + 1):
            total = 0.0
            for m in range(SEEN):
                total += half[i, m] * jacobian[j, m]
            result[i, j] = result[j, i] = total
    return result

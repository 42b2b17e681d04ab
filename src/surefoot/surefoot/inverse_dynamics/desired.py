# SPDX-License-Identifier: Apache-2.0
"""What the errors of base and feet ask for, as accelerations."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.compilation import compiled
from surefoot.inverse_dynamics.law import SINGULAR
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms
from surefoot.robot.spatial import damped_inverse, rotation_from_quaternion, rotation_from_roll_pitch_yaw, rotation_vector, yaw_of

Array = NDArray[np.float64]
Gain = tuple[float, float, float]
"""Along the three axes of the heading frame."""


class Attitude(NamedTuple):
    """Where the base points and where it should, as odom_from_base.

    Attributes:
        measured: (3, 3).
        planned: (3, 3): R_z(yaw) R_y(pitch) R_x(roll).
        turn: from measured to planned in odom axes, (3, 3): planned measured^T.
        error: the same as a rotation vector, (3,), rad.
    """

    measured: Array
    planned: Array
    turn: Array
    error: Array

    @staticmethod
    def of(plan: np.void, state: np.void) -> "Attitude":
        """The attitudes of a plan and a state."""
        attitude = Attitude(np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3))
        _write_attitude(plan["base_roll_pitch_yaw"], state["base_quaternion"], *attitude)
        return attitude


@compiled
def _write_attitude(tilt: Array, quaternion: Array, measured: Array, planned: Array, turn: Array, error: Array) -> None:
    unit = quaternion / math.sqrt((quaternion * quaternion).sum())
    rotation_from_quaternion(unit, measured)
    rotation_from_roll_pitch_yaw(tilt[0], tilt[1], tilt[2], planned)
    for i in range(3):
        for j in range(3):
            turn[i, j] = planned[i, 0] * measured[j, 0] + planned[i, 1] * measured[j, 1] + planned[i, 2] * measured[j, 2]
    rotation_vector(turn, error)


def wanted_base_acceleration(gains: ControlDescription, attitude: Attitude, plan: np.void, state: np.void) -> Array:
    """Acceleration of the base that is planned and would mend its errors, (6,), linear then angular, in the axes of odom.

    The gains act in the heading frame, so that they mean forward, left and up, and roll, pitch and yaw.
    """
    wanted = np.empty((2, 3))
    _write_wanted(
        attitude.measured, attitude.error, plan["base_position"], plan["base_velocity"], plan["base_rate"], plan["base_acceleration"],
        state["base_position"], state["base_velocity"], state["base_rate"], gains.base_position_gain, gains.base_velocity_gain,
        gains.base_orientation_gain, gains.base_rate_gain, wanted,
    )  # fmt: skip
    return wanted.ravel()


@compiled
def _write_wanted(
    measured: Array, error: Array, planned_position: Array, planned_velocity: Array, planned_rate: Array, planned_acceleration: Array,
    position: Array, velocity: Array, rate: Array, position_gain: Gain, velocity_gain: Gain, orientation_gain: Gain, rate_gain: Gain,
    wanted: Array,
) -> None:  # fmt: skip
    yaw = yaw_of(measured)
    _write_mended(yaw, position_gain, planned_position - position, velocity_gain, planned_velocity - velocity, wanted[0])
    _write_mended(yaw, orientation_gain, error, rate_gain, planned_rate - rate, wanted[1])
    wanted[0] += planned_acceleration


@compiled
def _write_mended(yaw: float, gain: Gain, error: Array, rate_gain: Gain, rate_error: Array, out: Array) -> None:
    """gain error + rate_gain rate_error, with gains along the axes of a heading frame and vectors in those of odom, (3,)."""
    cosine, sine = math.cos(yaw), math.sin(yaw)
    ahead = gain[0] * (cosine * error[0] + sine * error[1]) + rate_gain[0] * (cosine * rate_error[0] + sine * rate_error[1])
    aside = gain[1] * (cosine * error[1] - sine * error[0]) + rate_gain[1] * (cosine * rate_error[1] - sine * rate_error[0])
    out[0], out[1] = cosine * ahead - sine * aside, sine * ahead + cosine * aside
    out[2] = gain[2] * error[2] + rate_gain[2] * rate_error[2]


def leg_inverses(terms: RigidBodyTerms) -> Array:
    """Inverses of the leg Jacobians, damped where a leg is stretched, (4, 3, 3)."""
    inverses = np.empty((4, 3, 3))
    _write_leg_inverses(terms.foot_jacobians, inverses)
    return inverses


@compiled
def _write_leg_inverses(foot_jacobians: Array, inverses: Array) -> None:
    for leg in range(4):
        # The very function of the compiled form: what damping does near a singularity is part of the law.
        damped_inverse(np.ascontiguousarray(foot_jacobians[leg, :, 6 + 3 * leg : 9 + 3 * leg]), SINGULAR, inverses[leg])


def wanted_foot_accelerations(gains: ControlDescription, plan: np.void, terms: RigidBodyTerms) -> Array:
    """Accelerations of the feet in odom axes, (4, 3), m/s^2.

    A loaded foot is braked to rest, on top of the acceleration that is planned for it: none, but for one that lands, see `anticipation`.
    Any other follows its path.
    """
    wanted: Array = plan["foot_acceleration"].copy()
    _add_wanted(
        plan["load"], plan["foot_position"], plan["foot_velocity"], terms.foot_positions, terms.foot_velocities,
        gains.contact_velocity_gain, gains.foot_position_gain, gains.foot_velocity_gain, wanted,
    )  # fmt: skip
    return wanted


@compiled
def _add_wanted(
    load: Array, planned_position: Array, planned_velocity: Array, position: Array, velocity: Array, contact_velocity_gain: float,
    position_gain: float, velocity_gain: float, wanted: Array,
) -> None:  # fmt: skip
    for leg in range(4):
        if load[leg] > 0.0:
            wanted[leg] -= contact_velocity_gain * velocity[leg]
        else:
            wanted[leg] += position_gain * (planned_position[leg] - position[leg]) + velocity_gain * (planned_velocity[leg] - velocity[leg])


def leg_accelerations(gains: ControlDescription, plan: np.void, terms: RigidBodyTerms, inverses: Array) -> tuple[Array, Array]:
    """Joint accelerations as constant + by_base times the base acceleration, for the feet of `wanted_foot_accelerations`.

    Args:
        inverses: see `leg_inverses`.

    Returns:
        constant (12,), rad/s^2, and by_base (12, 6).
    """
    constant, by_base = np.empty(12), np.empty((12, 6))
    wanted = wanted_foot_accelerations(gains, plan, terms)
    _write_leg_accelerations(inverses, wanted, terms.foot_bias_accelerations, terms.foot_jacobians, constant, by_base)
    return constant, by_base


@compiled
def _write_leg_accelerations(
    inverses: Array, wanted: Array, bias_accelerations: Array, foot_jacobians: Array, constant: Array, by_base: Array
) -> None:
    for leg in range(4):
        joints = slice(3 * leg, 3 * leg + 3)
        constant[joints] = inverses[leg] @ (wanted[leg] - bias_accelerations[leg])
        by_base[joints] = -(inverses[leg] @ np.ascontiguousarray(foot_jacobians[leg, :, :6]))

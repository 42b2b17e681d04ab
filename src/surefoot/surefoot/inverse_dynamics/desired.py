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
from surefoot.robot.spatial import damped_inverse, rotation_from_roll_pitch_yaw, rotation_vector
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]


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
        measured, planned, error = rotation_matrix(state["base_quaternion"]), np.empty((3, 3)), np.empty(3)
        roll, pitch, yaw = plan["base_roll_pitch_yaw"].tolist()
        rotation_from_roll_pitch_yaw(roll, pitch, yaw, planned)
        turn = planned.dot(measured.T)
        rotation_vector(turn, error)
        return Attitude(measured, planned, turn, error)


def wanted_base_acceleration(gains: ControlDescription, attitude: Attitude, plan: np.void, state: np.void) -> Array:
    """Acceleration of the base that is planned and would mend its errors, (6,), linear then angular, in the axes of odom.

    The gains act in the heading frame, so that they mean forward, left and up, and roll, pitch and yaw.
    """
    yaw = math.atan2(attitude.measured[1, 0], attitude.measured[0, 0])
    cosine, sine = math.cos(yaw), math.sin(yaw)
    heading = np.array(((cosine, -sine, 0.0), (sine, cosine, 0.0), (0.0, 0.0, 1.0)))
    errors = np.empty((4, 3))
    np.subtract(plan["base_position"], state["base_position"], out=errors[0])
    errors[1] = attitude.error
    np.subtract(plan["base_velocity"], state["base_velocity"], out=errors[2])
    np.subtract(plan["base_rate"], state["base_rate"], out=errors[3])
    by_error = np.array((gains.base_position_gain, gains.base_orientation_gain, gains.base_velocity_gain, gains.base_rate_gain))
    mended = by_error * errors.dot(heading)
    wanted: Array = (mended[:2] + mended[2:]).dot(heading.T)
    wanted[0] += plan["base_acceleration"]
    return wanted.ravel()


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
    """Accelerations of the feet in odom axes, (4, 3), m/s^2: a loaded foot is braked to rest, any other follows its path."""
    wanted: Array = -gains.contact_velocity_gain * terms.foot_velocities
    swinging = (plan["load"] <= 0.0).nonzero()[0]
    if len(swinging):
        followed = (
            plan["foot_acceleration"]
            + gains.foot_position_gain * (plan["foot_position"] - terms.foot_positions)
            + gains.foot_velocity_gain * (plan["foot_velocity"] - terms.foot_velocities)
        )
        wanted[swinging] = followed[swinging]
    return wanted


def leg_accelerations(gains: ControlDescription, plan: np.void, terms: RigidBodyTerms, inverses: Array) -> tuple[Array, Array]:
    """Joint accelerations as constant + by_base times the base acceleration, for the feet of `wanted_foot_accelerations`.

    Args:
        inverses: see `leg_inverses`.

    Returns:
        constant (12,), rad/s^2, and by_base (12, 6).
    """
    feet = np.empty((4, 3, 7))
    feet[:, :, :6] = terms.foot_jacobians[:, :, :6]
    np.subtract(terms.foot_bias_accelerations, wanted_foot_accelerations(gains, plan, terms), out=feet[:, :, 6])
    joints = -(inverses @ feet).reshape(12, 7)
    return joints[:, 6], joints[:, :6]

# SPDX-License-Identifier: Apache-2.0
"""What the errors of base and feet ask for, as accelerations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.inverse_dynamics.law import SINGULAR
from surefoot.robot.description import ControlDescription
from surefoot.robot.model import RigidBodyTerms
from surefoot.robot.spatial import damped_inverse, rotation_from_roll_pitch_yaw, rotation_vector
from surefoot.rotation import rotation_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Attitude:
    """Where the base points and where it should, as odom_from_base.

    Attributes:
        measured: (3, 3).
        planned: (3, 3): R_z(yaw) R_y(pitch) R_x(roll).
        error: rotation vector from measured to planned in odom axes, (3,), rad.
    """

    measured: Array
    planned: Array
    error: Array

    @staticmethod
    def of(plan: np.void, state: np.void) -> "Attitude":
        """The attitudes of a plan and a state."""
        measured, planned, error = rotation_matrix(state["base_quaternion"]), np.empty((3, 3)), np.empty(3)
        roll, pitch, yaw = plan["base_roll_pitch_yaw"]
        rotation_from_roll_pitch_yaw(roll, pitch, yaw, planned)
        rotation_vector(planned @ measured.T, error)
        return Attitude(measured, planned, error)


def wanted_base_acceleration(gains: ControlDescription, attitude: Attitude, plan: np.void, state: np.void) -> Array:
    """Acceleration of the base that would mend its errors, (6,), linear then angular, in the axes of odom.

    The gains act in the heading frame, so that they mean forward, left and up, and roll, pitch and yaw.
    """
    yaw = np.arctan2(attitude.measured[1, 0], attitude.measured[0, 0])
    cosine, sine = np.cos(yaw), np.sin(yaw)
    heading = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    position = (plan["base_position"] - state["base_position"]) @ heading
    velocity = (plan["base_velocity"] - state["base_velocity"]) @ heading
    orientation = attitude.error @ heading
    rate = (plan["base_rate"] - state["base_rate"]) @ heading
    linear = np.multiply(gains.base_position_gain, position) + np.multiply(gains.base_velocity_gain, velocity)
    angular = np.multiply(gains.base_orientation_gain, orientation) + np.multiply(gains.base_rate_gain, rate)
    return np.concatenate((heading @ linear, heading @ angular))


def leg_inverses(terms: RigidBodyTerms) -> Array:
    """Inverses of the leg Jacobians, damped where a leg is stretched, (4, 3, 3)."""
    inverses = np.empty((4, 3, 3))
    for leg in range(4):
        columns = slice(6 + 3 * leg, 9 + 3 * leg)
        # The very function of the compiled form: what damping does near a singularity is part of the law.
        damped_inverse(np.ascontiguousarray(terms.foot_jacobians[leg, :, columns]), SINGULAR, inverses[leg])
    return inverses


def wanted_foot_accelerations(gains: ControlDescription, plan: np.void, terms: RigidBodyTerms) -> Array:
    """Accelerations of the feet in odom axes, (4, 3), m/s^2: a loaded foot is braked to rest, any other follows its path."""
    loaded = (plan["load"] > 0.0)[:, np.newaxis]
    braked = -gains.contact_velocity_gain * terms.foot_velocities
    followed = (
        plan["foot_acceleration"]
        + gains.foot_position_gain * (plan["foot_position"] - terms.foot_positions)
        + gains.foot_velocity_gain * (plan["foot_velocity"] - terms.foot_velocities)
    )
    return np.where(loaded, braked, followed)


def leg_accelerations(gains: ControlDescription, plan: np.void, terms: RigidBodyTerms, inverses: Array) -> tuple[Array, Array]:
    """Joint accelerations as constant + by_base times the base acceleration, for the feet of `wanted_foot_accelerations`.

    Args:
        inverses: see `leg_inverses`.

    Returns:
        constant (12,), rad/s^2, and by_base (12, 6).
    """
    wanted = wanted_foot_accelerations(gains, plan, terms) - terms.foot_bias_accelerations
    constant = (inverses @ wanted[:, :, np.newaxis]).reshape(12)
    by_base = -(inverses @ terms.foot_jacobians[:, :, :6]).reshape(12, 6)
    return constant, by_base

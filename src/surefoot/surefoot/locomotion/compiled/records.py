# SPDX-License-Identifier: Apache-2.0
"""The records of the compiled controller."""

import numpy as np

from surefoot.inverse_dynamics.law import FAILED, POSITION_STEP_LIMIT, RELAXED, SOLVED, STATUS_TEXT
from surefoot.robot.description import RobotDescription

__all__ = ["CONTROL", "FAILED", "GAINS", "RELAXED", "SOLVED", "STATUS_TEXT", "gains_record"]

GAINS = np.dtype(
    [
        ("base_position_gain", "f8", (3,)),
        ("base_velocity_gain", "f8", (3,)),
        ("base_orientation_gain", "f8", (3,)),
        ("base_rate_gain", "f8", (3,)),
        ("foot_position_gain", "f8"),
        ("foot_velocity_gain", "f8"),
        ("contact_velocity_gain", "f8"),
        ("foot_force_limit", "f8"),
        ("position_step_limit", "f8"),
    ],
    align=True,
)
"""Gains of the controller; all are accelerations per unit of error, see `robot.description.ControlDescription`."""

CONTROL = np.dtype(
    [
        ("position", "f8", (4, 3)),  # joint targets, rad
        ("velocity", "f8", (4, 3)),  # rad/s
        ("effort", "f8", (4, 3)),  # N m
        ("force", "f8", (4, 3)),  # predicted force of the ground on each foot, odom axes, N
        ("base_acceleration", "f8", (6,)),  # that the feet can produce and the joints are moved for
        ("joint_acceleration", "f8", (4, 3)),  # rad/s^2
        ("saturated", "i8"),  # how many torques had to be clamped
        ("status", "i8"),  # SOLVED, RELAXED or FAILED, see `inverse_dynamics.law`
    ],
    align=True,
)
"""What the controller answers at one tick."""

def gains_record(description: RobotDescription) -> np.ndarray:
    """An array of one GAINS record for a robot."""
    record = np.zeros(1, GAINS)
    for key in GAINS.names or ():
        if key != "position_step_limit":
            record[key] = getattr(description.control, key)
    record["position_step_limit"] = POSITION_STEP_LIMIT
    return record

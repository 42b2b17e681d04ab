# SPDX-License-Identifier: Apache-2.0
"""The records of the compiled controller."""

import numpy as np

from surefoot.robot.description import RobotDescription

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
        ("status", "i8"),  # see below
    ],
    align=True,
)
"""What the controller answers at one tick."""

SOLVED = 0
RELAXED = 1
"""A bound on load or torque was dropped to find a solution; the torques were clamped."""
FAILED = 2
"""No solution, or a number that is not finite: the answer must not be used."""

STATUS_TEXT = ("solved", "a bound was relaxed", "no solution")


def gains_record(description: RobotDescription) -> np.ndarray:
    """An array of one GAINS record for a robot."""
    record = np.zeros(1, GAINS)
    for key in GAINS.names or ():
        if key != "position_step_limit":
            record[key] = getattr(description.control, key)
    # A joint target never runs further ahead of the joint than this, whatever the error of the foot.
    record["position_step_limit"] = 0.3
    return record

# SPDX-License-Identifier: Apache-2.0
"""Before the filter starts: is what the sensors say possible for a robot that lies or stands still?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.settings import StartSettings
from surefoot.robot.model import GRAVITY

Array = NDArray[np.float64]


def start_problems(
    specific_force_base: Array,
    angular_velocity_base: Array,
    joint_position: Array,
    joint_velocity: Array,
    joint_travel: Array,
    joint_names: Sequence[str],
    position_lower: Array,
    position_upper: Array,
    settings: StartSettings,
) -> tuple[str, ...]:
    """Everything that is wrong, in words; empty if the filter may start.

    Args:
        specific_force_base: averaged, in base axes, (3,), m/s^2.
        angular_velocity_base: averaged, in base axes, (3,), rad/s.
        joint_position: averaged, (12,), rad.
        joint_velocity: as measured, averaged, (12,), rad/s; NaN where it is not measured.
        joint_travel: from the least to the largest position meanwhile, (12,), rad.
        joint_names: 12 names.
        position_lower, position_upper: joint limits, (12,), rad.
        settings: limits of the checks.
    """
    problems = [_gravity_problem(specific_force_base, settings)]
    rate = float(np.linalg.norm(angular_velocity_base))
    if rate > settings.gyroscope_limit:
        problems.append(
            f"the gyroscope turns at {rate:.3f} rad/s, more than {settings.gyroscope_limit:g}: keep the robot still, "
            "or calibrate the gyroscope if it does not move"
        )
    furthest = int(np.argmax(joint_travel))
    if not joint_travel[furthest] <= settings.joint_travel_limit:
        problems.append(
            f"joint '{joint_names[furthest]}' moved by {joint_travel[furthest]:.3f} rad, more than {settings.joint_travel_limit:g}: "
            "keep the robot still, it falls or is being moved"
        )
    for name, speed, travel in zip(joint_names, joint_velocity, joint_travel, strict=True):
        # Its mean cannot be more than the way over the time. A speed that is not measured is NaN and disagrees with nothing.
        if abs(speed) > settings.joint_speed_tolerance + travel / settings.duration:
            problems.append(
                f"joint '{name}' says that it moves at {speed:.2f} rad/s, more than {settings.joint_speed_tolerance:g}, while its position "
                "stays: check the unit, the sign and the order of the joint velocities"
            )
    tolerance = settings.joint_limit_tolerance
    for name, angle, lower, upper in zip(joint_names, joint_position, position_lower, position_upper, strict=True):
        if not lower - tolerance <= angle <= upper + tolerance:
            problems.append(
                f"joint '{name}' is at {angle:.3f} rad, outside of {lower:.3f} to {upper:.3f}: "
                "check its zero, its sign and the joint limits"
            )
    return tuple(problem for problem in problems if problem)


def tilt_from_vertical(vector_base: Array) -> float:
    """Angle between a vector (3,) and +z, rad. Exact near 0 and pi, where an arccosine is not."""
    return float(np.arctan2(np.hypot(vector_base[0], vector_base[1]), vector_base[2]))


def _gravity_problem(specific_force_base: Array, settings: StartSettings) -> str:
    magnitude = float(np.linalg.norm(specific_force_base))
    reading = "({:.2f}, {:.2f}, {:.2f})".format(*specific_force_base)
    if abs(magnitude - GRAVITY) > settings.gravity_tolerance:
        says = f"the accelerometer reads {reading}, {magnitude:.2f} m/s^2 in all, where gravity is {GRAVITY}"
        if abs(magnitude - 1.0) < 0.15:
            return f"{says}: it seems to report in g; multiply by {GRAVITY} in its driver"
        if magnitude < 0.5:
            return f"{says}: it is dead, reports without gravity, or the robot falls"
        return f"{says} (tolerance {settings.gravity_tolerance:g}): keep the robot still, or check the unit and calibration of the IMU"
    tilt = tilt_from_vertical(specific_force_base)
    if tilt > settings.tilt_limit:
        says = f"gravity not on +z: the accelerometer reads {reading} in base axes, {tilt:.2f} rad off (limit {settings.tilt_limit:g})"
        if tilt > np.pi - settings.tilt_limit:
            return f"{says}: the robot lies on its back, the IMU is mounted upside down, or its driver reports -g at rest"
        return f"{says}: put the robot on its belly or feet, or correct the fixed joint of the IMU link in the URDF"
    return ""

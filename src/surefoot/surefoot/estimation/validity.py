# SPDX-License-Identifier: Apache-2.0
"""When nothing may be walked on an estimate, and why, in words."""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.settings import ValiditySettings

Array = NDArray[np.float64]


def doubts(pose_covariance: Array, twist_covariance: Array, left_out_for: float, settings: ValiditySettings) -> tuple[str, ...]:
    """Everything that speaks against walking on an estimate; empty if nothing does.

    Args:
        pose_covariance: (6, 6), as in RobotState.
        twist_covariance: (6, 6), as in RobotState.
        left_out_for: time for which every foot in contact was left out, s.
        settings: limits.
    """
    result = []
    pose, twist = pose_covariance.diagonal().tolist(), twist_covariance.diagonal().tolist()
    quantities = (
        ("height", pose[2], settings.height_standard_deviation, "m"),
        ("tilt", max(pose[3:5]), settings.tilt_standard_deviation, "rad"),
        ("velocity", max(twist[:3]), settings.velocity_standard_deviation, "m/s"),
    )
    for what, variance, limit, unit in quantities:
        # Written so that a NaN is a doubt.
        if not variance <= limit * limit:
            deviation = float(np.sqrt(abs(variance)))
            says = f"{what} is uncertain by {deviation:.3f} {unit}, more than {limit:g}"
            result.append(f"{says}: no foot has borne load for too long, or all slip")
    if left_out_for > settings.rejection_time:
        result.append(
            f"legs and IMU have disagreed for {left_out_for:.2f} s, longer than {settings.rejection_time:g}: "
            "every foot in contact slips, or a joint zero or the IMU's mounting is wrong"
        )
    return tuple(result)

# SPDX-License-Identifier: Apache-2.0
"""When nothing may be walked on an estimate, and why, in words."""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.output import MEMORY
from surefoot.estimation.settings import ValiditySettings

Array = NDArray[np.float64]

POSES_REFUSED = 10
"""Absolute poses outside of the gate, one after the other, with which the estimate is not to be walked on."""


def doubts_of_motion(pose_covariance: Array, twist_covariance: Array, settings: ValiditySettings) -> tuple[str, ...]:
    """What speaks against an estimate of where the robot is and how fast, and not against its attitude: without load on a foot the IMU
    alone tells both for a moment only, and the attitude for as long as it is there.

    Args:
        pose_covariance: (6, 6), as in RobotState.
        twist_covariance: (6, 6), as in RobotState.
        settings: limits.
    """
    height, velocity = pose_covariance.item(2, 2), max(twist_covariance.diagonal().tolist()[:3])
    return (
        *_uncertain("height", height, settings.height_standard_deviation, "m"),
        *_uncertain("velocity", velocity, settings.velocity_standard_deviation, "m/s"),
    )


def _uncertain(what: str, variance: float, limit: float, unit: str) -> tuple[str, ...]:
    # Written so that a NaN is a doubt.
    if variance <= limit * limit:
        return ()
    deviation = float(np.sqrt(abs(variance)))
    return (f"{what} is uncertain by {deviation:.3f} {unit}, more than {limit:g}: no foot has borne load for too long, or all slip",)


def doubts_of_all(pose_covariance: Array, memory: Array, time: float, settings: ValiditySettings) -> tuple[str, ...]:
    """Everything else that speaks against walking on an estimate, its attitude included; empty if nothing does.

    Args:
        pose_covariance: (6, 6), as in RobotState.
        memory: numbers of FILTER_STATE: for how long every foot in contact was left out, what was silent, and which poses did not fit.
        time: of the estimate, s.
        settings: limits.
    """
    result = list(_uncertain("tilt", max(pose_covariance.diagonal().tolist()[3:5]), settings.tilt_standard_deviation, "rad"))
    left_out_for, poses = memory.item(MEMORY["all_left_out"].start), int(memory.item(MEMORY["pose_refused_in_a_row"].start))
    if left_out_for > settings.rejection_time:
        result.append(
            f"legs and IMU have disagreed for {left_out_for:.2f} s, longer than {settings.rejection_time:g}: "
            "every foot in contact slips, or a joint zero or the IMU's mounting is wrong"
        )
    if poses >= POSES_REFUSED:
        result.append(f"the last {poses} absolute poses lay outside of the gate: the robot was carried, or they are those of another body")
    if time < memory.item(MEMORY["trust_after"].start):
        result.append(f"recovering from {memory.item(MEMORY['silence'].start):.3f} s without usable sensor data")
    return tuple(result)

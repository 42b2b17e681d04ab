# SPDX-License-Identifier: Apache-2.0
"""When nothing may be walked on an estimate, and why, in words."""

import numpy as np
from numpy.typing import NDArray

from surefoot.estimation.output import MEMORY
from surefoot.estimation.settings import ValiditySettings

Array = NDArray[np.float64]

POSES_REFUSED = 10
"""Absolute poses outside of the gate, one after the other, with which the estimate is not to be walked on."""


GYROSCOPE_ALONE = 3.0
"""s for which it tells the attitude against the legs. Longer than all feet of a robot slide that folds its legs under its belly; whoever
balances on the estimate stops at rejection_time."""


def doubts_of_motion(pose_covariance: Array, twist_covariance: Array, memory: Array, settings: ValiditySettings) -> tuple[str, ...]:
    """What speaks against an estimate of where the robot is and how fast, and not against its attitude: without a foot that bears load and
    does not slip, the IMU alone tells both for a moment only, and the attitude for as long as it is there.

    Args:
        pose_covariance: (6, 6), as in RobotState.
        twist_covariance: (6, 6), as in RobotState.
        memory: as in `doubts_of_all`.
        settings: limits.
    """
    height, velocity = pose_covariance.item(2, 2), max(twist_covariance.diagonal().tolist()[:3])
    return (
        *_disagreeing(memory, settings.rejection_time),
        *_uncertain("height", height, settings.height_standard_deviation, "m"),
        *_uncertain("velocity", velocity, settings.velocity_standard_deviation, "m/s"),
    )


def _disagreeing(memory: Array, limit: float) -> tuple[str, ...]:
    left_out_for = memory.item(MEMORY["all_left_out"].start)
    if not left_out_for > limit:
        return ()
    return (
        f"legs and IMU have disagreed for {left_out_for:.2f} s, longer than {limit:g}: "
        "every foot in contact slips, or a joint zero or the IMU's mounting is wrong",
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
    result += _disagreeing(memory, GYROSCOPE_ALONE)
    poses = int(memory.item(MEMORY["pose_refused_in_a_row"].start))
    if poses >= POSES_REFUSED:
        result.append(f"the last {poses} absolute poses lay outside of the gate: the robot was carried, or they are those of another body")
    if time < memory.item(MEMORY["trust_after"].start):
        result.append(f"recovering from {memory.item(MEMORY['silence'].start):.3f} s without usable sensor data")
    return tuple(result)

# SPDX-License-Identifier: Apache-2.0
"""When nothing may be walked on an estimate, and why, in words."""

import math

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
        memory: numbers of FILTER_STATE: for how long legs and IMU have disagreed.
        settings: limits.
    """
    height, velocity = pose_covariance.item(2, 2), max(twist_covariance.diagonal().tolist()[:3])
    return (
        *_disagreeing(memory, settings.rejection_time),
        *_uncertain("height", height, settings.height_standard_deviation, "m"),
        *_uncertain("velocity", velocity, settings.velocity_standard_deviation, "m/s"),
    )


def _disagreeing(memory: Array, limit: float) -> tuple[str, ...]:
    disagreed_for = memory.item(MEMORY["disagreed_for"].start)
    # Written so that a NaN is a doubt.
    if disagreed_for <= limit:
        return ()
    return (
        f"legs and IMU have disagreed for {disagreed_for:.2f} s, longer than {limit:g}: "
        "every foot in contact slips, the IMU says what is not true, or a joint zero or the IMU's mounting is wrong",
    )


def _uncertain(what: str, variance: float, limit: float, unit: str) -> tuple[str, ...]:
    # Written so that a NaN is a doubt.
    if variance <= limit * limit:
        return ()
    deviation = math.sqrt(abs(variance))
    return (f"{what} is uncertain by {deviation:.3f} {unit}, more than {limit:g}: no foot has borne load for too long, or all slip",)


def doubts_of_attitude(pose_covariance: Array, memory: Array, settings: ValiditySettings) -> tuple[str, ...]:
    """What speaks against an estimate of the attitude too; arguments as above."""
    tilt = max(pose_covariance.diagonal().tolist()[3:5])
    return (*_uncertain("tilt", tilt, settings.tilt_standard_deviation, "rad"), *_disagreeing(memory, GYROSCOPE_ALONE))


def doubts_of_itself(
    attitude: tuple[str, ...], motion: tuple[str, ...], velocity: Array, memory: Array, settings: ValiditySettings
) -> tuple[str, ...]:
    """What speaks against the filter, and not only says that nothing is measured, as of a robot that hangs in the air.

    Args:
        attitude, motion: doubts of both.
        velocity: of the base as it is estimated, (3,), m/s.
        memory: numbers of FILTER_STATE: which feet are in contact, and for how long legs and IMU have disagreed.
        settings: limits.
    """
    moves = math.hypot(*velocity.tolist()) > settings.velocity_standard_deviation
    contradicted = _disagreeing(memory, settings.rejection_time)
    return (*attitude, *motion) if attitude or contradicted or moves or any(memory[MEMORY["in_contact"]].tolist()) else ()


def doubts_of_use(memory: Array, time: float, pose_age: float, settings: ValiditySettings) -> tuple[str, ...]:
    """What speaks against using an estimate, whatever it says; empty if nothing does.

    Args:
        memory: numbers of FILTER_STATE: what was silent, and which poses did not fit.
        time: of the estimate, s.
        pose_age: of the last absolute pose, s. When nobody sends any, those that did not fit are no longer held against the estimate.
        settings: limits.
    """
    result, poses = [], int(memory.item(MEMORY["pose_refused_in_a_row"].start))
    if poses >= POSES_REFUSED and pose_age <= settings.restart_gap:
        result.append(f"the last {poses} absolute poses lay outside of the gate: the robot was carried, or they are those of another body")
    if time < memory.item(MEMORY["trust_after"].start):
        result.append(f"recovering from {memory.item(MEMORY['silence'].start):.3f} s without usable sensor data")
    return tuple(result)

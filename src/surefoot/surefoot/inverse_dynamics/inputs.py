# SPDX-License-Identifier: Apache-2.0
"""What of a plan and a state a controller reads, and whether it can be read."""

import numpy as np

STATE_FIELDS = ("base_position", "base_quaternion", "base_velocity", "base_rate", "joint_position", "joint_velocity")
PLAN_FIELDS = (
    "base_position",
    "base_roll_pitch_yaw",
    "base_velocity",
    "base_rate",
    "foot_position",
    "foot_velocity",
    "foot_acceleration",
    "load",
    "normal",
    "friction",
)
UNIT_TOLERANCE = 1e-3
"""On the squared length of the base quaternion: more than rounding is not an attitude."""


def usable_inputs(plan: np.void, state: np.void) -> bool:
    """Whether every number that a controller reads is finite and the attitude is one.

    A clamp would turn a NaN into a limit and a comparison would drop a bound that is NaN, so neither may see one.
    """
    numbers = [state[field].ravel() for field in STATE_FIELDS] + [plan[field].ravel() for field in PLAN_FIELDS]
    if not np.isfinite(np.concatenate(numbers)).all():
        return False
    quaternion = state["base_quaternion"]
    return bool(abs(quaternion @ quaternion - 1.0) <= UNIT_TOLERANCE)

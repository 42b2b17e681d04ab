# SPDX-License-Identifier: Apache-2.0
"""What a motion plan asks of the robot."""

from enum import IntEnum


class Activity(IntEnum):
    """Activities, numbered and described as in MotionPlan.msg."""

    INACTIVE = 0
    STANDING = 1
    MOVING = 2
    HELD = 3

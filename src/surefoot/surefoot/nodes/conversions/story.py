# SPDX-License-Identifier: Apache-2.0
"""The time of a story out of what the servo bridge says."""

from surefoot_msgs.msg import RobotMode

from surefoot.nodes.conversions.common import seconds_of
from surefoot.servos.modes import RISES_FROM, STAND_WAITS, Mode
from surefoot.teleop.story_clock import ARM, STAND, StoryClock


def story_time(clock: StoryClock, mode: RobotMode) -> float:
    """The time of a story, s, at a mode. Whoever hears the same modes has the same time."""
    lacks = ARM if mode.mode == Mode.OFF else STAND if mode.mode in RISES_FROM else ""
    return clock.at(seconds_of(mode.header.stamp), lacks, STAND_WAITS in mode.reason)

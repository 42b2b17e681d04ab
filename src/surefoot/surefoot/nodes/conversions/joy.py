# SPDX-License-Identifier: Apache-2.0
"""Pads as Joy messages."""

from builtin_interfaces.msg import Time
from sensor_msgs.msg import Joy

from surefoot.teleop.writer import PadMessage


def message_of_pad(message: PadMessage, stamp: Time, layout: str = "") -> Joy:
    """The message of a pad; its frame_id is the name of the layout, empty for one that leaves the choice to who listens."""
    joy = Joy(axes=list(message.axes), buttons=list(message.buttons))
    joy.header.stamp, joy.header.frame_id = stamp, layout
    return joy

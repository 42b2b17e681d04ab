# SPDX-License-Identifier: Apache-2.0
"""What a bag is made of."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Topic:
    """One topic of a bag.

    Attributes:
        name: such as /imu.
        type: such as sensor_msgs/msg/Imu.
        definition: text of the message with all that it contains, as MCAP wants it (encoding ros2msg); empty where it is not known.
        hash: of the type, RIHS01_…; empty where it is not known.
        quality: what its publishers offered, each as rosbag2 writes it.
    """

    name: str
    type: str
    definition: str = ""
    hash: str = ""
    quality: tuple[dict[str, Any], ...] = field(default=(), hash=False)


class RawMessage(NamedTuple):
    """One message as it went over the wire.

    log_time: when it was recorded; publish_time: when it was sent, or the same where that is not known; both ns since the epoch.
    """

    topic: str
    type: str
    data: bytes
    log_time: int
    publish_time: int
    sequence: int = 0

# SPDX-License-Identifier: Apache-2.0
"""What was said in a company that walks, to be played to a node that hears it by itself."""

from collections.abc import Callable, Collection
from typing import Any

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rcl_interfaces.msg import Log
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from surefoot.nodes.conversions.common import ODOM
from surefoot.nodes.faults.company import Company

Heard = tuple[str, bytes]
"""Topic, and a serialized message."""

CORNERS = ((1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0))
"""Of a path, m."""

SAID_EVERY = 250
"""Ticks from one word of somebody who is not in the company to the next, and from one health report of everybody in it to the next."""


def path_through(*points: tuple[float, float], frame: str = ODOM) -> Path:
    """The message of a path through points x y, m, in the axes of a frame."""
    path = Path()
    path.header.frame_id = frame
    for x, y in points:
        pose = PoseStamped()
        pose.pose.position.x, pose.pose.position.y = x, y
        path.poses.append(pose)
    return path


SAID_BY_OTHERS: dict[str, Callable[[], Any]] = {
    "/path": lambda: path_through(*CORNERS),
    "/rosout": lambda: Log(name="teleop", msg="gait walk"),
    "/replay_control": lambda: String(data="seek 1.5"),
}
"""What is heard of programs that are not in the company: without it, these nodes would never be at work."""


class Tape:
    """What was said, tick by tick."""

    def __init__(self) -> None:
        self.ticks: list[list[Heard]] = []

    def record(self, company: Company) -> None:
        """Let the company advance by one tick, and keep what is said in it. The company has to tell `hear`."""
        self.ticks.append([])
        if len(self.ticks) % SAID_EVERY == 1:
            for topic, make in SAID_BY_OTHERS.items():
                self.hear(topic, make())
            company.report()
        company.tick()

    def hear(self, topic: str, message: Any) -> None:
        """Keep what is said, see `Company`."""
        self.ticks[-1].append((topic, bytes(serialize_message(message))))

    def of(self, topics: Collection[str]) -> list[list[Heard]]:
        """What was said on some topics."""
        return [[heard for heard in tick if heard[0] in topics] for tick in self.ticks]

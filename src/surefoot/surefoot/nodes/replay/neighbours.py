# SPDX-License-Identifier: Apache-2.0
"""Under which name a topic of a bag is played, and who is in the domain that must not hear it."""

import time
from collections.abc import Collection
from fnmatch import fnmatchcase

from rclpy.node import Node

PREFIX = "/replay"
"""Before the name of everything that could move a robot, and of everything that is said anew."""
SAID_OF_ITSELF = frozenset(
    {
        "/joint_states", "/imu", "/foot_forces", "/battery_state", "/ground_truth",
        "/robot_state", "/base_attitude", "/odom", "/tf", "/tf_static", "/robot_description", "/robot_mode",
        "/motion_plan", "/gait_status", "/verdict", "/controller", "/swing", "/traces",
    }
)  # fmt: skip
"""Topics on which a robot says what it senses and thinks: they keep their names, for viewers. What others do, nobody here knows."""

SENSED, COMMANDED = "/joint_states", "/joint_command"
ONLY_LISTENS = "recorder*"
"""Names of nodes that hear commands and move nothing."""
VIEWERS = (
    ONLY_LISTENS, "rosbag2_recorder*", "view", "view_glance", "markers", "markers_glance", "rviz*", "foxglove*", "plotjuggler*", "rqt*",
    "_ros2cli*", "robot_state_publisher", "transform_listener_impl_*",
)  # fmt: skip
"""Names of nodes that hear what is played and move nothing."""
NAMELESS = "_NODE_NAME_UNKNOWN_"
INTRODUCTION = 1.0
"""Time in which whoever was just found tells its name, s."""


def played_as(name: str) -> str:
    """The name under which a topic, called as we call it, goes out."""
    return name if name in SAID_OF_ITSELF else f"{PREFIX}{name}"


class Neighbours:
    """Looks for nodes that a bag must not be played beside.

    Args:
        node: that plays.
        topics: under the names under which they are played.
        listeners: further names of nodes that may hear everything; * stands for anything.
    """

    def __init__(self, node: Node, topics: Collection[str], listeners: Collection[str] = ()) -> None:
        self._node, self._topics, self._listeners = node, tuple(topics), tuple(listeners)
        self._seen: dict[str, float] = {}

    def stranger(self, playing: bool = False) -> str:
        """Words on one that hears what is played and may move a robot, or is one; empty where there is none.

        Args:
            playing: whether the node that plays has its publishers already.
        """
        node = self._node
        sensing = [info.node_name for info in node.get_publishers_info_by_topic(SENSED)]
        if playing and node.get_name() in sensing:
            sensing.remove(node.get_name())
        commanding = [info.node_name for info in node.get_publishers_info_by_topic(COMMANDED)]
        found = [(name, SENSED) for name in sensing if not fnmatchcase(name, ONLY_LISTENS)]
        found += [(name, COMMANDED) for name in commanding if not _is_one_of(name, (ONLY_LISTENS, *self._listeners))]
        for topic in (COMMANDED, *self._topics):
            names = (info.node_name for info in node.get_subscriptions_info_by_topic(topic))
            found += [(name, topic) for name in names if not _is_one_of(name, (*VIEWERS, *self._listeners))]
        now = time.monotonic()
        self._seen = {topic: self._seen.get(topic, now) for name, topic in found if name == NAMELESS}
        for name, topic in found:
            if name != NAMELESS:
                return f"{name} has to do with {topic}"
            if now - self._seen[topic] > INTRODUCTION:
                return f"somebody without a name has to do with {topic}"
        return ""


def _is_one_of(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)

# SPDX-License-Identifier: Apache-2.0
"""Who speaks on topics on which one node alone may."""

from collections.abc import Sequence
from typing import Any

from rclpy.node import Node

from surefoot.nodes.replay.neighbours import NAMELESS

UNNAMED = "somebody without a name"


class Speakers:
    """Looks who publishes on topics, as far as the middleware has found out.

    Args:
        node: that hears them, or speaks on them itself.
        topics: as the node names them, after remapping.
    """

    def __init__(self, node: Node, topics: Sequence[str]) -> None:
        self._node, self._topics = node, tuple(topics)

    def too_many(self) -> str:
        """Words on who speaks, for each topic where more than one does; empty where none has more."""
        said = []
        for topic in self._topics:
            # To ask who they are costs several times as much as to count them.
            if self._node.count_publishers(topic) < 2:
                continue
            names = sorted(_name(info) for info in self._node.get_publishers_info_by_topic(topic))
            if len(names) > 1:
                said.append(f"{len(names)} publishers on {topic}: {', '.join(names)}")
        if not said:
            return ""
        return f"{'; '.join(said)}; one alone may be there, and one that was killed counts until the middleware misses it"


def _name(info: Any) -> str:
    return UNNAMED if info.node_name in ("", NAMELESS) else f"{info.node_namespace.rstrip('/')}/{info.node_name}"

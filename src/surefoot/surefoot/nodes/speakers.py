# SPDX-License-Identifier: Apache-2.0
"""Who speaks on a topic on which one node alone may."""

from typing import Any

from rclpy.node import Node

from surefoot.nodes.replay.neighbours import NAMELESS

UNNAMED = "somebody without a name"


class Speakers:
    """Looks who publishes on a topic, as far as the middleware has found out.

    Args:
        node: that hears it.
        topic: as the node names it, after remapping.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node, self._topic = node, topic

    def too_many(self) -> str:
        """Words on who speaks, where more than one does; empty where not."""
        names = sorted(_name(info) for info in self._node.get_publishers_info_by_topic(self._topic))
        if len(names) < 2:
            return ""
        said = f"{len(names)} publishers on {self._topic}: {', '.join(names)}"
        return f"{said}; one alone may be there, and one that was killed counts until the middleware misses it"


def _name(info: Any) -> str:
    return UNNAMED if info.node_name in ("", NAMELESS) else f"{info.node_namespace.rstrip('/')}/{info.node_name}"

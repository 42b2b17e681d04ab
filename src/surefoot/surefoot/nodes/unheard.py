# SPDX-License-Identifier: Apache-2.0
"""Whoever drives is told when nobody listens: buttons that do nothing look like a robot that does nothing."""

import time
from collections.abc import Callable

from rclpy.node import Node

from surefoot.ros_domain import domain_number

EVERY = 1.0
"""s between two looks."""

PATIENCE = 10.0
"""How long nobody may listen before it is said, s: a graph takes some time to start."""


class Unheard:
    """Watches whether a node by its name hears a topic of this one.

    Args:
        node: that speaks.
        topic: that it speaks on.
        listener: name of the node that should listen.
        say: told in one sentence, once for each time that nobody listens.
    """

    def __init__(self, node: Node, topic: str, listener: str, say: Callable[[str], None]) -> None:
        self._node, self._topic, self._listener, self._say = node, topic, listener, say
        self._heard_at, self._said = time.monotonic(), False
        self._domain = domain_number()
        node.create_timer(EVERY, self.look)

    def look(self) -> None:
        """Say it where it is news."""
        now = time.monotonic()
        if any(one.node_name == self._listener for one in self._node.get_subscriptions_info_by_topic(self._topic)):
            self._heard_at, self._said = now, False
        elif not self._said and now - self._heard_at > PATIENCE:
            self._said = True
            self._say(
                f"nobody hears {self._topic}: no node {self._listener} runs in ROS domain {self._domain}; "
                "start one, with ./surefoot launch sim for instance"
            )

# SPDX-License-Identifier: Apache-2.0
"""The newest message of topics that are looked at now and then: a callback for each would cost more than all the rest of who looks."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from surefoot.errors import SensorError
from surefoot.nodes.quiet_node import quiet_node
from surefoot.nodes.raw_read import message_of

NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Of what comes at every tick: what is missed is not missed, and no sender ever waits for it."""


class _Topic(NamedTuple):
    subscription: Subscription
    hear: Callable[[Any], None]


class Glance:
    """Subscriptions that no executor has.

    Args:
        name: of the node that subscribes.
        refuse: told in words of what came and is no message of its topic.
    """

    def __init__(self, name: str, refuse: Callable[[str], None]) -> None:
        self._node, self._refuse = quiet_node(name), refuse
        self._topics: dict[str, _Topic] = {}
        self._numbers: dict[str, int] = {}
        self._counted: dict[str, int] = {}
        self._counted_at = time.monotonic()

    def subscribe(self, kind: type, topic: str, hear: Callable[[Any], None]) -> None:
        """Hear the newest message of a topic at each look."""
        self._topics[topic] = _Topic(self._node.create_subscription(kind, topic, lambda _: None, NEWEST, raw=True), hear)

    def look(self) -> None:
        """Hand on the newest message of each topic that came since the last look, in the order in which they were subscribed to."""
        for name, topic in self._topics.items():
            taken = topic.subscription.handle.take_message(topic.subscription.msg_type, True)
            if taken is not None:
                data, info = taken
                self._numbers[name] = info["publication_sequence_number"] or 0
                try:
                    message = message_of(data, topic.subscription.msg_type)
                except SensorError as error:
                    self._refuse(f"{name}: {error}")
                    continue
                topic.hear(message)

    def rates(self) -> dict[str, float]:
        """Messages a second of each topic since the last call, whether or not they were looked at: their senders number them."""
        now = time.monotonic()
        seconds, self._counted_at = max(now - self._counted_at, 1e-6), now
        before, self._counted = self._counted, dict(self._numbers)
        return {name: max(0, self._counted.get(name, 0) - before.get(name, self._counted.get(name, 0))) / seconds for name in self._topics}

# SPDX-License-Identifier: Apache-2.0
"""Hears every topic of a domain as raw messages, and knows which were missed."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from surefoot.errors import SurefootError
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.recording.definitions import definition_of
from surefoot.recording.types import RawMessage, Topic

DEPTH = 2000
"""Messages of a topic that wait until this process gets a turn."""


class Ears:
    """Subscriptions that are polled: a callback of the executor for each message would cost several times as much.

    Args:
        node: to subscribe by; no executor may have it.
        lockstep: whether the graph runs in lockstep.
        on_topic: called before the first message of a topic.
        on_message: called with each message.
        on_fault: called with a kind and words.
    """

    def __init__(
        self,
        node: Node,
        lockstep: bool,
        on_topic: Callable[[Topic], None],
        on_message: Callable[[RawMessage], None],
        on_fault: Callable[[str, str], None],
    ) -> None:
        self._node, self._on_topic, self._on_message, self._on_fault = node, on_topic, on_message, on_fault
        self._subscriptions: dict[str, tuple[Subscription, str]] = {}
        self._refused: set[str] = set()
        self._newest: dict[tuple[str, bytes], int] = {}
        self.missed: Counter[str] = Counter()
        # Before anybody speaks: what is only found once it speaks has begun without us.
        for name, topic in STACK_TOPICS.items():
            self._subscribe(name, topic.type, topic.quality(lockstep), ())

    def look(self) -> None:
        """Find what is new in the domain."""
        for name, types in self._node.get_topic_names_and_types():
            if "/_" in name or name in self._refused:
                continue
            offered = [info.qos_profile for info in self._node.get_publishers_info_by_topic(name)]
            if not offered:
                continue
            known = self._subscriptions.get(name)
            # In a bag a topic has one type, and what was written under it cannot be told from what would come under another.
            kinds = sorted({*types, known[1]} if known else types)
            if len(kinds) > 1:
                self._refuse(name, f"{name} has several types: {', '.join(kinds)}; recorded is {known[1] if known else 'none of them'}")
                continue
            if known is None or not _hears(known[0].qos_profile, offered):
                self._subscribe(name, types[0], _profile(offered), offered)

    def take(self) -> None:
        """Hand on everything that came."""
        for name, (subscription, kind) in list(self._subscriptions.items()):
            take, message_type = subscription.handle.take_message, subscription.msg_type
            while (taken := take(message_type, True)) is not None:
                data, info = taken
                self._count(name, info)
                received, sent = info["received_timestamp"], info["source_timestamp"]
                self._on_message(RawMessage(name, kind, data, received, sent or received, info["publication_sequence_number"] or 0))

    def _count(self, name: str, info: dict[str, Any]) -> None:
        """Publishers number what they send: a gap is what was missed."""
        number = info["publication_sequence_number"]
        if number is None:
            return
        key = (name, info["publisher_gid"]["data"])
        before = self._newest.get(key)
        if before is not None and number > before + 1:
            self.missed[name] += number - before - 1
        if before is None or number > before:
            self._newest[key] = number

    def _subscribe(self, name: str, kind: str, profile: QoSProfile, offered: Iterable[QoSProfile]) -> None:
        try:
            definition, hash_of_type = definition_of(kind)
            message = message_class(kind)
        except SurefootError as error:
            self._refuse(name, f"{name}: {error}")
            return
        if name in self._subscriptions:
            self.take()
            self._node.destroy_subscription(self._subscriptions.pop(name)[0])
        profile = QoSProfile(depth=DEPTH, reliability=profile.reliability, durability=profile.durability)
        self._on_topic(Topic(name, kind, definition, hash_of_type, tuple(_written(one) for one in (*offered, profile)[:1])))
        self._subscriptions[name] = (self._node.create_subscription(message, name, lambda message: None, profile, raw=True), kind)

    def _refuse(self, name: str, words: str) -> None:
        self._refused.add(name)
        self._on_fault("topic_not_recorded", words)


def _hears(mine: QoSProfile, offered: Iterable[QoSProfile]) -> bool:
    """Whether a subscription hears all of these publishers."""
    reliable = mine.reliability != ReliabilityPolicy.RELIABLE or all(one.reliability == ReliabilityPolicy.RELIABLE for one in offered)
    kept = mine.durability != DurabilityPolicy.TRANSIENT_LOCAL or all(
        one.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in offered
    )
    return reliable and kept


def _profile(offered: Iterable[QoSProfile]) -> QoSProfile:
    """The most that all of these publishers offer."""
    return QoSProfile(
        depth=DEPTH,
        reliability=min((one.reliability for one in offered), key=lambda policy: policy == ReliabilityPolicy.RELIABLE),
        durability=min((one.durability for one in offered), key=lambda policy: policy == DurabilityPolicy.TRANSIENT_LOCAL),
    )


def _written(profile: QoSProfile) -> dict[str, Any]:
    """As rosbag2 writes it."""
    forever = {"sec": 9223372036, "nsec": 854775807}
    return {
        "history": "keep_last",
        "depth": profile.depth or 1,
        "reliability": "reliable" if profile.reliability == ReliabilityPolicy.RELIABLE else "best_effort",
        "durability": "transient_local" if profile.durability == DurabilityPolicy.TRANSIENT_LOCAL else "volatile",
        "deadline": forever,
        "lifespan": forever,
        "liveliness": "automatic",
        "liveliness_lease_duration": forever,
        "avoid_ros_namespace_conventions": False,
    }

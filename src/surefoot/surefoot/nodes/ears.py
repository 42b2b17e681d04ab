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

FULL_LOOK = 10
"""Of so many looks one asks every topic for the publishers that it has."""


class _Ear:
    """One subscription."""

    def __init__(self, subscription: Subscription, topic: str, kind: str, missed: Counter[str]) -> None:
        self.subscription, self.kind, self._topic, self._missed = subscription, kind, topic, missed
        self._newest: dict[bytes, int] = {}

    def take(self, into: list[RawMessage]) -> None:
        """Everything that came. It runs some thousand times a second: nothing in it is asked for twice."""
        take, kind = self.subscription.handle.take_message, self.subscription.msg_type
        topic, type_name, newest, append = self._topic, self.kind, self._newest, into.append
        while (taken := take(kind, True)) is not None:
            data, info = taken
            number, received, sent = info["publication_sequence_number"], info["received_timestamp"], info["source_timestamp"]
            if number is None:
                number = 0
            else:
                # Publishers number what they send: a gap is what was missed.
                publisher = info["publisher_gid"]["data"]
                before = newest.get(publisher, number - 1)
                if number > before:
                    newest[publisher] = number
                    if number > before + 1:
                        self._missed[topic] += number - before - 1
            append(RawMessage(topic, type_name, data, received, sent or received, number))

    def follow(self, before: "_Ear") -> None:
        """Take the place of another on the same topic: what is missed between the two is missed."""
        self._newest = before._newest


class Ears:
    """Subscriptions that are polled: a callback of the executor for each message would cost several times as much.

    Args:
        node: to subscribe by; no executor may have it.
        lockstep: whether the graph runs in lockstep.
        on_topic: called before the first message of a topic.
        on_messages: called with those that came, topic by topic, each in its order.
        on_fault: called with a kind and words.
    """

    def __init__(
        self,
        node: Node,
        lockstep: bool,
        on_topic: Callable[[Topic], None],
        on_messages: Callable[[list[RawMessage]], None],
        on_fault: Callable[[str, str], None],
    ) -> None:
        self._node, self._on_topic, self._on_messages, self._on_fault = node, on_topic, on_messages, on_fault
        self._ears: dict[str, _Ear] = {}
        self._refused: set[str] = set()
        self._publishers: dict[str, int] = {}
        self._looks = 0
        self.missed: Counter[str] = Counter()
        # Before anybody speaks: what is only found once it speaks has begun without us.
        for name, topic in STACK_TOPICS.items():
            self._subscribe(name, topic.type, topic.quality(lockstep), ())

    def look(self) -> None:
        """Find what is new in the domain."""
        self._looks += 1
        for name, types in self._node.get_topic_names_and_types():
            if "/_" in name or name in self._refused or not self._changed(name, types):
                continue
            offered = [info.qos_profile for info in self._node.get_publishers_info_by_topic(name)]
            if not offered:
                continue
            known = self._ears.get(name)
            # In a bag a topic has one type, and what was written under it cannot be told from what would come under another.
            kinds = sorted({*types, known.kind} if known else types)
            if len(kinds) > 1:
                self._refuse(name, f"{name} has several types: {', '.join(kinds)}; recorded is {known.kind if known else 'none of them'}")
                continue
            if known is None or not _hears(known.subscription.qos_profile, offered):
                self._subscribe(name, types[0], _profile(offered), offered)

    def _changed(self, name: str, types: list[str]) -> bool:
        """Whether a topic is worth asking who publishes it, which costs more than to hear it for as long."""
        known, before, publishers = self._ears.get(name), self._publishers.get(name), self._node.count_publishers(name)
        self._publishers[name] = publishers
        # One that took the place of another is found a little later.
        return publishers != before or known is None or types != [known.kind] or self._looks % FULL_LOOK == 0

    def take(self) -> None:
        """Hand on everything that came."""
        messages: list[RawMessage] = []
        for ear in self._ears.values():
            ear.take(messages)
        if messages:
            self._on_messages(messages)

    def _subscribe(self, name: str, kind: str, profile: QoSProfile, offered: Iterable[QoSProfile]) -> None:
        try:
            definition, hash_of_type = definition_of(kind)
            message = message_class(kind)
        except SurefootError as error:
            self._refuse(name, f"{name}: {error}")
            return
        before = self._ears.get(name)
        if before is not None:
            self.take()
            self._node.destroy_subscription(before.subscription)
        profile = QoSProfile(depth=DEPTH, reliability=profile.reliability, durability=profile.durability)
        self._on_topic(Topic(name, kind, definition, hash_of_type, tuple(_written(one) for one in (*offered, profile)[:1])))
        subscription = self._node.create_subscription(message, name, lambda message: None, profile, raw=True)
        self._ears[name] = _Ear(subscription, name, kind, self.missed)
        if before is not None:
            self._ears[name].follow(before)

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

# SPDX-License-Identifier: Apache-2.0
"""Topics and timers inside one process: what is published is heard in the order in which it is said, and time is that of a bag."""

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Collection
from itertools import count
from typing import Any

from rclpy.node import Node

from surefoot.nodes.quiet_node import NO_TYPES

NANO = 1_000_000_000


class Wire:
    """Joins nodes that are replayed together.

    Args:
        on_output: called with node, topic and message for each that is published.
        unheard: topics that nobody hears, as far as those can tell who publish on them.

    Attributes:
        time: now, ns.
        spoken: topics that a node may publish on, and the message class of each.
        unheard: see there.
    """

    def __init__(self, on_output: Callable[[str, str, Any], None], unheard: Collection[str] = ()) -> None:
        self.time = 0
        self.unheard = frozenset(unheard)
        self.spoken: dict[str, Any] = {}
        self._on_output = on_output
        self._receivers: defaultdict[str, list[Callable[[Any], Any]]] = defaultdict(list)
        self._kinds: dict[str, Any] = {}
        self._waiting: deque[Callable[[], Any]] = deque()
        self._timers: list[tuple[int, int, int, Callable[[], Any]]] = []
        self._numbers = count()

    @property
    def topics(self) -> dict[str, Any]:
        """The message class of each topic that is heard."""
        return dict(self._kinds)

    def subscribe(self, kind: Any, topic: str, callback: Callable[[Any], Any]) -> None:
        """Have a callback called with each message on a topic."""
        self._receivers[topic].append(callback)
        self._kinds[topic] = kind

    def later(self, work: Callable[[], Any]) -> None:
        """Do something once what is being done is through."""
        self._waiting.append(work)

    def publish(self, node: str, topic: str, message: Any) -> None:
        """Note an output, and hand it to who hears it later: no callback runs inside of another."""
        self._on_output(node, topic, message)
        # Who hears it is asked when it is heard: what a node says while it is made is for those that are made after it, too.
        self._waiting.append(lambda: self._tell(topic, message))

    def timer(self, period: int, callback: Callable[[], Any]) -> None:
        """Have a callback called every so many ns, first one period from now."""
        heapq.heappush(self._timers, (self.time + period, next(self._numbers), period, callback))

    def begin(self, time: int) -> None:
        """Set the time from which timers count."""
        self.time = time
        self._timers = [(time + period, number, period, callback) for _, number, period, callback in self._timers]
        heapq.heapify(self._timers)

    def go_to(self, time: int) -> None:
        """Let time go on, and call the timers that are due on the way."""
        while self._timers and self._timers[0][0] <= time:
            due, _, period, callback = heapq.heappop(self._timers)
            self.time = max(self.time, due)
            heapq.heappush(self._timers, (due + period, next(self._numbers), period, callback))
            callback()
            self.settle()
        self.time = max(self.time, time)

    def hear(self, topic: str, message: Any) -> None:
        """Let those who hear a topic hear a message, and all that comes of it."""
        self._tell(topic, message)
        self.settle()

    def _tell(self, topic: str, message: Any) -> None:
        for receiver in self._receivers.get(topic, ()):
            receiver(message)

    def settle(self) -> None:
        """Do all that waits."""
        while self._waiting:
            self._waiting.popleft()()


class WiredPublisher:
    """In the place of a publisher."""

    def __init__(self, wire: Wire, node: str, kind: Any, topic: str) -> None:
        self._wire, self._node, self.topic = wire, node, topic
        wire.spoken[topic] = kind

    def publish(self, message: Any) -> None:
        """See rclpy."""
        self._wire.publish(self._node, self.topic, message)

    def get_subscription_count(self) -> int:
        """How many hear it: one, or nobody."""
        return int(self.topic not in self._wire.unheard)


class Wired(Node):  # type: ignore[misc]
    """Stands between the class of a node and rclpy's, and gives it a wire in the place of the middleware.

    A subclass sets `wire`, `overrides` (parameters) and `node_context`.
    """

    wire: Wire
    overrides: tuple[Any, ...] = ()
    node_context: Any = None

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            context=self.node_context,
            parameter_overrides=[*self.overrides, NO_TYPES],
            start_parameter_services=False,
            enable_rosout=False,
            use_global_arguments=False,
        )

    def create_publisher(self, kind: Any, topic: str, *_: Any, **__: Any) -> WiredPublisher:
        """See rclpy."""
        return WiredPublisher(self.wire, self.get_name(), kind, topic)

    def create_subscription(self, kind: Any, topic: str, callback: Any, *_: Any, **__: Any) -> None:
        """See rclpy."""
        self.wire.subscribe(kind, topic, callback)

    def create_timer(self, seconds: float, callback: Any, *_: Any, **__: Any) -> None:
        """See rclpy."""
        self.wire.timer(round(seconds * NANO), callback)

    def create_service(self, *_: Any, **__: Any) -> None:
        """Nobody calls."""

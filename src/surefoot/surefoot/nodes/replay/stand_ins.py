# SPDX-License-Identifier: Apache-2.0
"""What replayed nodes get in the place of the clock of the wall and of actions."""

import time as wall
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import Verdict

from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.replay.wire import NANO, Wire


class BagTime:
    """In the place of the module `time`: what waits on the wall's clock waits on that of the bag."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def monotonic(self) -> float:
        """Time of the bag, s."""
        return self._wire.time / NANO

    def sleep(self, seconds: float) -> None:
        """Nothing waits in a replay."""

    perf_counter = staticmethod(wall.perf_counter)


class Promise:
    """A future that calls back through the wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._value = wire, None
        self._over = False
        self._callbacks: list[Callable[[Any], Any]] = []

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """See rclpy."""
        self._callbacks.append(callback)
        self._call()

    def result(self) -> Any:
        """See rclpy."""
        return self._value

    def keep(self, value: Any) -> None:
        """Give it its value."""
        self._value, self._over = value, True
        self._call()

    def _call(self) -> None:
        while self._over and self._callbacks:
            callback = self._callbacks.pop(0)
            self._wire.later(lambda callback=callback: callback(self))  # type: ignore[misc]


class RecordedVerdicts:
    """In the place of the particle traces: each enquiry gets the verdict that it got when the bag was recorded.

    Args:
        wire: of the nodes.
        verdicts: serialized, in their order.

    Attributes:
        without: enquiries that the bag has no verdict for.
    """

    def __init__(self, wire: Wire, verdicts: Iterable[bytes]) -> None:
        self._wire = wire
        # Told apart by their bytes: a verdict may hold numbers that are not equal to themselves.
        self._verdicts = [(data, deserialize_message(data, Verdict)) for data in verdicts]
        self._reached: set[bytes] = set()
        self._asked: list[tuple[bytes, Any, Promise]] = []
        self.without = 0

    def client(self, *_: Any) -> "RecordedVerdicts":
        """In the place of the class ActionClient."""
        return self

    def server_is_ready(self) -> bool:
        """See rclpy."""
        return True

    def send_goal_async(self, goal: Any) -> Promise:
        """See rclpy."""
        data, verdict = self._find(goal)
        taken, answer = Promise(self._wire), Promise(self._wire)
        if verdict is None:
            self.without += 1
        elif data in self._reached:
            answer.keep(_result(verdict))
        else:
            self._asked.append((data, verdict, answer))
        taken.keep(SimpleNamespace(accepted=verdict is not None, get_result_async=lambda: answer))
        return taken

    def reach(self, data: bytes) -> None:
        """The bag comes to a verdict: who waits for it gets it."""
        self._reached.add(data)
        for entry in [entry for entry in self._asked if entry[0] == data]:
            self._asked.remove(entry)
            entry[2].keep(_result(entry[1]))
        self._wire.settle()

    def _find(self, goal: Any) -> tuple[bytes, Any]:
        """The verdict on the same request at the same moment, or else the next one on the request; None where there is none."""
        same = [entry for entry in self._verdicts if entry[1].request_id == goal.request_id]
        exact = [entry for entry in same if entry[1].header.stamp == goal.robot_state.header.stamp]
        if not same:
            return b"", None
        chosen = (exact or same)[0]
        self._verdicts = [entry for entry in self._verdicts if entry is not chosen]
        return chosen


def _result(verdict: Any) -> Any:
    return SimpleNamespace(result=SimpleNamespace(verdict=verdict))


class RecordedBus:
    """In the place of a bus to real servos: it reads what was read from the bus, and nothing is written anywhere."""

    def __init__(self, node: Any, name: str, file: str, on_read: Callable[[Any], None]) -> None:
        self._now = 0.0

        def hear(message: Any) -> None:
            self._now = seconds_of(message.header.stamp)
            on_read(node._read_joints(message).sample)

        node.wire.subscribe(JointState, "/joint_states", hear)

    def now(self) -> float:
        """Time of the newest reading, s."""
        return self._now

    def start(self) -> None:
        """What was read comes from the bag."""

    def write(self, command: Any) -> None:
        """Nobody moves in a replay."""

    def health(self) -> Any:
        """Nothing is known."""
        return SimpleNamespace(problem="", faults=(), counters={}, temperature=np.full(12, np.nan), voltage=np.full(12, np.nan))

    def close(self, last: Any = None) -> None:
        """Nothing was opened."""


class NoLock:
    """In the place of the lock that keeps two servo bridges apart: a replayed one moves nothing."""

    def __init__(self, *_: Any) -> None:
        pass

    def release(self) -> None:
        """Nothing was locked."""


class NoActionServer:
    """In the place of the class ActionServer: nobody asks in a replay."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

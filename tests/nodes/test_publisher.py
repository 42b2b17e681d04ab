# SPDX-License-Identifier: Apache-2.0
"""The middleware of a busy machine now and then does not take a message; whoever speaks goes on."""

import os
from collections.abc import Callable
from typing import Any

import pytest
import rclpy
from rclpy.publisher import Publisher
from std_msgs.msg import Empty

from surefoot.nodes.base import SurefootNode
from surefoot.nodes.publisher import TRIES_IN_LOCKSTEP, CountingPublisher, RCLError


class Busy:
    """Takes a message at the n-th try only."""

    def __init__(self, taken_at: int) -> None:
        self.tries, self._taken_at = 0, taken_at

    def __call__(self, _: Any) -> None:
        self.tries += 1
        if self.tries < self._taken_at:
            raise RCLError("cannot publish data")


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Busy]:
    def make(taken_at: int) -> Busy:
        middleware = Busy(taken_at)
        monkeypatch.setattr(Publisher, "__init__", lambda self, topic: setattr(self, "topic", topic))
        monkeypatch.setattr(Publisher, "publish", middleware)
        return middleware

    return make


def publisher(lockstep: bool, lost: list[str], alive: bool = True) -> CountingPublisher:
    return CountingPublisher(lockstep, lambda: alive, lost.append, "/plan")


def test_running_free_it_is_one_more_lost_message(busy: Callable[[int], Busy]) -> None:
    middleware, lost = busy(2), []
    speaker = publisher(False, lost)
    speaker.publish(Empty())
    assert middleware.tries == 1
    assert lost == ["the middleware did not take a message on /plan: cannot publish data"]
    speaker.publish(Empty())
    assert (middleware.tries, len(lost)) == (2, 1)


def test_in_lockstep_it_is_tried_again_until_it_is_sent(busy: Callable[[int], Busy]) -> None:
    middleware, lost = busy(4), []
    publisher(True, lost).publish(Empty())
    assert (middleware.tries, len(lost)) == (4, 3)
    middleware, lost = busy(10 * TRIES_IN_LOCKSTEP), []
    publisher(True, lost).publish(Empty())
    assert (middleware.tries, len(lost)) == (TRIES_IN_LOCKSTEP, TRIES_IN_LOCKSTEP)


def test_who_has_no_middleware_left_is_told(busy: Callable[[int], Busy]) -> None:
    busy(2)
    with pytest.raises(RCLError, match="cannot publish data"):
        publisher(False, [], alive=False).publish(Empty())


def test_a_node_counts_what_its_publishers_could_not_send(monkeypatch: pytest.MonkeyPatch) -> None:
    rclpy.init(args=[], domain_id=121 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    try:
        node = SurefootNode("desk")
        publisher = node.create_publisher(Empty, "/plan", 1)
        publisher.publish(Empty())
        assert node.counters["not_sent"] == 0
        monkeypatch.setattr(Publisher, "publish", Busy(2))
        publisher.publish(Empty())
        assert node.counters["not_sent"] == 1
        assert node.last_fault == "the middleware did not take a message on /plan: cannot publish data"
    finally:
        rclpy.try_shutdown()

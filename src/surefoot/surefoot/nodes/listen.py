# SPDX-License-Identifier: Apache-2.0
"""Listens to a domain for some seconds, and says nothing in it."""

import os
import time

import rclpy

from surefoot.nodes.ears import Ears
from surefoot.nodes.quiet_node import quiet_node
from surefoot.recording.types import RawMessage, Topic
from surefoot.security import ROOT, check_security

PERIOD = 0.005  # s


def listen(seconds: float, name: str) -> tuple[list[RawMessage], dict[str, Topic]]:
    """What is said in so many seconds, and the topics of it.

    Args:
        seconds: s.
        name: of the node that listens.
    """
    messages: list[RawMessage] = []
    topics: dict[str, Topic] = {}
    check_security(os.environ, [ROOT])
    context = rclpy.context.Context()
    context.init(args=[])
    node = quiet_node(name, context)
    ears = Ears(node, False, lambda topic: topics.__setitem__(topic.name, topic), messages.extend, lambda kind, words: None)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ears.look()
        for _ in range(round(0.2 / PERIOD)):
            ears.take()
            time.sleep(PERIOD)
    return messages, topics

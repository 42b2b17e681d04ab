# SPDX-License-Identifier: Apache-2.0
"""Listens to a domain for some seconds, and says nothing in it."""

import time

import rclpy
from rclpy.node import Node

from surefoot.nodes.ears import Ears
from surefoot.recording.types import RawMessage, Topic

PERIOD = 0.005  # s


def listen(seconds: float, name: str) -> tuple[list[RawMessage], dict[str, Topic]]:
    """What is said in so many seconds, and the topics of it.

    Args:
        seconds: s.
        name: of the node that listens.
    """
    messages: list[RawMessage] = []
    topics: dict[str, Topic] = {}
    context = rclpy.context.Context()
    context.init(args=[])
    node = Node(name, context=context, enable_rosout=False, start_parameter_services=False)
    ears = Ears(node, False, lambda topic: topics.__setitem__(topic.name, topic), messages.extend, lambda kind, words: None)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ears.look()
        for _ in range(round(0.2 / PERIOD)):
            ears.take()
            time.sleep(PERIOD)
    return messages, topics

# SPDX-License-Identifier: Apache-2.0
"""Hears the mode of a robot once, for `surefoot status`."""

import os
import time
from dataclasses import dataclass

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from surefoot_msgs.msg import RobotMode

from surefoot.nodes import quality
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.quiet_node import quiet_node
from surefoot.security import ROOT, check_security


@dataclass(frozen=True)
class HeardMode:
    """What the servo bridge says.

    Attributes:
        mode: number of the mode.
        reason: why.
        since: on the clock of the stamps, s.
        time: of the message, s.
        refused: the last request that was refused, and why; empty while there is none.
    """

    mode: int
    reason: str
    since: float
    time: float
    refused: str


def hear_mode(patience: float) -> HeardMode | None:
    """The next word of the servo bridge in this domain; None where none comes within so many seconds."""
    check_security(os.environ, [ROOT])
    context = Context()
    rclpy.init(context=context, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    node = quiet_node("surefoot_status", context)
    heard: list[RobotMode] = []
    # A bridge in lockstep keeps its words for late listeners, one that runs free does not: what asks for least hears both.
    node.create_subscription(RobotMode, "/robot_mode", heard.append, quality.sensor(False))
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    deadline = time.monotonic() + patience
    while not heard and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()
    if not heard:
        return None
    word = heard[-1]
    return HeardMode(word.mode, word.reason, seconds_of(word.since), seconds_of(word.header.stamp), word.refused)

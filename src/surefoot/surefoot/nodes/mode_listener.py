# SPDX-License-Identifier: Apache-2.0
"""Hears the mode of a robot once, for `surefoot status`."""

import os
import time
from dataclasses import dataclass

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from surefoot_msgs.msg import RobotMode

from surefoot.nodes import quality
from surefoot.nodes.conversions.answers import heard_answers
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.quiet_node import quiet_node
from surefoot.security import ROOT, check_security
from surefoot.servos.modes import mode_name


@dataclass(frozen=True)
class HeardMode:
    """What the servo bridge says.

    Attributes:
        mode: number of the mode.
        reason: why.
        since: on the clock of the stamps, s.
        time: of the message, s.
        refused: the last request that was refused, and why; empty while there is none.
        answers: by name of a request that has a move out of the mode, why it would be refused, empty where it would be taken; None where
            the bridge has not said so in time.
    """

    mode: int
    reason: str
    since: float
    time: float
    refused: str
    answers: dict[str, str] | None


def hear_mode(patience: float) -> HeardMode | None:
    """The mode of the servo bridge in this domain, and what it would answer; None where no word of it comes within so many seconds."""
    check_security(os.environ, [ROOT])
    context = Context()
    rclpy.init(context=context, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    node = quiet_node("surefoot_status", context)
    heard: list[RobotMode] = []
    told: list[DiagnosticArray] = []
    # A bridge in lockstep keeps its words for late listeners, one that runs free does not: what asks for least hears both.
    node.create_subscription(RobotMode, "/robot_mode", heard.append, quality.sensor(False))
    node.create_subscription(DiagnosticArray, "/diagnostics", told.append, 50)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    deadline = time.monotonic() + patience
    answers: dict[str, str] | None = None
    while answers is None and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.1)
        del heard[:-1]
        for message in told if heard else ():
            answers = heard_answers(message, mode_name(heard[0].mode)) or answers
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()
    if not heard:
        return None
    (word,) = heard
    return HeardMode(word.mode, word.reason, seconds_of(word.since), seconds_of(word.header.stamp), word.refused, answers)

# SPDX-License-Identifier: Apache-2.0
"""What the node of the page asks of those whom it hears, and what it says itself."""

import math
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.qos import ReliabilityPolicy

from surefoot.nodes.conversions.state import message_of_state

EVENTS = {"/gait_status", "/verdict"}


@pytest.fixture
def view() -> Iterator[Any]:
    from surefoot.nodes.view import ViewNode

    rclpy.init(args=[], domain_id=141 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    node = ViewNode()
    yield node
    node.at_end()
    rclpy.try_shutdown()


def test_no_sender_of_what_comes_often_or_in_bulk_waits_for_it(view: Any) -> None:
    reliable = {
        subscription.topic_name for subscription in view.subscriptions if subscription.qos_profile.reliability == ReliabilityPolicy.RELIABLE
    }
    assert reliable - {"/parameter_events", "/clock"} == EVENTS
    assert {subscription.topic_name for subscription in view.subscriptions} >= {"/traces", "/diagnostics", "/swing"} | EVENTS


def test_it_knows_when_it_heard_the_robot(view: Any) -> None:
    assert math.isinf(view._page.state.heard_at)
    before = time.monotonic()
    model = view.model
    state = model.neutral()
    feet = model.feet_in_base(state.joint_position)
    view._hear("/robot_state", message_of_state(state, model.description, feet, np.zeros((4, 3))))
    assert before <= view._page.state.heard_at <= time.monotonic()

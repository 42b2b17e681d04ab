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
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.qos import ReliabilityPolicy
from surefoot_msgs.msg import Traces

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


def test_a_stranger_with_ever_new_names_does_not_fill_its_memory(view: Any) -> None:
    state, trace = view._page.state, {"outcome": [1], "length": [1], "points": [0.0] * 3, "period": 0.05}
    for number in range(2000):
        view._hear("/traces", Traces(request_id=2000 - number, gait_to=f"made up {number}"))
    for number in range(2000):
        view._hear("/diagnostics", DiagnosticArray(status=[DiagnosticStatus(name=f"made up {number}", message="nonsense", level=b"\x01")]))
        view._hear("/traces", Traces(request_id=1, number=number, violated=["tilt"], **trace))
        view._hear("/traces", Traces(request_id=1, number=0, violated=[f"made up {number}"], **trace))
    most = 500
    assert len(state.health) < most
    assert len(state.faults) < most
    assert len(state.past) < most
    for rehearsal in (state.rehearsal, *state.past):
        assert len(rehearsal.candidates) < most
        assert all(len(candidate.violated) < most for candidate in rehearsal.candidates.values())
    assert view.counters["refused_message"] > 3 * (2000 - most)

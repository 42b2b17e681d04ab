# SPDX-License-Identifier: Apache-2.0
import os
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from surefoot.nodes.narrator import NarratorNode
from surefoot.nodes.teller import MOST_NODES


@pytest.fixture
def node() -> Iterator[Any]:
    rclpy.init(args=[], domain_id=161 + os.getpid() % 20, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    made: Any = NarratorNode()
    yield made
    made.destroy_node()
    rclpy.shutdown()


def test_whoever_makes_up_names_of_nodes_ends_no_narrator(node: Any) -> None:
    (hears,) = [one.callback for one in node.subscriptions if one.topic_name == "/diagnostics"]
    for number in range(MOST_NODES + 3):
        hears(DiagnosticArray(status=[DiagnosticStatus(name=f"node {number}")]))
    assert len(node._teller.health) == MOST_NODES
    assert node.counters["refused_message"] == 3

# SPDX-License-Identifier: Apache-2.0
"""What the bridge makes of words of the operator."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from surefoot_msgs.msg import OperatorCommand

from surefoot import real_time
from surefoot.errors import ConfigurationError
from surefoot.nodes.base import slow_motion_of
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.servo_bridge import MOST_REQUESTS, OLDEST_WORD, ServoBridgeNode
from surefoot.nodes.topic_driver import TopicDriver
from surefoot.robot.load import load_robot


def bridge(lockstep: bool = False) -> Any:
    made = SimpleNamespace(_time=100.0, _requests=[], _operator_spoke=False, lockstep=lockstep, told=[], clock=50.0)
    made.wall = lambda: made.clock
    made.fault = lambda kind, text: made.told.append(f"{kind}: {text}")
    return made


def say(node: Any, request: int, stamp: float) -> None:
    message = OperatorCommand(request=request)
    message.header.stamp = stamp_of(stamp)
    ServoBridgeNode._hear_operator(node, message)


def waiting(node: Any) -> list[int]:
    return [request for request, _ in node._requests]


def test_a_request_that_waited_long_for_a_tick_is_not_for_now() -> None:
    """Before the first tick nothing says what time it is."""
    node = bridge()
    node._time = 0.0
    say(node, OperatorCommand.ARM, 1000.0)
    say(node, OperatorCommand.STAND, 0.0)
    node.clock += OLDEST_WORD - 0.1
    assert ServoBridgeNode._next_request(node) == OperatorCommand.ARM
    node.clock += 4000.0
    say(node, OperatorCommand.SIT, 0.0)
    assert ServoBridgeNode._next_request(node) == OperatorCommand.SIT
    assert node.told == ["late_operator_command: request 3 of the operator waited 4000.400 s for a tick"]
    say(node, OperatorCommand.STOP, 0.0)
    node.clock += 4000.0
    assert ServoBridgeNode._next_request(node) == OperatorCommand.STOP


def test_what_was_long_on_its_way_is_not_for_now() -> None:
    node = bridge()
    say(node, OperatorCommand.ARM, 100.0 - OLDEST_WORD - 0.1)
    say(node, OperatorCommand.NONE, 100.0 - OLDEST_WORD - 0.1)
    assert (node._requests, node._operator_spoke) == ([], False)
    assert node.told[0] == "late_operator_command: a word of the operator (request 2) was 0.600 s on its way"
    say(node, OperatorCommand.ARM, 100.0 - OLDEST_WORD + 0.1)
    say(node, OperatorCommand.STAND, 0.0)
    assert (waiting(node), node._operator_spoke) == ([OperatorCommand.ARM, OperatorCommand.STAND], True)


def test_stop_is_never_too_late_and_comes_first() -> None:
    node = bridge()
    say(node, OperatorCommand.ARM, 100.0)
    say(node, OperatorCommand.STOP, 1.0)
    assert waiting(node) == [OperatorCommand.STOP]
    assert ServoBridgeNode._next_request(node) == OperatorCommand.STOP
    assert ServoBridgeNode._next_request(node) == 0


def test_requests_do_not_pile_up() -> None:
    node = bridge()
    for _ in range(MOST_REQUESTS + 1):
        say(node, OperatorCommand.STAND, 100.0)
    assert len(node._requests) == MOST_REQUESTS
    assert node.told == [f"requests_dropped: request 3 came while {MOST_REQUESTS} others wait"]


def test_in_lockstep_time_is_that_of_the_ticks() -> None:
    node = bridge(lockstep=True)
    say(node, OperatorCommand.ARM, 1.0)
    assert waiting(node) == [OperatorCommand.ARM]


def test_on_a_robot_no_watchdog_is_stretched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(real_time.WISH, "false")
    assert slow_motion_of("servo_bridge", 25.0) == 25.0
    for value in (0.0, -1.0, float("nan"), 1001.0):
        with pytest.raises(ConfigurationError, match="above 0 and at most 1000"):
            slow_motion_of("servo_bridge", value)
    monkeypatch.setenv(real_time.WISH, "true")
    assert slow_motion_of("servo_bridge", 1.0) == 1.0
    with pytest.raises(ConfigurationError, match="'slow_motion' of state_estimator is 25; on a robot"):
        slow_motion_of("state_estimator", 25.0)


@pytest.mark.parametrize(("bus", "file"), [("dynamixel", "links_dynamixel"), ("topic", "hyq_ros2_control")])
def test_nor_where_the_bridge_has_a_bus_of_its_own(bus: str, file: str) -> None:
    with pytest.raises(ConfigurationError, match=f"'slow_motion' of servo_bridge is 25; with bus '{bus}' {file} it must be 1"):
        ServoBridgeNode._driver(SimpleNamespace(lockstep=False, slow_motion=25.0), bus, file)


def test_a_simulation_on_a_bus_may_be_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    node = MagicMock(lockstep=False, slow_motion=25.0, model=load_robot("hyq"), wall=lambda: 0.0)
    assert isinstance(ServoBridgeNode._driver(node, "topic", "hyq_gazebo"), TopicDriver)
    # On a robot there is neither such a bus file nor such a clock.
    monkeypatch.setenv(real_time.WISH, "true")
    with pytest.raises(ConfigurationError, match="is for a simulation"):
        ServoBridgeNode._driver(node, "topic", "hyq_gazebo")

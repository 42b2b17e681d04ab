# SPDX-License-Identifier: Apache-2.0
"""What the bridge makes of words of the operator."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from surefoot_msgs.msg import OperatorCommand

from surefoot import real_time
from surefoot.errors import ConfigurationError
from surefoot.nodes import servo_bridge
from surefoot.nodes.base import slow_motion_of
from surefoot.nodes.conversions.common import stamp_of
from surefoot.nodes.servo_bridge import MOST_REQUESTS, OLDEST_WORD, ServoBridgeNode
from surefoot.nodes.tick_clock import TickClock
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


def test_a_topic_that_moves_the_robot_is_locked_by_the_name_that_others_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "0x2a")
    monkeypatch.setattr(servo_bridge, "BridgeLock", lambda name: name)
    seen = {"/joint_command": "/twin/joint_command", "~/a": "/lab/servo_bridge/a"}
    node: Any = SimpleNamespace(_locks=["serial /dev/ttyUSB0"], resolve_topic_name=lambda topic: seen.get(topic, topic))
    node._resolved = lambda topics: ServoBridgeNode._resolved(node, topics)
    ServoBridgeNode._lock_topics(node, ["/joint_command", "/b", "~/a", "/b"])
    assert node._locks == ["serial /dev/ttyUSB0", "domain_42/twin/joint_command", "domain_42/b", "domain_42/lab/servo_bridge/a"]


def test_so_is_each_that_a_foreign_robot_is_told_on() -> None:
    node, locked = MagicMock(lockstep=False, slow_motion=1.0, model=load_robot("hyq"), wall=lambda: 0.0), list[str]()
    node._lock_topics = locked.extend
    ServoBridgeNode._driver(node, "topic", "hyq_ros2_control")
    assert locked == [f"/{name}_controller/commands" for name in ("position", "velocity", "effort", "stiffness", "damping")]


@pytest.mark.parametrize("lockstep", [True, False])
def test_joint_states_that_are_not_new_stop_no_clock(lockstep: bool) -> None:
    """In lockstep each tick is a period, whatever the wall says."""
    now = [50.0]
    node: Any = SimpleNamespace(
        _bus=None, _beats=0, _period=0.004, lockstep=lockstep, _tick_clock=TickClock(0.008, 0.05), wall=lambda: 0.0 if lockstep else now[0]
    )

    def tick(stamp: float | None) -> float:
        now[0] += 0.004
        return ServoBridgeNode._now(node, None if stamp is None else SimpleNamespace(stamp=stamp))

    assert [tick(stamp) for stamp in (9.996, 10.0)] == [9.996, 10.0]
    assert [tick(10.0 if k % 2 else 9.996) for k in range(100)][-1] == pytest.approx(10.4)
    assert tick(None) == pytest.approx(10.404)
    assert tick(10.408) == 10.408
    assert tick(3.0) == 3.0

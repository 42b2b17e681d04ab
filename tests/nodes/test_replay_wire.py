# SPDX-License-Identifier: Apache-2.0
"""Topics and timers inside one process."""

from enum import StrEnum
from typing import Any, cast

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, String

from surefoot.nodes.replay.canonical import canonical
from surefoot.nodes.replay.stand_ins import BagTime, Promise
from surefoot.nodes.replay.wire import Wire, WiredPublisher


def wire() -> tuple[Wire, list[tuple[str, str, Any]]]:
    said: list[tuple[str, str, Any]] = []
    return Wire(lambda node, topic, message: said.append((node, topic, message))), said


def test_no_callback_runs_inside_of_another() -> None:
    one, said = wire()
    order: list[str] = []
    out = WiredPublisher(one, "first", String, "/b")

    def first(message: Any) -> None:
        order.append("first begins")
        out.publish("said")
        order.append("first ends")

    one.subscribe(String, "/a", first)
    one.subscribe(String, "/b", lambda message: order.append(f"second hears {message}"))
    one.hear("/a", "word")
    assert order == ["first begins", "first ends", "second hears said"]
    assert said == [("first", "/b", "said")]


def test_what_is_said_early_is_heard_by_those_who_come_late() -> None:
    one, _ = wire()
    heard: list[Any] = []
    one.publish("early", "/a", "word")
    one.subscribe(String, "/a", heard.append)
    one.settle()
    assert heard == ["word"]


def test_who_asks_whether_somebody_hears_it_is_told() -> None:
    one = Wire(lambda node, topic, message: None, unheard=("/swing",))
    assert [WiredPublisher(one, "planner", String, topic).get_subscription_count() for topic in ("/swing", "/motion_plan")] == [0, 1]


def test_timers_go_by_the_time_of_the_bag() -> None:
    one, _ = wire()
    calls: list[float] = []
    clock = BagTime(one)
    one.timer(100, lambda: calls.append(clock.monotonic() * 1e9))
    one.begin(1000)
    one.go_to(1050)
    assert calls == []
    one.go_to(1310)
    np.testing.assert_allclose(calls, (1100.0, 1200.0, 1300.0))
    assert one.time == 1310


def test_a_promise_calls_back_later() -> None:
    one, _ = wire()
    kept: list[Any] = []
    promise = Promise(one)
    promise.add_done_callback(lambda done: kept.append(done.result()))
    promise.keep(7)
    assert kept == []
    one.settle()
    assert kept == [7]
    promise.add_done_callback(lambda done: kept.append(8))
    one.settle()
    assert kept == [7, 8]


def test_equal_messages_are_equal_bytes_nan_included() -> None:
    def message(**values: Any) -> JointState:
        return JointState(name=["a", "b"], position=[1.0, float("nan")], **values)

    assert canonical(message()) == canonical(message())
    assert canonical(message(velocity=[0.0])) != canonical(message(velocity=[-0.0]))
    other = message()
    other.header.stamp.nanosec = 1
    assert canonical(other) != canonical(message())


def test_what_is_equal_over_the_wire_is_equal_before_it() -> None:
    """A node may say a NumPy number, or a member of an enumeration, where the wire gives a plain one."""

    class Word(StrEnum):
        ONE = "one"

    plain, special = JointState(name=["one"]), JointState()
    special.name = [Word.ONE]
    plain.header.stamp.sec = 3
    special.header.stamp.sec = cast(int, np.int32(3))
    assert canonical(special) == canonical(plain)
    nested = DiagnosticArray(status=[DiagnosticStatus(message="a"), DiagnosticStatus(message="b")])
    again = DiagnosticArray(status=[DiagnosticStatus(message="a"), DiagnosticStatus(message="b")])
    assert canonical(nested) == canonical(again)
    again.status[1].values = [KeyValue(key="k", value="v")]
    assert canonical(nested) != canonical(again)
    assert canonical(Bool(data=True)) != canonical(Bool(data=False))

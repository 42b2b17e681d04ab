# SPDX-License-Identifier: Apache-2.0
"""What carries a bus, with buses that raise."""

import threading
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from surefoot import real_time
from surefoot.nodes import base, bus_driver
from surefoot.nodes.bus_driver import BusDriver
from surefoot.robot.command import JointCommand
from surefoot.robot.model import RobotModel
from surefoot.servos.bus import BusHealth

LAST = JointCommand.damped(0.0, np.zeros(12), 1.0)


class Broken:
    """A bus that raises whatever it is asked."""

    def __init__(self) -> None:
        self.closed = False

    def read(self) -> None:
        raise ValueError("a sample that cannot be")

    def write(self, command: JointCommand) -> None:
        raise OSError("the cable is out")

    def health(self) -> BusHealth:
        return BusHealth(faults=("overload",))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Broken:
    made = Broken()
    monkeypatch.setattr(bus_driver, "open_bus", lambda *_: made)
    return made


def test_a_bus_that_raises_is_counted_and_gives_no_sample(hyq: RobotModel, bus: Broken) -> None:
    node, given, told = MagicMock(model=hyq), list[Any](), list[str]()
    node.get_clock().now().nanoseconds = 0
    node.fault = lambda kind, text: told.append(f"{kind}: {text}")
    driver = BusDriver(node, "broken", "", given.append)
    driver._read()
    driver.write(LAST)
    assert given == [None], "the bridge goes on, and sees the silence"
    assert told == ["bus_read_failed: ValueError: a sample that cannot be", "bus_write_failed: OSError: the cable is out"]
    with pytest.raises(OSError, match="cable"):
        driver.close(LAST)
    assert bus.closed, "whatever the last command met, the bus itself leaves its servos damped"


def test_commands_that_do_not_leave_are_a_fault_that_is_said_loudly_and_not_at_every_tick(hyq: RobotModel, bus: Broken) -> None:
    node, time = MagicMock(model=hyq), [0.0]
    node.get_clock().now().nanoseconds = 0
    driver = BusDriver(node, "broken", "", lambda _: None)
    driver.now = lambda: time[0]  # type: ignore[method-assign]
    cries = node.get_logger().error
    for tick in range(260):
        time[0] = 0.01 * tick
        driver.write(LAST)
        assert len(driver.health().faults) == (2 if time[0] > 0.055 else 1)
    assert driver.health().faults[0].startswith("no command has left for 2.590 s, limit 0.050 s: OSError: the cable is out")
    assert cries.call_count == 3, "once a second"
    assert "the servos hear nothing: no command has left for 0.06" in cries.call_args_list[0].args[0]
    bus.write = lambda _: None  # type: ignore[method-assign]
    driver.write(LAST)
    assert driver.health().faults == ("overload",)


def test_the_thread_that_moves_the_motors_is_the_one_that_comes_first(
    hyq: RobotModel, bus: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(real_time.WISH, "true")
    asked, ticked, read = list[int](), list[int](), threading.Event()
    monkeypatch.setattr(real_time, "_priority", lambda place: asked.append(threading.get_ident()) or "")
    monkeypatch.setattr(real_time, "_core", lambda place: "")
    monkeypatch.setattr(real_time, "_memory", lambda: "")
    node = MagicMock(model=hyq, loop_elsewhere=False)
    node.get_name.return_value = "servo_bridge"
    node.get_clock().now().nanoseconds = 0
    node.begin_loop = lambda: base.SurefootNode.begin_loop(node)

    def on_read(_: object) -> None:
        ticked.append(threading.get_ident())
        read.set()

    driver = BusDriver(node, "broken", "", on_read)
    driver.start()
    assert read.wait(10.0)
    # What the executor's thread does before its first callback.
    base.begin(node)
    with pytest.raises(OSError, match="cable"):
        driver.close(LAST)
    assert asked == [ticked[0]]
    assert set(ticked) == {asked[0]} != {threading.get_ident()}


def test_without_a_bus_the_thread_of_the_executor_asks() -> None:
    node = MagicMock(loop_elsewhere=False)
    base.begin(node)
    node.begin_loop.assert_called_once_with()


def test_at_the_end_the_bus_comes_first() -> None:
    from surefoot.nodes.servo_bridge import ServoBridgeNode

    order: list[str] = []

    def close(_: JointCommand) -> None:
        order.append("bus")
        raise OSError("the cable is out")

    node = MagicMock(_time=0.0, _position=np.zeros(12), _safe_damping=1.0, _bus=SimpleNamespace(close=close))
    node._servo.publish = lambda _: order.append("topic")
    node._locks = [SimpleNamespace(release=lambda: order.append("lock"))]
    node.model.description.joint_names = tuple(f"joint_{k}" for k in range(12))
    with pytest.raises(OSError, match="cable"):
        ServoBridgeNode.at_end(node)
    assert order == ["bus", "topic", "lock"]

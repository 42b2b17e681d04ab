# SPDX-License-Identifier: Apache-2.0
"""What every node has: its robot, its mode of time, its health report, and a way to run and to end."""

import os
import signal
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.experimental.events_executor import EventsExecutor
from rclpy.node import Node
from rclpy.task import Future

from surefoot.errors import SurefootError
from surefoot.robot.load import load_robot


class SurefootNode(Node):  # type: ignore[misc]
    """A node of the graph.

    Parameters:
        robot: a name in config/robots or a path to a robot.yaml.
        lockstep: one tick at a time, whatever the load of the machine; false: as fast as messages come.
        seed: of everything that is drawn at random.

    Attributes:
        model: the believed robot.
        lockstep: see the parameter.
        seed: see the parameter.
        counters: what went wrong how often, published on /diagnostics.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.model = load_robot(self.declare_parameter("robot", "hyq").value)
        self.lockstep: bool = self.declare_parameter("lockstep", True).value
        self.seed: int = self.declare_parameter("seed", 0).value
        self.counters: Counter[str] = Counter()
        self.last_fault = ""
        self._tick_seconds: deque[float] = deque(maxlen=20000)
        self._ticks, self._ticks_reported = 0, 0
        self._health_reports = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_timer(1.0, self._report)

    def fault(self, kind: str, text: str) -> None:
        """Count a fault; the first of its kind and every hundredth is logged."""
        self.counters[kind] += 1
        self.last_fault = text
        if self.counters[kind] % 100 == 1:
            self.get_logger().warning(f"{kind} ({self.counters[kind]} so far): {text}")

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, its duration counted as that of a tick."""

        def run(*arguments: Any, **named: Any) -> Any:
            begin = time.perf_counter()
            try:
                return work(*arguments, **named)
            finally:
                self._tick_seconds.append(time.perf_counter() - begin)
                self._ticks += 1

        return run

    def health(self) -> dict[str, str]:
        """What a node has to say beside what every node says."""
        return {}

    def _report(self) -> None:
        """Publish the health of this node."""
        values = {"rate_hz": f"{self._ticks - self._ticks_reported}", "last_fault": self.last_fault}
        self._ticks_reported = self._ticks
        if self._tick_seconds:
            median, high = np.percentile(self._tick_seconds, (50, 99)) * 1e6
            values |= {"tick_us_p50": f"{median:.1f}", "tick_us_p99": f"{high:.1f}"}
        values |= {key: str(count) for key, count in sorted(self.counters.items())} | self.health()
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN if self.last_fault else DiagnosticStatus.OK,
            name=self.get_name(),
            message=self.last_fault or "ok",
            values=[KeyValue(key=key, value=value) for key, value in values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._health_reports.publish(message)

    def at_end(self) -> None:
        """What is still to be done when the node is told to end."""


def run(make: Callable[[], SurefootNode]) -> None:
    """Run a node until it is told to end or has done its work, and exit the process: 0, or 2 for what a person can mend."""
    rclpy.init(signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: finish())
    node: SurefootNode | None = None
    code = 0
    try:
        node = make()
        executor = EventsExecutor()
        executor.add_node(node)
        while not _finished.done():
            # The executor's own spin() neither calls back nor hears signals in the wheels; this does both.
            executor.spin_until_future_complete(_finished, timeout_sec=0.2)
    except SurefootError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        code = 2
    except Exception:
        traceback.print_exc()
        code = 1
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.at_end()
        sys.stdout.flush()
        sys.stderr.flush()
        # Destroying a node of the wheels can hang on a thread of the middleware; the operating system frees everything.
        os._exit(code)


_finished: Future = Future()


def finish() -> None:
    """End the process once the callback in hand is through: the work is finished."""
    if not _finished.done():
        _finished.set_result(None)

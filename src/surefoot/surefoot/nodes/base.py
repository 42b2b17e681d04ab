# SPDX-License-Identifier: Apache-2.0
"""What every node has: its robot, its mode of time, its health report, and a way to run and to end."""

import gc
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.exceptions import InvalidParameterTypeException
from rclpy.experimental.events_executor import EventsExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.task import Future

from surefoot.errors import ConfigurationError, SurefootError, UnknownNameError
from surefoot.nodes.parameters import NodeParameters, is_live
from surefoot.nodes.publisher import CountingPublisher
from surefoot.real_time import WISH, ask_for_the_process, ask_for_the_thread, come_back, moves_motors, step_back
from surefoot.robot.load import load_robot
from surefoot.security import check_security, enclave_of
from surefoot.settings import check_settings
from surefoot.settings_words import range_of
from surefoot.tick_times import TICK_COUNTS, TickTimes

TICKS_REMEMBERED = 20000
"""Durations that the percentiles in a health report are taken over."""

Given = TypeVar("Given", bound=NodeParameters)


class SurefootNode(Node):  # type: ignore[misc]
    """A node of the graph. Its parameters are described in `nodes.parameters`.

    Attributes:
        model: the believed robot.
        lockstep: see the parameter.
        seed: see the parameter.
        slow_motion: see the parameter.
        loop_elsewhere: whether another thread than the executor's runs the loop; that thread calls `begin_loop` itself.
        counters: what went wrong how often, published on /diagnostics.
        steady: the clock that never jumps, s; who steps a node by hand puts another in its place.
    """

    def __init__(self, name: str) -> None:
        self.lockstep = False
        self.counters: Counter[str] = Counter()
        self.last_fault = ""
        super().__init__(name)
        self._described: type[NodeParameters] = NodeParameters
        self.add_on_set_parameters_callback(self._set_parameters)
        given = self.declared(NodeParameters)
        self.model = load_robot(given.robot)
        self.lockstep, self.seed = given.lockstep, given.seed
        self.slow_motion = slow_motion_of(name, given.slow_motion)
        self.loop_elsewhere = False
        self.steady: Callable[[], float] = time.monotonic
        self._tick_seconds = np.zeros(TICKS_REMEMBERED)
        self._ticks, self._ticks_reported = 0, 0
        self._tick_times = TickTimes()
        self._health_reports = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_timer(1.0, self._report)

    def create_publisher(self, *arguments: Any, **named: Any) -> Publisher:
        """A publisher, see rclpy; what it cannot send is counted."""
        made = partial(CountingPublisher, self.lockstep, self.context.ok, partial(self.fault, "not_sent"))
        return super().create_publisher(*arguments, **named, publisher_class=made)

    def wall(self) -> float:
        """Time on the wall at the pace of the stamps, s: what the silence of others is measured with."""
        return self.steady() / self.slow_motion

    def declared(self, kind: type[Given]) -> Given:
        """Declare the parameters that are not declared yet.

        Args:
            kind: that describes them.

        Returns:
            What was given, and the defaults of what was not.

        Raises:
            ConfigurationError: naming each that is of another type or out of its range.
        """
        for name, field in kind.model_fields.items():
            if not self.has_parameter(name):
                # Types are checked below, where a whole number is a number too.
                parts = (str(field.description).rstrip("."), range_of(field), "" if is_live(field) else "read at the start")
                words = "; ".join(part for part in parts if part)
                self.declare_parameter(name, field.default, ParameterDescriptor(description=words, dynamic_typing=True))
        given = self._checked(kind, {})
        self._described = kind
        return given

    def tune(self, changes: Mapping[str, Any]) -> None:
        """Take over Live parameters that are set while this node runs, checked already. Raises SurefootError, the reason of a refusal."""

    def _checked(self, kind: type[Given], changes: Mapping[str, Any]) -> Given:
        values = {name: self.get_parameter(name).value for name in kind.model_fields} | dict(changes)
        return check_settings(kind, values, f"parameters of {self.get_name()}")

    def _set_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Take over what can be set while this node runs, or say why not. Parameters that are not described here are somebody else's."""
        fields = self._described.model_fields
        changes = {one.name: one.value for one in parameters if one.name in fields and self.has_parameter(one.name)}
        for name in changes:
            if not is_live(fields[name]):
                return SetParametersResult(successful=False, reason=f"{name} is read at the start only; start {self.get_name()} with it")
        if not changes:
            return SetParametersResult(successful=True)
        try:
            self._checked(self._described, changes)
            self.tune(changes)
        except SurefootError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

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
                self._tick_seconds[self._ticks % TICKS_REMEMBERED] = time.perf_counter() - begin
                self._ticks += 1

        return run

    def refusing(self, hear: Callable[[Any], None]) -> Callable[[Any], None]:
        """The same function for a message: one of which nothing can be made is refused and counted."""

        def run(message: Any) -> None:
            try:
                hear(message)
            except SurefootError as error:
                self.fault("refused_message", str(error))

        return run

    def guarded(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function for a callback of a future: an exception in it ends the process with its trace.

        In those of topics and timers the executor sees to that; one in a future's callback it does not survive.
        """

        def run(*arguments: Any) -> Any:
            try:
                return work(*arguments)
            except Exception:
                traceback.print_exc()
                finish(1)

        return run

    def warn_of_unknown_parameters(self) -> None:
        """Name the parameters that were given, but that this node does not have."""
        known = [name for name in self._parameters if not name.startswith("qos_overrides.")]
        for name in self._parameter_overrides:
            if not self.has_parameter(name):
                self.get_logger().warning(str(UnknownNameError(f"parameter of {self.get_name()}", name, known)))

    def health(self) -> dict[str, str]:
        """What a node has to say beside what every node says."""
        return {}

    def _report(self) -> None:
        """Publish the health of this node."""
        # A loop in another thread may go on meanwhile.
        ticks = self._ticks
        values = {"rate_hz": f"{ticks - self._ticks_reported}", "last_fault": self.last_fault}
        if ticks:
            median, high = np.percentile(self._tick_seconds[:ticks], (50, 99)) * 1e6
            # Only those since the last report: they are few, and a report must not hold up a tick.
            new = np.arange(max(self._ticks_reported, ticks - TICKS_REMEMBERED), ticks) % TICKS_REMEMBERED
            self._tick_times.add(self._tick_seconds[new])
            values |= {"tick_us_p50": f"{median:.1f}", "tick_us_p99": f"{high:.1f}", TICK_COUNTS: self._tick_times.words()}
        self._ticks_reported = ticks
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

    def begin_loop(self) -> None:
        """Called once by the thread that runs the loop, before its first tick: it is the one that comes first on a robot."""
        for words in ask_for_the_thread(self.get_name()):
            self.get_logger().info(words)

    def at_end(self) -> None:
        """What is still to be done when the node is told to end."""


def slow_motion_of(node: str, value: float) -> float:
    """The value of the parameter of that name.

    Raises:
        ConfigurationError: it cannot be used, or the torques of this stack go to motors.
    """
    if not 0.0 < value <= 1000.0:
        raise ConfigurationError(f"parameter 'slow_motion' of {node} is {value:g}; it must be above 0 and at most 1000")
    if value != 1.0 and moves_motors():
        raise ConfigurationError(
            f"parameter 'slow_motion' of {node} is {value:g}; on a robot ({WISH} is true) it must be 1: silence would be noticed late. "
            "It is for simulations alone"
        )
    return value


class _Ending:
    """Whether and with which code the process is to end, and what the executor waits for meanwhile."""

    code: int | None = None
    awaited: Future = Future()


def finish(code: int = 0) -> None:
    """End the process once the callback in hand is through: the work is finished, or cannot go on."""
    if _Ending.code is None:
        _Ending.code = code
        _Ending.awaited.set_result(None)


def run(make: Callable[[], SurefootNode], *, watches: bool = False) -> None:
    """Run a node until it is told to end or has done its work, and exit the process.

    Args:
        make: the node.
        watches: whether no tick waits for this node, nor is anything lost that it is late for: once it runs, it steps back behind those
            on the way from sensors to motors.

    The exit code is 0, 2 for what a person can mend, 1 for anything else that went wrong.
    """
    try:
        check_security(os.environ, [enclave_of(sys.argv)])
    except ConfigurationError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(2)
    rclpy.init(signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    # A node that still starts has nothing to bring to an end; compiling its law can take a while.
    _on_signals(lambda *_: os._exit(0))
    node: SurefootNode | None = None
    code, niceness = 0, os.getpriority(os.PRIO_PROCESS, 0)
    try:
        node = make()
        node.warn_of_unknown_parameters()
        begin(node)
        if watches:
            # Not before: who starts late has missed what was said.
            step_back()
        _on_signals(_told_to_end)
        # What is alive now stays: looking through all of it again and again would stop a tick for tens of milliseconds.
        gc.collect()
        gc.freeze()
        executor = EventsExecutor()
        executor.add_node(node)
        while _Ending.code is None:
            # The executor's own spin() neither calls back nor hears signals in the wheels; this does both. It leaves a callback on
            # the future each time, so each time has its own.
            _Ending.awaited = Future()
            executor.spin_until_future_complete(_Ending.awaited, timeout_sec=0.1)
        code = _Ending.code
    except (SurefootError, InvalidParameterTypeException) as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        code = 2
    except Exception:
        traceback.print_exc()
        code = 1
    finally:
        _on_signals(signal.SIG_IGN)
        if watches:
            come_back(niceness)
        _exit(node, code)


def begin(node: SurefootNode) -> None:
    """Ask the system for what a loop needs, in the thread that is going to run the executor."""
    for words in ask_for_the_process(node.get_name()):
        node.get_logger().info(words)
    if not node.loop_elsewhere:
        node.begin_loop()


def _on_signals(handler: Any) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _told_to_end(*_: Any) -> None:
    # The lock of the awaited future may be held by what the signal interrupts: the executor comes back by itself soon.
    if _Ending.code is None:
        _Ending.code = 0


def _exit(node: SurefootNode | None, code: int) -> None:
    try:
        if node is not None:
            node.at_end()
    except Exception:
        traceback.print_exc()
        code = code or 1
    sys.stdout.flush()
    sys.stderr.flush()
    # Destroying a node of the wheels can hang on a thread of the middleware; the operating system frees everything.
    os._exit(code)

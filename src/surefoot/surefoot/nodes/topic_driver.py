# SPDX-License-Identifier: Apache-2.0
"""The topics of somebody else in the place of our own pair: see `servos.buses.topic`."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray

from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode
from surefoot.nodes.conversions.common import seconds_of, stamp_of
from surefoot.nodes.tick_clock import TickClock
from surefoot.robot.command import JointCommand
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import BusHealth
from surefoot.servos.buses import read_bus_file
from surefoot.servos.buses.topic import Interface, Output, TopicMap, TopicSettings, topics_of

Rows = Mapping[Interface, NDArray[np.float64]]


class TopicDriver:
    """Carries joint states and commands of a foreign robot.

    Args:
        node: that owns it.
        file: see `buses.find_bus_file`.
        on_read: called with each whole sample, or None where none came for a while.

    Raises:
        SurefootError: what is wrong with the file.

    Attributes:
        topics: that a foreign robot has, before remapping: what it says, and then what it is told.
    """

    def __init__(self, node: SurefootNode, file: str, on_read: Callable[[SensorSample | None], None]) -> None:
        self._node, self._on_read = node, on_read
        self._map = TopicMap(read_bus_file(TopicSettings, file), node.model.description.joint_names, node.model.effort_limit)
        self.topics = topics_of(self._map.settings, node.model.description.joint_names)
        # As soon as two are missing the bridge goes on without: what it waits for longer than that does not grow old there.
        self._silent = 2.0 / node.model.description.control.rate
        self._heard, self._newest, self._refused = node.wall(), 0.0, 0
        # However long nobody called, what was heard is that old: no step is too long.
        self._clock = TickClock(math.inf, self._map.settings.stale_after)
        node.create_subscription(JointState, self._map.settings.states, self._hear, quality.INPUT)
        self._senders = [self._sender(output) for output in self._map.settings.outputs]
        node.create_timer(self._silent * node.slow_motion, self._watch)

    def write(self, command: JointCommand) -> None:
        """To the servos. A message in which a number is not known, such as the position of a joint that nobody measured, is not sent."""
        rows = self._map.values(command, self._clock.look(None, self._node.wall()))
        for send in self._senders:
            send(rows, command.time)

    def health(self) -> BusHealth:
        """See ServoBus.health."""
        problem = self._map.missing(self._newest)
        if self._node.wall() - self._heard > self._silent:
            problem = f"nothing on {self._map.settings.states} for {self._node.wall() - self._heard:.3f} s"
        return BusHealth(problem, counters=MappingProxyType({"messages_refused": self._refused}))

    def start(self) -> None:
        """Nothing is to be begun: messages come by themselves."""

    def close(self, last: JointCommand) -> None:
        """Send a last command."""
        self.write(last)

    def _hear(self, message: JointState) -> None:
        stamp = seconds_of(message.header.stamp)
        taken = self._map.take(stamp, message.name, message.position, message.velocity, message.effort)
        if isinstance(taken, str):
            self._refused += 1
            self._node.fault("refused_message", taken)
            return
        if self._map.names_one(message.name):
            # What others stamp, a gripper say, says nothing of our clock.
            self._newest = stamp
            self._clock.look(stamp, self._node.wall())
        if taken is not None:
            self._heard = self._node.wall()
            self._on_read(taken)

    def _watch(self) -> None:
        if self._node.wall() - self._heard > self._silent:
            self._on_read(None)

    def _sender(self, output: Output) -> Callable[[Rows, float], None]:
        places, node = self._map.places(output), self._node
        names = [self._map.theirs[place] for place in places]
        profile = quality.command(False)
        if output.message == "number":
            publishers = [node.create_publisher(Float64, output.topic.format(joint=name), profile) for name in names]

            def send(rows: Rows, time: float) -> None:
                row = rows[output.interfaces[0]]
                for publisher, place in zip(publishers, places, strict=True):
                    if math.isfinite(row[place]):
                        publisher.publish(Float64(data=float(row[place])))

        elif output.message == "array":
            arrays = node.create_publisher(Float64MultiArray, output.topic, profile)

            def send(rows: Rows, time: float) -> None:
                numbers = [float(rows[name][place]) for name in output.interfaces for place in places]
                if all(map(math.isfinite, numbers)):
                    arrays.publish(Float64MultiArray(data=numbers))

        else:
            states = node.create_publisher(JointState, output.topic, profile)

            def send(rows: Rows, time: float) -> None:
                message = JointState(name=names)
                for name in output.interfaces:
                    numbers = [float(rows[name][place]) for place in places]
                    if not all(map(math.isfinite, numbers)):
                        return
                    setattr(message, "effort" if name == "torque" else name, numbers)
                message.header.stamp = stamp_of(time)
                states.publish(message)

        return send

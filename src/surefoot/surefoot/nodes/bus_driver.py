# SPDX-License-Identifier: Apache-2.0
"""A bus to real servos in the place of the topic pair: what it reads is published, and what the bridge gives is written to it."""

import math
import threading
import time
import traceback
from collections.abc import Callable

import numpy as np
from sensor_msgs.msg import Imu, JointState

from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, finish
from surefoot.nodes.conversions.common import stamp_of, vector_of
from surefoot.robot.command import JointCommand
from surefoot.robot.state import SensorSample
from surefoot.servos.bus import BusHealth
from surefoot.servos.buses import open_bus
from surefoot.servos.departures import Departures
from surefoot.servos.settings import bridge_settings

COMPLAINS_EVERY = 1.0
"""s from one error to the next while no command leaves."""

ENDING = 2.0
"""s that the end waits for a reading that goes on."""


class BusDriver:
    """Reads a bus at the control rate, or as often as it can be read where that is less.

    Publishes /joint_states, and /imu where the bus has one.

    Args:
        node: that owns it.
        name: of the bus.
        file: see `buses.open_bus`.
        on_read: called with each sample, or None where none came, by a thread of this object. The loop of the node is that thread.

    Raises:
        SurefootError: the bus cannot be used.
    """

    def __init__(self, node: SurefootNode, name: str, file: str, on_read: Callable[[SensorSample | None], None]) -> None:
        # Stamps are on the clock of ROS as it was at the start: one that is set meanwhile must not stop the robot.
        self._begin: float = node.get_clock().now().nanoseconds * 1e-9
        self._monotonic_begin = time.monotonic()
        self._node = node
        self._on_read, self._names = on_read, list(node.model.description.joint_names)
        self._imu_link = node.model.description.sensors.imu_link
        self._departures, self._complained = Departures(bridge_settings().stale_after), -math.inf
        self._bus = open_bus(name, node.model, file, self.now)
        self._joints = node.create_publisher(JointState, "/joint_states", quality.sensor(False))
        self._imu = node.create_publisher(Imu, "/imu", quality.sensor(False))
        self._period = 1.0 / node.model.description.control.rate
        self._over = threading.Event()
        # Waiting for servos in the executor would leave it no time for anything else where the bus is slower than the control rate.
        self._thread = threading.Thread(target=self._run, daemon=True)
        node.loop_elsewhere = True

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def now(self) -> float:
        """Time of stamps, s."""
        return self._begin + time.monotonic() - self._monotonic_begin

    def write(self, command: JointCommand) -> None:
        """To the servos; to be called within `on_read`. One that does not leave is counted, and the next tick tries again."""
        try:
            self._bus.write(command)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            self._node.fault("bus_write_failed", words)
            self._departures.failed(self.now(), words)
            self._complain()
        else:
            self._departures.left(self.now())

    def health(self) -> BusHealth:
        """See ServoBus.health; with the fault that no command leaves, where none does."""
        return self._departures.upon(self._bus.health(), self.now())

    def close(self, last: JointCommand) -> None:
        """Send a last command, then see ServoBus.close."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(ENDING)
        try:
            self._bus.write(last)
        finally:
            self._bus.close()

    def _complain(self) -> None:
        """Loudly, in whichever mode the robot is: not even damping reaches its servos."""
        now = self.now()
        if (fault := self._departures.fault(now)) and now - self._complained >= COMPLAINS_EVERY:
            self._complained = now
            self._node.get_logger().error(f"the servos hear nothing: {fault}")

    def _run(self) -> None:
        try:
            self._node.begin_loop()
            due = time.monotonic()
            while not self._over.is_set():
                self._read()
                due = max(due + self._period, time.monotonic())
                self._over.wait(due - time.monotonic())
        except Exception:
            traceback.print_exc()
            finish(1)

    def _read(self) -> None:
        try:
            sample = self._bus.read()
        except Exception as error:  # as above
            self._node.fault("bus_read_failed", f"{type(error).__name__}: {error}")
            sample = None
        if sample is not None:
            joints = JointState(
                name=self._names,
                position=sample.joint_position.tolist(),
                velocity=sample.joint_velocity.tolist(),
                effort=sample.joint_effort.tolist(),
            )
            joints.header.stamp = stamp_of(sample.time)
            if np.isfinite(sample.specific_force_imu).all():
                imu = Imu(angular_velocity=vector_of(sample.angular_velocity_imu), linear_acceleration=vector_of(sample.specific_force_imu))
                imu.header.stamp, imu.header.frame_id = joints.header.stamp, self._imu_link
                imu.orientation_covariance[0] = -1.0
                self._imu.publish(imu)
            self._joints.publish(joints)
        self._on_read(sample)

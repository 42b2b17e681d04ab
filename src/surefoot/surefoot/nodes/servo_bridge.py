# SPDX-License-Identifier: Apache-2.0
"""Node: the last gate before the motors; every joint command passes here."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import QuaternionStamped
from sensor_msgs.msg import JointState
from surefoot_msgs.msg import GaitStatus, OperatorCommand, RobotMode, ServoCommand

from surefoot.errors import ConfigurationError, SensorError
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.bridge_source import ENDED, source_in
from surefoot.nodes.bus_driver import BusDriver
from surefoot.nodes.conversions.answers import told_answers
from surefoot.nodes.conversions.command import CommandReader, message_of_command
from surefoot.nodes.conversions.common import Order, array_of_quaternion, seconds_of, stamp_of
from surefoot.nodes.join import Tick, TickJoin
from surefoot.nodes.parameters import ServoBridgeParameters
from surefoot.nodes.speakers import Speakers
from surefoot.nodes.tick_clock import TickClock
from surefoot.nodes.topic_driver import TopicDriver
from surefoot.robot.command import JointCommand
from surefoot.robot.state import SensorSample
from surefoot.ros_domain import domain_number
from surefoot.servos.attitude import Attitude, attitude_of
from surefoot.servos.bridge import ServoBridge
from surefoot.servos.buses import TOPIC, devices_of, read_bus_file
from surefoot.servos.buses.topic import TopicSettings
from surefoot.servos.footing import Footing
from surefoot.servos.limits import JointLimits
from surefoot.servos.lock import BridgeLock
from surefoot.servos.modes import Mode, Request
from surefoot.servos.output import BridgeOutput
from surefoot.servos.settings import bridge_settings

OLDEST_WORD = 0.5
"""s from the mode that a word of the operator follows to its arrival; one that is older is not for now."""
MOST_REQUESTS = 8
"""That wait for their ticks."""

LOOK_FOR_STRANGERS = 0.5
"""s from one look to the next who publishes what moves the robot."""

JOINTS, ATTITUDE, COMMAND, OPERATOR = "/joint_states", "/base_attitude", "/servo_command", "/operator_command"
SERVOS = "/joint_command"


class ServoBridgeNode(SurefootNode):
    """Topics: the four above and /gait_status in; /joint_command, /robot_mode out; with a bus, /joint_states and /imu out instead of in."""

    def __init__(self) -> None:
        super().__init__("servo_bridge")
        self._locks: list[BridgeLock] = []
        self._lock_topics([SERVOS])
        model, description = self.model, self.model.description
        settings = bridge_settings()
        limits = JointLimits.of(model)
        self._bridge = ServoBridge(description, limits, settings, Footing(model, settings))
        ServoBridge(description, limits, settings).warm_up()
        given = self.declared(ServoBridgeParameters)
        self._patience = given.patience
        self._safe_damping = description.servos.safe_damping
        self._joints, self._commands = Order("joint", description.joint_names), CommandReader(description)
        self._law = self.timed(self._bridge.tick)
        self._period = 1.0 / description.control.rate
        self._tick_clock, self._beats = TickClock(2.0 * self._period, settings.stale_after), 0
        self._time, self._position = 0.0, model.lie_joint_position
        self._answered_stamp = 0.0
        self._attitude_before: _HeardAttitude | None = None
        self._activity = 0
        self._requests: list[tuple[int, float]] = []
        self._given_up = -math.inf
        self._told: tuple[object, ...] = ()
        self._rehearsing = False
        # Until the first tick is whole, the graph is still starting.
        self._heard: float | None = None
        self._counted: dict[str, int] = {}
        self._answers: tuple[Mode, Mapping[Request, str]] = (Mode.OFF, {})
        self._servo = self.create_publisher(ServoCommand, SERVOS, quality.command(self.lockstep))
        self._modes = self.create_publisher(RobotMode, "/robot_mode", quality.command(self.lockstep))
        kinds = {JOINTS: JointState, ATTITUDE: QuaternionStamped, COMMAND: ServoCommand, OPERATOR: OperatorCommand}
        self._estimate_problem, self._operator_spoke = "", False
        own_pair = given.bus == TOPIC and not given.bus_file
        # With a bus each sample makes a tick; without, each command does.
        self._join = TickJoin(kinds, COMMAND if own_pair else JOINTS, self.lockstep, self._tick)
        self._bus = None if own_pair else self._driver(given.bus, given.bus_file)
        for topic, kind in kinds.items():
            if topic == JOINTS and self._bus is not None:
                continue
            profile = {JOINTS: quality.sensor, OPERATOR: quality.operator}.get(topic, quality.command)(self.lockstep)
            self.create_subscription(kind, topic, self._receiver(topic), profile)
        self.create_subscription(GaitStatus, "/gait_status", self._hear_status, quality.EVENT)
        foreign = self._bus.topics if isinstance(self._bus, TopicDriver) else ()
        self._speakers = Speakers(self, self._resolved((*kinds, SERVOS, *foreign)))
        self._strangers = ""
        self.create_timer(LOOK_FOR_STRANGERS, self._look_for_strangers)
        if self._bus is None:
            self.create_timer(0.1 if self.lockstep else 2.0 * self._period * self.slow_motion, self._watch)
        else:
            self._bus.start()

    def at_end(self) -> None:
        """Whatever the robot was doing, it is left damped."""
        damped = JointCommand.damped(self._time, np.asarray(self._position), self._safe_damping)
        try:
            if self._bus is not None:
                self._bus.close(damped)
        finally:
            self._servo.publish(message_of_command(damped, self.model.description, ENDED))
            time.sleep(0.05)
            for lock in self._locks:
                lock.release()

    def health(self) -> dict[str, str]:
        """The counters of the bridge, the gates that cannot trip here, what requests would be answered, and the counters of the bus."""
        counters = {f"bridge_{name}": str(count) for name, count in sorted(self._counted.items())}
        counters |= {"not_watched": "; ".join(self._bridge.unwatched)} | told_answers(*self._answers)
        if self._bus is None:
            return counters
        health = self._bus.health()
        return counters | {f"bus_{name}": str(count) for name, count in sorted(health.counters.items())} | {
            "bus_problem": health.problem, "bus_faults": "; ".join(health.faults)
        }  # fmt: skip

    def _receiver(self, topic: str) -> Callable[[Any], None]:
        # What can be read before the command comes is read while the others still work on it.
        read: Callable[[Any], Any] = {JOINTS: self._read_joints, ATTITUDE: self._read_attitude}.get(topic, lambda message: message)

        def hear(message: Any) -> None:
            if topic == OPERATOR:
                self._hear_operator(message)
            if topic != JOINTS and self.lockstep and self._is_late(topic, seconds_of(message.header.stamp)):
                self.fault("late_message", f"{topic} of {seconds_of(message.header.stamp):.3f} s came after its tick was given up")
                return
            self._join.push(topic, read(message))

        return hear

    def _hear_operator(self, message: OperatorCommand) -> None:
        """A word that was long on its way is none, unless it says stop; without a stamp it is as old as its arrival."""
        request, stamp = message.request, seconds_of(message.header.stamp)
        if request == OperatorCommand.STOP:
            self._requests = [(request, self.wall())]
        elif not self.lockstep and 0.0 < stamp < self._time - OLDEST_WORD:
            self.fault("late_operator_command", f"a word of the operator (request {request}) was {self._time - stamp:.3f} s on its way")
            return
        elif request and len(self._requests) < MOST_REQUESTS:
            # Each counts once, also where several commands come between two ticks.
            self._requests.append((request, self.wall()))
        elif request:
            self.fault("requests_dropped", f"request {request} came while {len(self._requests)} others wait")
        self._operator_spoke = True

    def _is_late(self, topic: str, stamp: float) -> bool:
        # What the operator wants is said after one tick and meant for the next.
        return stamp < self._given_up if topic == OPERATOR else stamp <= self._given_up

    def _driver(self, bus: str, bus_file: str) -> BusDriver | TopicDriver:
        if self.lockstep:
            raise ConfigurationError(
                f"bus '{bus}' with real servos runs in its own time; start with realtime:=true (lockstep:=false for this node alone)"
            )
        if self.slow_motion != 1.0 and not (bus == TOPIC and read_bus_file(TopicSettings, bus_file).simulation):
            raise ConfigurationError(
                f"parameter 'slow_motion' of servo_bridge is {self.slow_motion:g}; with bus '{bus}' {bus_file} it must be 1: silence would "
                "be noticed late. A bus file for a simulation says so: simulation: true"
            )
        if bus == TOPIC:
            driver = TopicDriver(self, bus_file, self._read_bus)
            self._lock_topics(driver.topics[1:])
            return driver
        for device in devices_of(bus, bus_file):
            self._locks.append(BridgeLock(device))
        return BusDriver(self, bus, bus_file, self._read_bus)

    def _lock_topics(self, topics: Iterable[str]) -> None:
        """Of those that move the robot, by the names that others in this domain see: no namespace hides one, and remapping may."""
        self._locks += [BridgeLock(f"domain_{domain_number()}{topic}") for topic in self._resolved(topics)]

    def _resolved(self, topics: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(self.resolve_topic_name(topic) for topic in topics))

    def _look_for_strangers(self) -> None:
        """Say who else speaks where one alone may: what they say passes the same gates and bounds; nobody is armed, or stands up, then."""
        self._strangers = self._speakers.too_many()
        if self._strangers:
            self.fault("strangers", self._strangers)

    def _read_bus(self, sample: SensorSample | None) -> None:
        """One reading of the bus, with or without a sample."""
        if sample is not None:
            self._join.push(JOINTS, _Joints(sample.time, sample))
        else:
            self._tick(self._join.latest() | {JOINTS: None})

    def _hear_status(self, status: GaitStatus) -> None:
        self._rehearsing = status.request_state == GaitStatus.REHEARSING

    def _watch(self) -> None:
        """Go on without what does not come."""
        if self._heard is None:
            return
        if not self.lockstep:
            if self.wall() - self._heard > 2.0 * self._period:
                latest = self._join.latest()
                self._tick(latest | {COMMAND: None})
            return
        missing, waited = self._join.missing(), self.steady() - self._heard
        if missing and waited > self._patience and not self._rehearsing:
            self.fault("tick_incomplete", f"no message on {', '.join(missing)} for {waited:.1f} s")
            tick = self._join.give_up()
            if tick is not None:
                if tick[JOINTS] is not None:
                    self._given_up = tick[JOINTS].stamp
                self._tick(tick)

    def _tick(self, tick: Tick) -> None:
        self._heard = self.steady() if self.lockstep else self.wall()
        joints, command = tick[JOINTS], tick[COMMAND]
        if command is not None:
            self._activity = command.activity
        self._time = self._now(joints)
        self._answered_stamp = self._time if joints is None else joints.stamp
        sample = None if joints is None else joints.sample
        if sample is not None and np.isfinite(sample.joint_position).all():
            self._position = sample.joint_position
        read = self._command(command)
        # A word without a command in it says that the controller lives; one that cannot be read says nothing.
        answered = None if command is None or (command.active and read is None) else seconds_of(command.header.stamp)
        heard = self._news(tick[ATTITUDE])
        output = self._law(
            self._time,
            sample=sample,
            command=read,
            answered=answered,
            request=self._next_request(),
            attitude=None if heard is None else heard.attitude,
            attitude_stamp=None if heard is None else heard.stamp,
            planner_activity=self._activity,
            operator=self._operator_spoke,
            estimate_problem=self._estimate_problem,
            health=None if self._bus is None else self._bus.health(),
            strangers=self._strangers,
        )
        self._operator_spoke = False
        if self._bus is not None:
            self._bus.write(output.command)
        self._publish(output)

    def _now(self, joints: "_Joints | None") -> float:
        """Time of the tick on the clock of the stamps; where no new sample comes, it goes on by itself."""
        if isinstance(self._bus, BusDriver):
            # However long a bus takes to say nothing, the servos are as long without a command.
            return self._bus.now()
        self._beats += 1
        # In lockstep there is no wall: each tick is one period.
        wall = self._beats * self._period if self.lockstep else self.wall()
        return self._tick_clock.look(None if joints is None else joints.stamp, wall)

    def _next_request(self) -> int:
        if any(request == OperatorCommand.STOP for request, _ in self._requests):
            self._requests.clear()
            return int(OperatorCommand.STOP)
        while self._requests:
            request, heard = self._requests.pop(0)
            waited = self.wall() - heard
            if self.lockstep or waited <= OLDEST_WORD:
                return request
            # No tick came meanwhile, and who asked may long have gone.
            self.fault("late_operator_command", f"request {request} of the operator waited {waited:.3f} s for a tick")
        return 0

    def _read_joints(self, message: JointState) -> "_Joints":
        stamp, nothing = seconds_of(message.header.stamp), np.full(3, np.nan)
        try:
            self._joints.places(message.name)
            position = self._joints.values("position", message.position)
            velocity, effort = (
                self._joints.values(what, values) if len(values) else np.full(12, np.nan)
                for what, values in (("velocity", message.velocity), ("effort", message.effort))
            )
        except SensorError as error:
            self.fault("refused_message", str(error))
            return _Joints(stamp, None)
        return _Joints(stamp, SensorSample(stamp, position, velocity, effort, nothing, nothing, np.full((4, 3), np.nan)))

    def _command(self, message: ServoCommand | None) -> JointCommand | None:
        if message is None:
            return None
        try:
            return self._commands.read(message)
        except SensorError as error:
            self.fault("refused_message", str(error))
            return None

    def _read_attitude(self, message: QuaternionStamped) -> "_HeardAttitude":
        quaternion = array_of_quaternion(message.quaternion)
        # A quaternion of zeros is how the estimator says that it does not know.
        known = bool(quaternion.any())
        self._estimate_problem = "" if known else "the state estimator says that it does not know the attitude"
        return _HeardAttitude(seconds_of(message.header.stamp), attitude_of(quaternion) if known else None)

    def _news(self, heard: "_HeardAttitude | None") -> "_HeardAttitude | None":
        """What was heard before is no news: an estimator that fell silent must show."""
        before, self._attitude_before = self._attitude_before, heard
        return None if heard is before else heard

    def _publish(self, output: BridgeOutput) -> None:
        message = message_of_command(output.command, self.model.description, source_in(output.mode))
        if self.lockstep:
            # Whatever was held or refused, this is the answer to this tick, and the simulator waits for it.
            message.header.stamp = stamp_of(self._answered_stamp)
        self._servo.publish(message)
        mode = RobotMode(mode=int(output.mode), reason=output.reason, since=stamp_of(output.since), refused=output.refused)
        mode.header.stamp = stamp_of(self._time)
        self._modes.publish(mode)
        self._counted, self._answers = dict(output.counters), (output.mode, output.answers)
        news = (output.mode, output.reason, output.refused)
        if news != self._told:
            if output.mode == Mode.DAMPING and self._told and self._told[0] == Mode.OFF:
                self.get_logger().info(f"gates that cannot trip here: {'; '.join(self._bridge.unwatched) or 'none'}")
            self._told = news
            refused = f"; refused: {output.refused}" if output.refused else ""
            self.get_logger().info(f"{output.mode.name}: {output.reason}{refused}")


class _Joints(NamedTuple):
    """What came on /joint_states: its stamp, s, and the sample, None where it cannot be used."""

    stamp: float
    sample: SensorSample | None


class _HeardAttitude(NamedTuple):
    """What came on /base_attitude: its stamp, s, and the attitude, None where it is not known."""

    stamp: float
    attitude: Attitude | None


def main() -> None:
    """Entry point."""
    run(ServoBridgeNode)


if __name__ == "__main__":
    main()

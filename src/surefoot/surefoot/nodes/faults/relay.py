# SPDX-License-Identifier: Apache-2.0
"""Sits on every way between the nodes, lets it fail when told, plays the operator's pad, and watches what leaves the servo bridge."""

import threading
from collections import Counter
from collections.abc import Callable

import rclpy
from nav_msgs.msg import Odometry
from rclpy.action import ActionServer
from rclpy.context import Context
from rclpy.experimental.events_executor import EventsExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from sensor_msgs.msg import Joy
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import GaitStatus, RobotMode

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.taps import Kind, Letter, Tap
from surefoot.nodes import quality
from surefoot.nodes.conversions.common import seconds_of
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.discovery import THIS_MACHINE, found_by
from surefoot.nodes.faults.messages import falsifier, spoiler, stamp_in, with_stamp
from surefoot.nodes.faults.vouch import vouch
from surefoot.nodes.faults.watch import Watch
from surefoot.nodes.replay.neighbours import Neighbours
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.servos.modes import Mode
from surefoot.teleop.layout import read_layout
from surefoot.teleop.writer import pad_message

NAME = "fault_relay"
TAPPED = "/tapped"
"""Namespace on which a node speaks whose topic the relay carries on."""

SENSORS = ("joint_states", "imu", "foot_forces")
PRESS = 0.2
"""s that a button is down."""
CHAIN = ("joint_states", "robot_state", "motion_plan", "servo_command", "joint_command")
"""From a sample to its command: where a message of it is lost, no command comes for that sample."""
LOST_IN_A_ROW = 3
"""For so many the robot does not wait: they were lost here, and by no busy machine. For more it does: silence has an age everywhere."""
HEARD = QoSProfile(depth=200)
"""Reliable: the relay itself loses nothing."""


class Relay:
    """The ways between the processes of one graph, all sound until `fail` is called.

    The simulated robot waits for one command a tick. The relay stamps each command with the sample that it comes after, so that a graph
    which runs free on the clock of the stamps, and whose commands may fail to come, still drives it tick by tick. Where it lost that
    command itself, or what would have become it, it says the one before again in its place, as a servo holds what it was told.

    Args:
        model: the robot.
        interfaces: names of the topics, without their slashes, that it carries.
        domain: ROS domain.
        seed: of what is drawn in faults.

    Attributes:
        time: of the newest sample of the simulated robot, s.
        mode: the newest word of the servo bridge; None before the first.
        changes: every mode that differed from the one before: (time, mode, reason).
        illegal: what left the bridge that must not; empty for nothing.
        commands: how many left the bridge.
        height: of the base, m.
        gait: the newest word of the gait planner; None before the first.
        shift: s by which the clock of the sensors is wrong.
        silent: the ways on which nothing was said yet.
        touched: messages on their way that a fault changed, held back or lost, those with a wrong time among them.
        broken: what a callback of the relay raised; None as long as all is well.
    """

    def __init__(self, model: RobotModel, interfaces: tuple[str, ...], domain: int, seed: int = 0) -> None:
        self._watch = Watch(model)
        self._context = Context()
        with found_by(THIS_MACHINE):
            rclpy.init(context=self._context, domain_id=domain, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self._node = Node(NAME, context=self._context, enable_rosout=False)
        self._lock = threading.RLock()
        self.time, self.illegal, self.commands, self.height = 0.0, "", 0, float("nan")
        self.changes: list[tuple[float, Mode, str]] = []
        self.gait: GaitStatus | None = None
        self.shift = 0.0
        self._shifted = 0
        self.broken: Exception | None = None
        self.silent = set(interfaces) - (set() if model.description.sensors.foot_force is not None else {"foot_forces"})
        self.mode: RobotMode | None = None
        self._sensed: dict[str, bytes] = {}
        self._lost, self._commanded = Counter[str](), b""
        self._held: set[str] = set()
        self._pressed: tuple[str, float] = ("", 0.0)
        self._axes: dict[str, float] = {}
        self._layout = read_layout(shared_directory() / "config" / "gamepads", "xbox")
        self._taps: dict[str, Tap] = {}
        self._publish: dict[str, Callable[[bytes], None]] = {}
        for place, name in enumerate(interfaces):
            self._carry(name, seed + place)
        self._joy = self._node.create_publisher(Joy, "/joy", quality.command(True))
        self._node.create_subscription(RobotMode, "/robot_mode", self._hear_mode, HEARD)
        self._node.create_subscription(GaitStatus, "/gait_status", self._hear_gait, quality.EVENT)
        self._node.create_subscription(Odometry, "/ground_truth", self._hear_truth, HEARD)
        self._yes = ActionServer(self._node, ScoreTransitions, "/score_transitions", vouch)
        # Until somebody answers, the graph is still starting, and nobody who comes late has heard the first sample.
        self._node.create_timer(0.2, self._say_again)
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self._node)
        heard = [f"/{name}" for name in interfaces] + ["/joy", *(f"{TAPPED}/{name}" for name in interfaces)]
        self._neighbours = Neighbours(self._node, heard, (NAME,))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def fail(self, interface: str, kind: Kind) -> None:
        """Let a way fail from now on."""
        with self._lock:
            self._taps[interface].fail(kind, self.time)

    def heal(self) -> None:
        """Every way is sound again."""
        with self._lock:
            for tap in self._taps.values():
                tap.heal()
            self.shift, self.illegal = 0.0, ""

    def press(self, action: str) -> None:
        """Push a button of the pad by what it does, and let it go."""
        with self._lock:
            self._pressed = (self._layout.button_name(action), self.mode_time + PRESS)

    def drive(self, forward: float) -> None:
        """Hold the dead-man switch, with the stick at -1 to 1."""
        with self._lock:
            self._held = {self._layout.button_name("dead_man")}
            self._axes = {self._layout.axis_name("forward"): forward}

    @property
    def touched(self) -> int:
        """See the class."""
        with self._lock:
            return self._shifted + sum(tap.touched for tap in self._taps.values())

    @property
    def mode_time(self) -> float:
        """Of the newest word of the bridge, s."""
        return 0.0 if self.mode is None else seconds_of(self.mode.header.stamp)

    @property
    def refused(self) -> str:
        """What the bridge refused last."""
        return "" if self.mode is None else str(self.mode.refused)

    def close(self) -> None:
        """Let go."""
        self._over.set()
        self._thread.join(5.0)
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def stranger(self) -> str:
        """Words on a node in the domain that moves a robot or could hear what is said here; empty where there is none.

        Only as long as the graph has not been started.
        """
        return self._neighbours.stranger(playing=True)

    @property
    def bridges(self) -> int:
        """How many servo bridges run: one that refuses to start never says its mode."""
        return int(self._node.count_publishers("/robot_mode"))

    def require_sound(self) -> None:
        """Raises SurefootError: a callback of the relay raised, and since then nothing is carried on."""
        if self.broken is not None:
            raise SurefootError(f"the relay itself broke: {type(self.broken).__name__}: {self.broken}") from self.broken

    def _spin(self) -> None:
        try:
            while not self._over.is_set():
                self._executor.spin_until_future_complete(Future(), timeout_sec=0.1)
        except Exception as error:  # whoever waits for something asks for it
            self.broken = error

    def _carry(self, name: str, seed: int) -> None:
        topic = STACK_TOPICS[f"/{name}"]
        kind = message_class(topic.type)
        to_simulator = name == "joint_command"
        publisher = self._node.create_publisher(kind, f"/{name}", quality.command(True) if to_simulator else HEARD)
        self._publish[name] = publisher.publish
        self._taps[name] = Tap(spoiler(kind), falsifier(kind), seed)
        profile = HEARD
        if name in SENSORS:
            profile = QoSProfile(depth=200, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        hear = {"joint_command": self._hear_command}.get(name, self._hear_sensor if name in SENSORS else self._hear_any)
        self._node.create_subscription(kind, f"{TAPPED}/{name}", lambda data: hear(name, data), profile, raw=True)

    def _hear_sensor(self, name: str, data: bytes) -> None:
        with self._lock:
            self._sensed[name] = data
            if name == "joint_states":
                self.time = stamp_in(data)
                for other in self._taps:
                    self._say(other, self._taps[other].due(self.time))
            if self.shift:
                self._shifted += 1
                data = with_stamp(data, stamp_in(data) + self.shift)
            self._hear_any(name, data)

    def _hear_any(self, name: str, data: bytes) -> None:
        with self._lock:
            self.silent.discard(name)
            letters = self._taps[name].send(self.time, Letter(stamp_in(data), data))
            self._say(name, letters)
            if name in CHAIN:
                self._lost[name] = 0 if letters else self._lost[name] + 1
                if 0 < self._lost[name] <= LOST_IN_A_ROW and self._commanded:
                    self._publish["joint_command"](with_stamp(self._commanded, self.time))

    def _hear_command(self, name: str, data: bytes) -> None:
        with self._lock:
            self.commands += 1
            self.illegal = self.illegal or self._watch.illegal(data)
            self._hear_any(name, data)

    def _say(self, name: str, letters: list[Letter]) -> None:
        for letter in letters:
            stamp = self.time if name == "joint_command" else letter.stamp
            self._publish[name](with_stamp(letter.body, stamp))
            if name == "joint_command":
                self._commanded = letter.body

    def _say_again(self) -> None:
        with self._lock:
            if self.commands == 0:
                for name, data in self._sensed.items():
                    self._publish[name](data)

    def _hear_mode(self, message: RobotMode) -> None:
        with self._lock:
            before, self.mode = self.mode, message
            if before is None or before.mode != message.mode:
                self.changes.append((seconds_of(message.header.stamp), Mode(message.mode), message.reason))
            now = seconds_of(message.header.stamp)
            button, until = self._pressed
            down = self._held | ({button} if button and now < until else set())
            self._joy.publish(message_of_pad(pad_message(self._layout, self._axes, down), message.header.stamp))

    def _hear_gait(self, message: GaitStatus) -> None:
        self.gait = message

    def _hear_truth(self, message: Odometry) -> None:
        self.height = message.pose.pose.position.z

# SPDX-License-Identifier: Apache-2.0
"""The nodes of the graph in one process, tick by tick: what one of them says is handed to the others at once, without DDS in between."""

import traceback
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import rclpy
from rclpy.serialization import serialize_message
from surefoot_msgs.msg import RobotMode

from surefoot.nodes.base import SurefootNode
from surefoot.nodes.conversions.joy import message_of_pad
from surefoot.nodes.faults.rehearsals import ACTION, Rehearsals, answered
from surefoot.nodes.faults.watch import Watch
from surefoot.nodes.gait_planner import GaitPlannerNode
from surefoot.nodes.inverse_dynamics import InverseDynamicsNode
from surefoot.nodes.particle_trace import BROKE_DOWN, ParticleTraceNode
from surefoot.nodes.servo_bridge import ServoBridgeNode
from surefoot.nodes.simulator import SimulatorNode
from surefoot.nodes.state_estimator import StateEstimatorNode
from surefoot.nodes.teleop import TeleopNode
from surefoot.robot.locate import shared_directory
from surefoot.servos.modes import Mode
from surefoot.teleop.layout import read_layout
from surefoot.teleop.writer import pad_message

TRACES = "particle_trace"

NODES: dict[str, Callable[[], SurefootNode]] = {
    "simulator": SimulatorNode, "state_estimator": StateEstimatorNode, "gait_planner": GaitPlannerNode,
    "inverse_dynamics": InverseDynamicsNode, "servo_bridge": ServoBridgeNode, "teleop": TeleopNode, TRACES: ParticleTraceNode,
}  # fmt: skip
"""Of the graph. The last, with processes of its own, is made only where it is wanted."""

CAUGHT = "internal error"
"""How the reason of a mode begins when the bridge caught an exception that nobody expected."""

SLOW = 1000.0
"""s of the wall for each second of the stamps, for timers and time limits."""

QUIET = ("/rosout", "/parameter_events")

BUTTONS = {Mode.OFF: "arm", Mode.FAULT: "arm", Mode.STOPPED: "arm", Mode.DAMPING: "stand", Mode.SITTING: "stand", Mode.READY: "walk"}
PRESS_EVERY = 60
"""Ticks from one press of a button to the next, of which the button is down for half."""

ARM_EVERY = 10
"""Presses from one of "arm" to the next: a clock that jumped has the pad lost, and it has to be armed anew, at rest."""

ANSWERED_WITHIN = 0.1
"""s of the stamps that a verdict is given."""

ASK_EVERY = 3000
"""Ticks from one gait that is asked for to the other; it is pressed for until it comes."""

GAITS = {"gait_1": "walk", "gait_2": "trot"}
"""By button."""

Interfere = Callable[[str, str, Any], Sequence[Any]]
"""Name of the node that is about to hear, topic and message: what it hears instead, one after the other."""


def as_it_is(name: str, topic: str, message: Any) -> Sequence[Any]:
    """Nobody interferes."""
    return (message,)


def unnoticed(name: str, message: Any) -> None:
    """Nobody is told."""


class Company:
    """The nodes, and an operator who wants the robot to walk.

    Args:
        robot: its name.
        seed: of its sensors.
        interfere: with what each node hears.
        received: told of each message that a node has received, whatever it did with it: name of the node, and the message.
        traces: whether there is a particle_trace; without one, as with one, each change of gait is vouched for.
        overhear: told of each message that is said: topic, and the message.
        beside: nodes that are made and neither hear the others nor are heard by them.
        parameters: of nodes, by their name.

    Attributes:
        mode: of the bridge.
        modes: that were seen, with the ticks spent in each.
        exceptions: by node: what nobody handled, the last lines of each trace, and what a node caught as a last resort, counted.
        illegal: what left the bridge that must not.
        nodes: by name.
        gait: that runs; empty before the planner said so.
    """

    def __init__(
        self, robot: str, seed: int, interfere: Interfere = as_it_is, received: Callable[[str, Any], None] = unnoticed,
        traces: bool = False, overhear: Callable[[str, Any], None] = unnoticed,
        beside: Mapping[str, Callable[[], SurefootNode]] = MappingProxyType({}),
        parameters: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        everybody = {"robot": robot, "seed": seed, "lockstep": "false", "slow_motion": SLOW}
        own = {f"{name}:{key}": value for name, values in parameters.items() for key, value in values.items()}
        given = (word for key, value in (everybody | own).items() for word in ("-p", f"{key}:={value}"))
        # What is refused is counted; a line for each would be all that is seen.
        # Verdicts that wait for nobody's clock.
        # Whoever presses for a gait again and again asks anew each time: the answer, which is there at once, has to count before that.
        unhurried = ("-p", f"{TRACES}:lockstep:=true", "-p", f"gait_planner:latency:={ANSWERED_WITHIN}")
        words = ["--ros-args", "--log-level", "error", *given, *unhurried]
        rclpy.init(args=words, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self._routes: dict[str, list[tuple[str, Callable[[Any], None]]]] = {}
        self._said: deque[tuple[str, Any]] = deque()
        self._interfere, self._received, self._overhear, self.gait = interfere, received, overhear, ""
        self.mode, self.modes = Mode.OFF, Counter[str]()
        self.exceptions: Counter[tuple[str, str]] = Counter()
        self.illegal: Counter[str] = Counter()
        self.nodes = {name: make() for name, make in NODES.items() if traces or name != TRACES}
        for name, node in self.nodes.items():
            self._wire(name, node)
        self.nodes |= {name: make() for name, make in beside.items()}
        for node in self.nodes.values():
            # Whatever the load of the machine, nobody grows impatient, and the same comes again.
            node.steady = lambda: 0.0
            # It would end the process, and here it is counted.
            node.guarded = lambda work: work  # type: ignore[method-assign]
        self._asked = Rehearsals(self.say_goal if traces else lambda goal: None)
        self.nodes["gait_planner"]._client = self._asked
        if traces:
            self._routes[ACTION] = [(TRACES, self._rehearse)]
        self._watch = Watch(self.nodes["servo_bridge"].model)
        self._layout = read_layout(shared_directory() / "config" / "gamepads", "xbox")
        self._ticks = 0

    def tick(self) -> None:
        """Let the simulated robot advance by one control period, and everybody say what there is to say of that."""
        simulator: Any = self.nodes["simulator"]
        self._ticks += 1
        self._call("simulator", simulator._begin_free if simulator._begun is None else simulator._run_free)
        while self._said:
            topic, message = self._said.popleft()
            self._overhear(topic, message)
            if topic == "/joint_command":
                if words := self._watch.illegal(bytes(serialize_message(message))):
                    self.illegal[words] += 1
            elif topic == "/robot_mode":
                if message.reason.startswith(CAUGHT) and message.mode != self.mode:
                    self.exceptions["servo_bridge", message.reason] += 1
                self._press(message)
            elif topic == "/gait_status":
                self.gait = message.gait
            for name, hear in self._routes.get(topic, ()):
                for heard in self._interfere(name, topic, message):
                    self._call(name, hear, heard)
        self.modes[self.mode.name] += 1

    def report(self) -> None:
        """Have everybody in it say how they are, in the next tick."""
        for name, node in self.nodes.items():
            if name in NODES:
                node._report()

    def say_goal(self, goal: Any = None) -> None:
        """Have a goal heard by particle_trace, that of the last request if none is given."""
        said = self._asked.newest if goal is None else goal
        if said is not None:
            self._said.append((ACTION, said))

    @property
    def stepping(self) -> bool:
        """Whether the robot walks, and not on the spot where it was told to."""
        return self.mode == Mode.WALKING and self.gait in GAITS.values()

    def lay_down(self) -> None:
        """Put the robot back to where it began: it lies there, and the clock of its stamps begins anew."""
        simulator: Any = self.nodes["simulator"]
        simulator._robot.reset(simulator.model.lie_joint_position)
        simulator._command_time = 0.0

    def close(self) -> None:
        """End of it; nodes of the wheels are not destroyed, which can hang."""
        for node in self.nodes.values():
            node.at_end()
        rclpy.try_shutdown()

    def _wire(self, name: str, node: SurefootNode) -> None:
        for subscription in node.subscriptions:
            self._routes.setdefault(subscription.topic_name, []).append((name, subscription.callback))
        for publisher in node.publishers:
            topic = publisher.topic_name
            if topic not in QUIET:
                publisher.publish = lambda message, topic=topic: self._said.append((topic, message))

    def _call(self, name: str, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except Exception as error:  # it would have ended the process
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.exceptions[name, f"{type(error).__name__}: {error} ({place.filename.rpartition('/')[2]}, {place.name})"] += 1
        if arguments:
            self._received(name, arguments[0])

    def counted(self, name: str) -> dict[str, int]:
        """What a node counts, by kind."""
        node = self.nodes[name]
        told = {key: int(value) for key, value in node.health().items() if value.isdigit()}
        return dict(node.counters) | told

    def _rehearse(self, goal: Any) -> None:
        answer = answered(self.nodes[TRACES], goal)
        if answer is None:
            self.exceptions[TRACES, "a goal without an answer"] += 1
        elif answer.verdict.reason.startswith(BROKE_DOWN):
            self.exceptions[TRACES, answer.verdict.reason] += 1

    def _press(self, message: RobotMode) -> None:
        self.mode = Mode(message.mode)
        button, axes, held = BUTTONS.get(self.mode, ""), {}, set[str]()
        if self.mode == Mode.WALKING:
            wanted = list(GAITS)[self._ticks // ASK_EVERY % len(GAITS)]
            button = "" if self.gait == GAITS[wanted] else wanted
            axes, held = {self._layout.axis_name("forward"): 0.5}, {self._layout.button_name("dead_man")}
        if self._ticks // PRESS_EVERY % ARM_EVERY == 0:
            button, axes = "arm", {}
        if button and self._ticks % PRESS_EVERY < PRESS_EVERY // 2:
            held.add(self._layout.button_name(button))
        self._said.append(("/joy", message_of_pad(pad_message(self._layout, axes, held), message.header.stamp)))

# SPDX-License-Identifier: Apache-2.0
"""Some nodes of the graph, fed from a bag."""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import yaml
from rclpy.context import Context
from rclpy.logging import LoggingSeverity, set_logger_level
from rclpy.parameter import Parameter
from surefoot_msgs.msg import Verdict

from surefoot.errors import ConfigurationError, UnknownNameError
from surefoot.nodes.bag_types import refuse_other_types
from surefoot.nodes.quick_read import read_message
from surefoot.nodes.replay.stand_ins import BagTime, NoActionServer, NoLock, RecordedBus, RecordedVerdicts
from surefoot.nodes.replay.wire import Wire, Wired
from surefoot.recording.errors import BagError
from surefoot.recording.reader import Bag
from surefoot.recording.types import RawMessage

REPLAYABLE = {
    "state_estimator": "StateEstimatorNode",
    "gait_planner": "GaitPlannerNode",
    "inverse_dynamics": "InverseDynamicsNode",
    "servo_bridge": "ServoBridgeNode",
    "teleop": "TeleopNode",
}
"""Nodes that can be fed from a bag, and their classes. Rehearsals have records of their own to be replayed from."""

HELPERS = ("gait_action", "topic_driver")
"""Modules of nodes/ that touch the world outside in a node's place."""

OF_THE_MIDDLEWARE = ("use_sim_time", "qos_overrides.", "start_type_description_service")
ABOUT_THE_PROCESS = {"/diagnostics", "/parameter_events", "/joy/set_feedback"}
"""Topics that speak of the process, its load and its hardware: no two runs agree on them."""
FOR_WHO_LOOKS = {"/swing", "/traces"}
"""Topics that are said only while somebody listens: what was recorded of them depends on who did."""

Parameters = Mapping[str, Mapping[str, Any]]


class Session:
    """Replayed nodes. Built anew, they know nothing of what was before: filters and timers begin again.

    Until it is closed, the modules of these nodes use the time of the bag and touch nothing outside, in the whole process.

    Args:
        bag: to feed from.
        names: of the nodes, out of REPLAYABLE.
        context: of rclpy, for their parameters and clocks; nothing that they say goes there.
        changes: parameters by node that are to be others than those that were recorded.
        on_output: called with node, topic and message for each output.
        unheard: topics that nobody wants to hear of those which are said to listeners only.

    Raises:
        UnknownNameError: a node that cannot be replayed.
        BagError: the bag has nothing that any of the nodes hears, or what they hear is of another type, or of another version of it.
    """

    def __init__(
        self,
        bag: Bag,
        names: Sequence[str],
        context: Context,
        on_output: Callable[[str, str, Any], None],
        changes: Parameters | None = None,
        unheard: Collection[str] = (),
    ) -> None:
        for name in names:
            if name not in REPLAYABLE:
                raise UnknownNameError("node to replay", name, REPLAYABLE)
        for name in changes or {}:
            if name not in names:
                raise UnknownNameError("node, in a change of parameters,", name, names)
        self._bag, self._names, self._context, self._on_output = bag, tuple(names), context, on_output
        self._changes, self._unheard = changes or {}, unheard
        self._recorded = recorded_parameters(bag)
        refuse_other_types(bag, {"/verdict": Verdict})
        self._verdicts = tuple(message.data for message in bag.messages(("/verdict",))) if bag.counts.get("/verdict") else ()
        self._nodes: list[Any] = []
        self._replaced: dict[tuple[Any, str], Any] = {}
        try:
            self.build()
            self._check_inputs()
        except BaseException:
            self.close()
            raise

    def _check_inputs(self) -> None:
        bag, names = self._bag, self._names
        refuse_other_types(bag, self._inputs)
        heard = self.inputs
        if not any(bag.counts.get(topic) for topic in heard):
            have = ", ".join(name for name, count in sorted(bag.counts.items()) if count) or "nothing"
            raise BagError(
                f"{bag.path} has none of the topics that {', '.join(names)} hear ({', '.join(sorted(heard))}); it has: {have}. "
                "For the bag of another robot give --map file.yaml"
            )

    def build(self) -> None:
        """Make the nodes, or make them anew."""
        for node in self._nodes:
            node.destroy_node()
        self._nodes = []
        self.wire = Wire(self._on_output, self._unheard)
        self.traces = RecordedVerdicts(self.wire, self._verdicts)
        for name in self._names:
            self._nodes.append(self._make(name))
        self._begun = False
        topics = self.wire.topics
        self._inputs = {topic: kind for topic, kind in topics.items() if topic not in self.wire.spoken}

    @property
    def lockstep(self) -> bool:
        """Whether the nodes meet the messages of a tick together, as they did when the bag was recorded."""
        first = self._recorded.get(self._names[0], {}) | dict(self._changes.get(self._names[0], {}))
        return bool(first.get("lockstep", False))

    @property
    def inputs(self) -> set[str]:
        """Topics that the nodes hear and do not say themselves."""
        return set(self._inputs)

    @property
    def outputs(self) -> dict[str, Any]:
        """Topics that can be compared with the recording, and the message class of each."""
        return {topic: kind for topic, kind in self.wire.spoken.items() if topic not in ABOUT_THE_PROCESS | FOR_WHO_LOOKS}

    def feed(self, message: RawMessage) -> None:
        """Let time go on to when a message was sent, and let the nodes hear it."""
        if not self._begun:
            self._begun = True
            self.wire.begin(message.publish_time)
            self.wire.settle()
        self.wire.go_to(message.publish_time)
        kind = self._inputs.get(message.topic)
        if kind is not None:
            self.wire.hear(message.topic, read_message(message.data, kind))
        elif message.topic == "/verdict":
            self.traces.reach(message.data)

    def end(self) -> None:
        """Tell the nodes to end, as the launcher did."""
        for node in self._nodes:
            node.at_end()
        self.wire.settle()

    def close(self) -> None:
        """The nodes are gone, and their modules as they were: whoever uses those in this process has the real time and a real bus again."""
        for node in self._nodes:
            node.destroy_node()
        self._nodes = []
        for (module, place), original in self._replaced.items():
            setattr(module, place, original)
        self._replaced.clear()

    def _make(self, name: str) -> Any:
        module = import_module(f"surefoot.nodes.{name}")
        stand_ins: dict[str, Any] = {
            "time": BagTime(self.wire),
            "ActionClient": self.traces.client,
            "ActionServer": NoActionServer,
            "BusDriver": RecordedBus,
            "BridgeLock": NoLock,
        }
        helpers = (sys.modules.get(f"surefoot.nodes.{helper}") for helper in HELPERS)
        for needed in (module, *(helper for helper in helpers if helper is not None)):
            for place, stand_in in stand_ins.items():
                if hasattr(needed, place):
                    self._replaced.setdefault((needed, place), getattr(needed, place))
                    setattr(needed, place, stand_in)
        values = self._recorded.get(name, {"lockstep": self.lockstep}) | dict(self._changes.get(name, {}))
        overrides = tuple(Parameter(key, value=value) for key, value in values.items())
        settings = {"wire": self.wire, "overrides": overrides, "node_context": self._context}
        node = type(name, (getattr(module, REPLAYABLE[name]), Wired), settings)()
        unknown = [key for key in self._changes.get(name, {}) if not node.has_parameter(key)]
        if unknown:
            raise UnknownNameError(f"parameter of {name}", unknown[0], (key for key in node._parameters if not key.startswith("qos_")))
        set_logger_level(name, LoggingSeverity.ERROR)
        return node


def recorded_parameters(bag: Bag) -> dict[str, dict[str, Any]]:
    """The parameters that each node had, by its name, as far as the bag says so.

    Raises:
        BagError: what it says cannot be read.
    """
    result: dict[str, dict[str, Any]] = {}
    for name, content in bag.attachments.items():
        if not name.startswith("parameters/"):
            continue
        try:
            for node, entry in yaml.safe_load(content).items():
                values: dict[str, Any] = entry["ros__parameters"]
                result[node.strip("/")] = {key: value for key, value in values.items() if not _is_plumbing(key, value)}
        except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
            raise BagError(f"{bag.path}: its attachment {name} cannot be read: {error}") from error
    return result


def read_changes(entries: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Parameters out of words such as gait_planner.particles=32. Raises ConfigurationError for anything else."""
    result: dict[str, dict[str, Any]] = {}
    for entry in entries:
        place, _, text = entry.partition("=")
        node, _, name = place.partition(".")
        if not (name and text):
            raise ConfigurationError(f"'{entry}' is no parameter; write NODE.NAME=VALUE")
        result.setdefault(node, {})[name] = yaml.safe_load(text)
    return result


def _is_plumbing(key: str, value: Any) -> bool:
    return key.startswith(OF_THE_MIDDLEWARE) or value == []

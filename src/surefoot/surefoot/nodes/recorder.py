# SPDX-License-Identifier: Apache-2.0
"""Node: writes everything that is said in the graph into a bag."""

import math
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from rclpy.parameter import parameter_value_to_python
from surefoot_msgs.msg import Verdict

from surefoot.errors import SensorError
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.ears import Ears
from surefoot.nodes.parameter_reader import ParameterReader
from surefoot.nodes.parameters import RecorderParameters
from surefoot.nodes.quiet_node import quiet_node
from surefoot.nodes.raw_read import message_of
from surefoot.recording.attached_file import read_file
from surefoot.recording.background import BackgroundWriter
from surefoot.recording.errors import BagError
from surefoot.recording.provenance import provenance
from surefoot.recording.types import RawMessage
from surefoot.recording.writer import BagWriter, WriterSettings, free_folder

TAKE_PERIOD = 0.05
"""Between looks at what came, s: a tenth of what a kill may take. Many messages at once cost half of what they cost one by one."""
LOOK_PERIOD = 0.5  # s
ASKED_AGAIN_AFTER = 3.0  # s
MEGABYTE = 1 << 20


class RecorderNode(SurefootNode):
    """Topics: all that there are in.

    Everything goes into one bag: messages as they were sent, the parameters of each node (and /parameter_events from then on), the URDF,
    config/, the versions of code and libraries, and decision records as soon as a verdict names them.
    """

    def __init__(self) -> None:
        super().__init__("recorder")
        given = self.declared(RecorderParameters)
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        own = Path(given.directory).expanduser() / f"{self.model.description.name}_{now}"
        folder = free_folder(Path(given.bag).expanduser() if given.bag else own)
        settings = WriterSettings(
            split_bytes=max(1, round(given.split_megabytes * MEGABYTE)),
            keep_free=round(given.keep_free_megabytes * MEGABYTE),
        )
        self._robot = given.robot
        self._writer = BackgroundWriter(BagWriter(folder, settings), self._stopped)
        self._told_stop = ""
        self._listener = quiet_node("recorder_ears")
        self._ears = Ears(self._listener, self.lockstep, self._writer.add_topic, self._hear, self.fault)
        for name, (media_type, data) in provenance(self._robot).items():
            self._writer.attach(name, media_type, data, time.time_ns())
        self._answered: set[str] = set()
        self._asked: dict[str, float] = {}
        self._unanswered: dict[str, ParameterReader] = {}
        self.get_logger().info(f"recording into {folder}")
        self._take_all = self.timed(self._ears.take)
        self.create_timer(TAKE_PERIOD, self._take)
        self.create_timer(LOOK_PERIOD, self._look)

    def health(self) -> dict[str, str]:
        """What was written and what was not."""
        return {
            "recorded": str(sum(self._writer.received.values()) - sum(self._writer.lost.values())),
            "missed": str(sum(self._ears.missed.values())),
            "lost": str(sum(self._writer.lost.values())),
            "waiting_bytes": str(self._writer.waiting),
        }

    def at_end(self) -> None:
        """Bring the bag to its end."""
        self._ears.take()
        self._writer.close()
        if self._told_stop:
            print(f"recorder: {self._told_stop}", flush=True)
        for what, counts in (("missed", self._ears.missed), ("lost", self._writer.lost)):
            if counts:
                print(f"recorder: {what}: {', '.join(f'{count} of {topic}' for topic, count in counts.most_common())}", flush=True)

    def _take(self) -> None:
        self._take_all()

    def _hear(self, messages: list[RawMessage]) -> None:
        self._writer.put_all(messages)
        for message in messages:
            if message.topic == "/verdict":
                self._keep_decision(message.data)

    def _keep_decision(self, verdict: bytes) -> None:
        try:
            record = message_of(verdict, Verdict).record
            if not record:
                return
            self._writer.attach(f"decisions/{Path(record).name}", "application/json", read_file(Path(record)), time.time_ns())
        except (BagError, SensorError) as error:
            self.fault("decision_not_recorded", str(error))

    def _stopped(self, reason: str) -> None:
        self._told_stop = reason

    def _look(self) -> None:
        if self._told_stop:
            self.fault("recording_stopped", self._told_stop)
            self._told_stop = ""
        self._ears.look()
        for name, namespace in self.get_node_names_and_namespaces():
            full = f"{namespace.rstrip('/')}/{name}"
            if name not in (self.get_name(), self._listener.get_name()) and "/_" not in full and self._is_to_be_asked(full):
                self._ask(full)
        self._keep_own_parameters()

    def _is_to_be_asked(self, node: str) -> bool:
        """An answer is lost where the one who answers has not yet found the one who asked: then it is asked again."""
        return node not in self._answered and time.monotonic() - self._asked.get(node, -math.inf) > ASKED_AGAIN_AFTER

    def _ask(self, node: str) -> None:
        """Ask a node for its parameters, if it answers already."""
        self._forget(node)
        client = ParameterReader(self, node)
        if not client.services_are_ready():
            client.destroy()
            return
        self._asked[node], self._unanswered[node] = time.monotonic(), client

        def named(done: Any) -> None:
            if node not in self._unanswered or self._unanswered[node] is not client:
                return  # It took so long that the node was asked anew, and these services are gone.
            names = list(done.result().result.names)
            client.get_parameters(names, self.guarded(lambda answer: valued(names, answer)))

        def valued(names: list[str], done: Any) -> None:
            self._keep_parameters(node, {n: parameter_value_to_python(v) for n, v in zip(names, done.result().values, strict=True)})
            self._answered.add(node)
            self._forget(node)

        client.list_parameters(callback=self.guarded(named))

    def _forget(self, node: str) -> None:
        """It is not waited for any more."""
        reader = self._unanswered.pop(node, None)
        if reader is not None:
            reader.destroy()

    def _keep_own_parameters(self) -> None:
        name = f"/{self.get_name()}"
        if name not in self._answered:
            self._answered.add(name)
            self._keep_parameters(name, {key: parameter.value for key, parameter in self._parameters.items()})

    def _keep_parameters(self, node: str, values: dict[str, Any]) -> None:
        plain = {name: value if isinstance(value, bool | int | float | str) else list(value or ()) for name, value in values.items()}
        text = yaml.safe_dump({node: {"ros__parameters": plain}})
        self._writer.attach(f"parameters{node}.yaml", "application/yaml", text.encode(), time.time_ns())


def main() -> None:
    """Entry point."""
    run(RecorderNode)


if __name__ == "__main__":
    main()

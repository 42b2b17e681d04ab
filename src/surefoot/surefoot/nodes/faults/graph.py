# SPDX-License-Identifier: Apache-2.0
"""The processes of a graph one by one: started as the launch file says, ended, stopped, and measured."""

import contextlib
import os
import resource
import signal
import time
from collections import deque
from dataclasses import replace
from pathlib import Path

from surefoot.bringup.command import ProcessDescription, node_process
from surefoot.bringup.description import NodeDescription
from surefoot.bringup.find import find_launch_file
from surefoot.bringup.keeper import Keeper
from surefoot.bringup.parser import parse_launch_file
from surefoot.bringup.process import ManagedProcess
from surefoot.bringup.values import ParameterValue
from surefoot.errors import SurefootError
from surefoot.nodes.discovery import THIS_MACHINE, variables
from surefoot.nodes.faults.relay import TAPPED
from surefoot.nodes.stack_topics import STACK_TOPICS

LEFT_OUT = ("narrator", "particle_trace")
"""The relay vouches for each change of gait by itself: a rehearsal takes much longer than a fault."""

SLOW_MOTION = 25.0
"""s of the wall for each second of the stamps while nobody answers: a busy machine is no fault."""

VOUCHED_WITHIN = 0.5
"""s of the stamps that a verdict is given: the relay vouches at once, and nothing has to be rehearsed first."""

PERIOD = 0.004
GRACE = 3.0
LINES = 4000


class Graph:
    """The graph of launch/sim.launch.xml: it runs free on the clock of the stamps, around a simulated robot that waits for each command.

    Args:
        robot: its name.
        seed: of everything that is drawn.
        interfaces: topics without their slashes that a relay carries on.
        domain: ROS domain; a robot must not be in it.
        folder: for bags.
        record: whether a recorder runs.

    Attributes:
        lines: what the nodes said last, by node.
    """

    def __init__(self, robot: str, seed: int, interfaces: tuple[str, ...], domain: int, folder: Path, record: bool = False) -> None:
        self._environment = {"ROS_DOMAIN_ID": str(domain)} | variables(THIS_MACHINE)
        self._interfaces = interfaces
        arguments = {"robot": robot, "seed": str(seed), "realtime": "true"}
        if record:
            arguments |= {"record": "true", "bag": str(folder / "bag")}
        nodes = parse_launch_file(find_launch_file("sim"), arguments).nodes
        self._descriptions = {node.executable: self._described(node) for node in nodes if node.executable not in LEFT_OUT}
        self.lines: dict[str, deque[str]] = {name: deque(maxlen=LINES) for name in self._descriptions}
        self._traces: list[str] = []
        self._keeper = Keeper()
        self._processes: dict[str, ManagedProcess] = {}
        try:
            for name in self._descriptions:
                self.start(name)
        except BaseException:
            self.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """Of the nodes."""
        return tuple(self._descriptions)

    def start(self, name: str) -> None:
        """Start a node."""
        process = ManagedProcess(self._descriptions[name], lambda label, line: self._hear(name, line))
        self._processes[name] = process
        self._keeper.watch(process.process_id)

    def second(self, name: str) -> ManagedProcess:
        """Start a node a second time; whoever asks looks after it."""
        return ManagedProcess(self._descriptions[name], None)

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to the process of a node and to what it started.

        Raises:
            SurefootError: it does not run any more, with how it ended.
        """
        os.killpg(self._running(name), number)

    def fill_disk(self, name: str, size: int) -> None:
        """From now on no file of a node can grow beyond a size, in bytes: for it, the disk is full there. Raises as `signal`."""
        resource.prlimit(self._running(name), resource.RLIMIT_FSIZE, (size, size))

    def dead(self) -> dict[str, str]:
        """How nodes ended that do not run any more."""
        ends = {name: process.poll() for name, process in self._processes.items()}
        return {name: str(end) for name, end in ends.items() if end is not None}

    def memory(self) -> dict[str, float]:
        """Resident memory of each process, MB, without that of its children; of those that run."""
        page, found = os.sysconf("SC_PAGE_SIZE"), {}
        for name, process in self._processes.items():
            with contextlib.suppress(OSError, IndexError):
                found[name] = int(Path(f"/proc/{process.process_id}/statm").read_text().split()[1]) * page / 1e6
        return found

    def traces(self) -> list[str]:
        """Exceptions that nobody handled, however long ago."""
        return list(self._traces)

    def close(self) -> None:
        """End everything."""
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.process_id, signal.SIGCONT)
            process.stop(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and any(process.poll() is None for process in self._processes.values()):
            time.sleep(0.05)
        for process in self._processes.values():
            process.stop(signal.SIGKILL)
        for process in self._processes.values():
            while process.poll() is None:
                time.sleep(0.01)
        self._keeper.close()

    def _hear(self, name: str, line: str) -> None:
        self.lines[name].append(line)
        if line.startswith("Traceback"):
            self._traces.append(f"{name}: {line}")

    def _running(self, name: str) -> int:
        """Process id of a node. Nothing can be done to one that ended: a fault that does not happen is no trial."""
        process = self._processes[name]
        if end := process.poll():
            raise SurefootError(f"nothing more can happen to {name}: {end}")
        return process.process_id

    def _described(self, node: NodeDescription) -> ProcessDescription:
        simulator = node.executable == "simulator"
        said = [name for name in self._interfaces if STACK_TOPICS[f"/{name}"].node == node.executable]
        remappings = [(f"/{name}", f"{TAPPED}/{name}") for name in said]
        parameters: list[tuple[str, ParameterValue]] = [("slow_motion", SLOW_MOTION), ("lockstep", simulator)]
        if node.executable == "gait_planner":
            parameters.append(("latency", VOUCHED_WITHIN))
        if simulator:
            parameters.append(("patience", SLOW_MOTION * PERIOD))
            # In lockstep it waits for verdicts. This graph does not.
            remappings.append(("/gait_status", "/unheard"))
        changed = replace(
            node,
            parameters=(*(one for one in node.parameters if isinstance(one, Path) or one[0] != "lockstep"), *parameters),
            remappings=(*node.remappings, *remappings),
        )
        process = node_process(changed)
        return replace(process, environment=process.environment | self._environment)


def require_alive(graph: Graph) -> None:
    """Raises SurefootError: a node ended by itself, with its last lines."""
    for name, words in graph.dead().items():
        raise SurefootError(f"{words}; it said last: {' / '.join(list(graph.lines[name])[-5:])}")

# SPDX-License-Identifier: Apache-2.0
"""Real processes that speak over real DDS, each test in a domain of its own, and all of them ended afterwards."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

import psutil
import pytest
import rclpy
from rclpy.context import Context
from rclpy.experimental.events_executor import EventsExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.task import Future

from surefoot.gait.of_robot import gaits_of
from surefoot.robot.model import RobotModel
from surefoot.teleop.gait_files import save_gait, user_file

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # s until a test gives up waiting; a busy machine starts slowly
DOMAINS = range(62, 80)
MARK = "SUREFOOT_TEST_GRAPH"
"""Variable by which every process of a graph, whoever started it, is known."""

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
os.environ.setdefault("FASTDDS_DEFAULT_PROFILES_FILE", str(ROOT / "config" / "fastdds.xml"))


def until(condition: Callable[[], Any], what: Callable[[], str] = lambda: "") -> Any:
    """Wait until a condition holds; gives its value."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, f"gave up waiting; {what()}"
        time.sleep(0.01)
    return value


class Process:
    """A process in a group of its own, its output in a file."""

    def __init__(self, words: list[str], log: Path, environment: dict[str, str]) -> None:
        self._log = log
        with log.open("w") as file:
            self._process = subprocess.Popen(
                [sys.executable, *words], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=environment, process_group=0
            )
        self.pid = self._process.pid

    @property
    def output(self) -> str:
        """All that it said so far."""
        return self._log.read_text(errors="replace")

    @property
    def code(self) -> int | None:
        """Exit code, None while it runs."""
        return self._process.poll()

    def says(self, words: str) -> None:
        """Wait until it said something; fails if it ends without."""
        until(lambda: words in self.output or self.code is not None, lambda: f"'{words}' is not in: {self.output}")
        assert words in self.output, self.output

    def ends(self) -> int:
        """Wait until it ends; gives the exit code."""
        until(lambda: self.code is not None, lambda: f"still runs: {self.output}")
        assert self.code is not None
        return self.code

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def children(self) -> list[psutil.Process]:
        """Its worker processes that live."""
        return [child for child in psutil.Process(self.pid).children() if _is_worker(child)]

    def kill(self) -> None:
        """End it and whatever it left in its group."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def _is_worker(process: psutil.Process) -> bool:
    try:
        return any("spawn_main" in word for word in process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        # It is dead, and nobody has asked how it ended yet.
        return False


def _take_domain() -> tuple[int, TextIO]:
    """A domain that no other test on this machine uses, also none of another session, and the lock that keeps it."""
    for domain in DOMAINS:
        lock = (Path(tempfile.gettempdir()) / f"surefoot_test_domain_{domain}.lock").open("w")
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not any(_variable(process, "ROS_DOMAIN_ID") == str(domain) for process in psutil.process_iter()):
                return domain, lock
        lock.close()
    raise RuntimeError(f"domains {DOMAINS.start} to {DOMAINS.stop - 1} are all in use")


class Graph:
    """Starts nodes, one by one or through the launcher.

    Attributes:
        environment: of every process of it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.domain, self._lock = _take_domain()
        self._mark = uuid4().hex
        self.environment = os.environ | {
            MARK: self._mark,
            "ROS_DOMAIN_ID": str(self.domain),
            "PYTHONPATH": str(ROOT / "src" / "surefoot"),
            "PYTHONUNBUFFERED": "1",
            "NO_COLOR": "1",
            "COLUMNS": "200",
        }
        self._processes: list[Process] = []
        self._ears: list[Ear] = []

    def run(self, *words: str) -> Process:
        """Start Python with these words."""
        process = Process(list(words), self.folder / f"{len(self._processes)}.log", self.environment)
        self._processes.append(process)
        return process

    def node(self, name: str, *remaps: str, **parameters: object) -> Process:
        """Start a node."""
        texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in parameters.items()}
        values = [word for key, text in texts.items() for word in ("-p", f"{key}:={text}")]
        return self.run("-m", f"surefoot.nodes.{name}", "--ros-args", *values, *(word for remap in remaps for word in ("-r", remap)))

    def launch(self, *arguments: str) -> Process:
        """Start launch/sim.launch.xml."""
        return self.run("-m", "surefoot", "launch", "sim", *arguments)

    def ear(self) -> "Ear":
        """Somebody in the domain of the graph who listens and speaks."""
        self._ears.append(Ear(self.domain))
        return self._ears[-1]

    def alive(self) -> list[psutil.Process]:
        """Every process of this graph, whoever started it."""
        return [process for process in psutil.process_iter() if _variable(process, MARK) == self._mark]

    def process_of(self, node: str) -> psutil.Process:
        """The process of a node that the launcher started."""
        return next(process for process in self.alive() if f"surefoot.nodes.{node}" in process.cmdline())

    def close(self) -> None:
        """End everything; closing again does nothing."""
        if self._lock.closed:
            return
        for process in self._processes:
            process.kill()
        for left in self.alive():
            # One that is told to end by the death of another may be gone by now.
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()
        for ear in self._ears:
            ear.close()
        # Only now: what an ear has said is kept for those who come late, and the next graph must not hear it.
        self._lock.close()


def _variable(process: psutil.Process, name: str) -> str:
    """A variable in the environment of a process; empty where there is none, or nobody may look."""
    try:
        return "" if process.status() == psutil.STATUS_ZOMBIE else process.environ().get(name, "")
    except psutil.Error:
        return ""


class Ear:
    """Listens to topics and speaks on some."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
        self.node = Node("ear", context=self._context)
        self._executor = EventsExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def hear(self, kind: type, topic: str, profile: QoSProfile | None = None) -> list[Any]:
        """A list that grows with every message on a topic."""
        heard: list[Any] = []
        self.node.create_subscription(kind, topic, heard.append, profile or QoSProfile(depth=5000))
        self._executor.wake()
        return heard

    def speak(self, kind: type, topic: str, profile: QoSProfile | None = None) -> Publisher:
        """A publisher."""
        return self.node.create_publisher(kind, topic, profile or QoSProfile(depth=10))

    def _spin(self) -> None:
        while not self._over.is_set():
            self._executor.spin_until_future_complete(Future(), timeout_sec=0.1)

    def close(self) -> None:
        self._over.set()
        self._thread.join(5.0)
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()


@pytest.fixture(scope="module")
def new_graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Graph]]:
    """Makes graphs, each in a domain of its own."""
    graphs: list[Graph] = []

    def make() -> Graph:
        graphs.append(Graph(tmp_path_factory.mktemp("graph")))
        return graphs[-1]

    yield make
    for graph in graphs:
        graph.close()


@pytest.fixture
def graph(new_graph: Callable[[], Graph]) -> Iterator[Graph]:
    made = new_graph()
    yield made
    made.close()


@pytest.fixture
def calm_walk(graph: Graph, hyq: RobotModel) -> Path:
    """A home with one gait in it, the walk of hyq with 0.2 m/s at most; gives the file.

    No trace of it keeps a speed of 0.5 m/s, whatever the particles are, and each keeps half of that: a veto with a counter-offer.
    """
    graph.environment["HOME"] = str(graph.folder)
    kept, gaits = user_file(str(graph.folder / ".config" / "surefoot" / "gaits"), "hyq"), gaits_of(hyq)
    save_gait(gaits["walk"].model_copy(update={"name": "calm_walk", "max_forward_speed": 0.2}), gaits, kept)
    return kept


@pytest.fixture
def ear(graph: Graph) -> Ear:
    return graph.ear()


@pytest.fixture
def wait_until() -> Callable[..., Any]:
    return until


@pytest.fixture(scope="session")
def short_story() -> Path:
    return Path(__file__).with_name("short_story.yaml")

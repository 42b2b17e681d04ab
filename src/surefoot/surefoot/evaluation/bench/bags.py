# SPDX-License-Identifier: Apache-2.0
"""How well bags are recorded and replayed: what is lost, what it costs, how fast a replay is and whether it is always the same.

A short walk is recorded in lockstep. It is then played at the robot's own rate, over and over, to a second recorder, which is killed in the
end. Replays are made of the first bag.
"""

import json
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from surefoot.evaluation.bench.commands import finish, running, start, wait_for_words
from surefoot.evaluation.bench.domain import own_domain
from surefoot.evaluation.bench.processor_time import processor_time
from surefoot.evaluation.bench.sample import Machine, Times, this_machine, times_of
from surefoot.recording.reader import SECOND, Bag

NODES = "state_estimator,gait_planner,inverse_dynamics"
SETTLE = 3.0
"""For the player to be found and the recorder to hear all of its topics, s."""


@dataclass(frozen=True)
class BagsResult:
    """What was measured.

    Attributes:
        machine: that it was measured on.
        seconds: for which the second recorder was watched, s.
        rate: messages a second that it was given meanwhile.
        lateness: of these messages, from when they were sent until the recorder's end of the middleware had them.
        recorded: messages in its bag.
        lost: numbers that are missing in what its publishers sent, whoever lost them: the middleware, or the recorder.
        cpu_percent: of one core that it took.
        kill9_lost_s: from the last message in its bag to its death; on a busy machine also because its publisher was late.
        replay_nodes: that were replayed.
        replay_seconds: simulated, that each replay covers, s.
        replay_speed: times real time, median.
        replay_processor_speed: simulated seconds in a second of one core, median: what the replay would make of a machine of its own.
        replay_identical: the replay gave what was recorded, to the last bit.
        replay_hashes: one for each replay.
    """

    machine: Machine
    seconds: float
    rate: float
    lateness: Times
    recorded: int
    lost: int
    cpu_percent: float
    kill9_lost_s: float
    replay_nodes: str
    replay_seconds: float
    replay_speed: float
    replay_processor_speed: float
    replay_identical: bool
    replay_hashes: tuple[str, ...]


def bench_bags(robot: str, seconds: float, replays: int, simulated: float, seed: int) -> BagsResult:
    """Measure.

    Args:
        robot: name or path.
        seconds: for which the second recorder is watched, s.
        replays: how many.
        simulated: length of the walk, s.
        seed: of the walk.

    Raises:
        SurefootError: a process that is needed fails.
    """
    machine = this_machine()
    with TemporaryDirectory(prefix="surefoot_bags_") as name, own_domain() as domain:
        folder = Path(name)
        walk, load = folder / "walk", folder / "load"
        sim = ("launch", "sim", f"robot:={robot}", "story:=demo", f"seed:={seed}", f"duration:={simulated}", "record:=true", f"bag:={walk}")
        finish(start(sim, folder / "sim.log", domain), folder / "sim.log")
        lateness, cpu, lost_seconds = _load(robot, walk, load, seconds, folder, domain)
        recorded = Bag(load)
        words = ("replay", str(walk), "--nodes", NODES, "--times", str(replays), "--json")
        replay = json.loads(finish(start(words, folder / "replay.log", domain, folder / "replay.errors"), folder / "replay.log"))
        return BagsResult(
            machine=machine,
            seconds=seconds,
            rate=lateness.n / seconds,
            lateness=lateness,
            recorded=sum(recorded.counts.values()),
            lost=gaps(recorded),
            cpu_percent=cpu,
            kill9_lost_s=lost_seconds,
            replay_nodes=NODES,
            replay_seconds=replay["seconds"],
            replay_speed=replay["speed"],
            replay_processor_speed=replay["processor_speed"],
            replay_identical=replay["identical"],
            replay_hashes=tuple(replay["hashes"]),
        )


def _load(robot: str, walk: Path, load: Path, seconds: float, folder: Path, domain: int) -> tuple[Times, float, float]:
    """How late its messages came, percent of a core, and seconds that the kill took."""
    recorder_words = ("bag", "record", "--robot", robot, "--bag", str(load), "--lockstep")
    play_words = ("launch", "replay", f"robot:={robot}", f"bag:={walk}", "loop:=true")
    logs = folder / "recorder.log", folder / "player.log"
    with running(recorder_words, logs[0], domain) as recorder, running(play_words, logs[1], domain) as player:
        wait_for_words("at speed", player, logs[1])
        wait_for_words("recording into", recorder, logs[0])
        time.sleep(SETTLE)
        before, begin = processor_time((recorder.pid,)), time.monotonic()
        time.sleep(seconds)
        spent, elapsed = processor_time((recorder.pid,)) - before, time.monotonic() - begin
        recorder.send_signal(signal.SIGKILL)
        killed = time.time_ns()
        recorder.wait()
    bag = Bag(load)
    return lateness_of(bag, killed - round(elapsed * SECOND)), 100.0 * spent / elapsed, (killed - bag.end) / SECOND


def lateness_of(bag: Bag, since: int) -> Times:
    """How long the messages that were recorded from a time (ns since the epoch) on were on their way."""
    ways = [message.log_time - message.publish_time for message in bag.messages() if message.log_time >= since]
    return times_of(np.array(ways) / SECOND)


def gaps(bag: Bag) -> int:
    """Numbers of the publishers that never came. A topic with several publishers is left out: their numbers are not one row."""
    newest: dict[str, int] = {}
    missing: dict[str, int] = {}
    for message in bag.messages():
        before = newest.get(message.topic, message.sequence - 1)
        if message.topic not in ("/diagnostics", "/parameter_events", "/rosout"):
            missing[message.topic] = missing.get(message.topic, 0) + max(0, message.sequence - before - 1)
        newest[message.topic] = max(before, message.sequence)
    return sum(missing.values())

# SPDX-License-Identifier: Apache-2.0
"""Walking for a long time while one thing after the other fails: what breaks, and what grows."""

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.loop import interfaces_of
from surefoot.evaluation.faults.matrix import INTERRUPTED
from surefoot.evaluation.faults.outcome import Outcome, outcome_of
from surefoot.evaluation.faults.taps import Kind
from surefoot.nodes.faults.stage import Stage, TimeIsOver
from surefoot.robot.load import load_robot
from surefoot.servos.modes import Mode

PAUSE = (0.5, 2.0)
"""s of sound walking between two faults, from and to."""

LASTS = {True: (0.05, 0.6), False: (0.01, 0.04)}
"""s of a fault, from and to: of those that a robot should walk on through however long they last, and of all others."""

LASTING = (Kind.BURST, Kind.INTERMITTENT, Kind.SLOW)

SETTLE = 0.5
"""s after a fault in which its consequences still show."""

WARM_UP = 60.0
"""s of the stamps in one graph after which its memory is looked at for the first time."""

MOST_GROWTH = 5.0
"""MB that a node may grow by after its warm-up."""

TIME_OVER = "the time of the wall that it may take was over"

BROKEN = "internal error"
"""How the reason of a mode begins when the bridge caught an exception."""


@dataclass(frozen=True)
class Memory:
    """Resident memory of one process, MB.

    Attributes:
        start: when the robot first walked.
        warm: after the warm-up, when what a node remembers of its last seconds is full.
        end: at the end.
    """

    start: float
    warm: float
    end: float


@dataclass
class Soak:
    """What came of it.

    Attributes:
        asked: s of walking that were asked for.
        seconds: simulated.
        faults: how many there were; those that touched no message are none.
        idle: how many touched none.
        by_mode: the mode after each, counted.
        reasons: the gates of the faults that the bridge went to, counted.
        graphs: how many graphs were needed: a damped robot stands up again, but one that lies on its side is put on its feet by a new one.
        exceptions: tracebacks of nodes, and exceptions that the bridge caught.
        illegal: what left the bridge that must not.
        ended: nodes that ended by themselves.
        memory: by node, of the graph that lived longest; empty where none lived beyond its warm-up.
        watched: s that this graph lived after its warm-up.
        stopped: why it came to its end before its time; empty where it did not.
    """

    asked: float
    seconds: float = 0.0
    faults: int = 0
    idle: int = 0
    by_mode: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    graphs: int = 0
    exceptions: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    memory: dict[str, Memory] = field(default_factory=dict)
    watched: float = 0.0
    stopped: str = ""

    @property
    def growth(self) -> dict[str, float]:
        """After the warm-up, by node, MB."""
        return {name: one.end - one.warm for name, one in self.memory.items()}

    @property
    def missing(self) -> list[str]:
        """What was asked for and not done, in words."""
        words = []
        if self.seconds < self.asked:
            words.append(f"{self.seconds:.0f} of {self.asked:.0f} s were walked: {self.stopped}")
        if not self.faults:
            words.append("nothing failed")
        if not self.memory:
            words.append(f"nothing is known of memory: no graph lived longer than its warm-up of {WARM_UP:.0f} s")
        return words

    @property
    def outcome(self) -> Outcome:
        """Failed is what broke, or a node that grew by more than MOST_GROWTH."""
        grew = any(grown > MOST_GROWTH for grown in self.growth.values())
        return outcome_of(bool(self.exceptions or self.illegal or self.ended or grew), bool(self.missing))


def soak(
    robot: str,
    minutes: float,
    seed: int,
    domain: int,
    progress: Callable[[Soak], None] = lambda so_far: None,
    within: float = math.inf,
) -> Soak:
    """Walk for some minutes of simulated time with faults of random kinds on random interfaces.

    What is interrupted from the keyboard gives what was seen until then.

    Args:
        robot: its name.
        minutes: simulated, of all graphs together.
        seed: of what fails when.
        domain: ROS domain.
        progress: called after each fault.
        within: s of the wall after which it is cut off.

    Raises:
        SurefootError: without a fault the robot does not walk.
    """
    done, draw = Soak(60.0 * minutes), random.Random(seed)
    interfaces, over = interfaces_of(load_robot(robot).description), time.monotonic() + within
    failures = 0
    try:
        while done.seconds < done.asked:
            done.graphs += 1
            with Stage(robot, seed + done.graphs, interfaces, domain, until=over) as stage:
                before = done.faults
                try:
                    _one_graph(stage, done, draw, interfaces, progress)
                except TimeIsOver:
                    raise
                except SurefootError:
                    failures = failures + 1 if done.faults == before else 0
                    if failures > 1:
                        raise
                finally:
                    done.ended += list(stage.graph.dead().values())
                    done.exceptions += stage.graph.traces()
    except TimeIsOver:
        done.stopped = TIME_OVER
    except KeyboardInterrupt:
        done.stopped = INTERRUPTED
    return done


def _one_graph(stage: Stage, done: Soak, draw: random.Random, interfaces: tuple[str, ...], progress: Callable[[Soak], None]) -> None:
    """Walk until the time is over or the robot has fallen."""
    earlier, warm_at = done.seconds, 0.0
    start: dict[str, float] | None = None
    warm: dict[str, float] | None = None
    while done.seconds < done.asked and (stage.reusable or stage.relay.commands == 0):
        stage.lead_in("walking", settle=0.0)
        if start is None:
            start = stage.graph.memory()
        stage.pause(draw.uniform(*PAUSE))
        interface, kind = draw.choice(interfaces), draw.choice(list(Kind))
        touched = stage.relay.touched
        stage.relay.fail(interface, kind)
        stage.pause(draw.uniform(*LASTS[kind in LASTING]))
        illegal = stage.relay.illegal
        stage.relay.heal()
        stage.pause(SETTLE)
        illegal = illegal or stage.relay.illegal
        if stage.relay.touched > touched:
            done.faults += 1
        else:
            done.idle += 1
        _count(done.by_mode, stage.mode.name)
        if stage.mode == Mode.FAULT:
            _count(done.reasons, stage.reason.partition(":")[0])
        if illegal:
            done.illegal.append(f"{interface} {kind} at {stage.now:.3f} s: {illegal}")
        if stage.reason.startswith(BROKEN):
            done.exceptions.append(f"{interface} {kind} at {stage.now:.3f} s: {stage.reason}")
        done.seconds = earlier + stage.now
        if warm is None and stage.now > WARM_UP:
            # Before that nodes still fill what they remember of their last seconds.
            warm, warm_at = stage.graph.memory(), stage.now
        elif warm is not None and stage.now - warm_at > done.watched:
            now = stage.graph.memory()
            done.memory = {name: Memory(start[name], warm[name], now[name]) for name in warm if name in now and name in start}
            done.watched = stage.now - warm_at
        progress(done)


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1

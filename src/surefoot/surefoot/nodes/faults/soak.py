# SPDX-License-Identifier: Apache-2.0
"""Walking for a long time while one thing after the other fails: what breaks, and what grows."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from surefoot.errors import SurefootError
from surefoot.evaluation.faults.loop import INTERFACES
from surefoot.evaluation.faults.taps import Kind
from surefoot.nodes.faults.stage import Stage
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

BROKEN = "internal error"
"""How the reason of a mode begins when the bridge caught an exception."""


@dataclass
class Soak:
    """What came of it.

    Attributes:
        seconds: simulated.
        faults: how many there were.
        by_mode: the mode after each, counted.
        reasons: the gates of the faults that the bridge went to, counted.
        graphs: how many graphs were needed: a damped robot stands up again, but one that lies on its side is put on its feet by a new one.
        exceptions: tracebacks of nodes, and exceptions that the bridge caught.
        illegal: what left the bridge that must not.
        ended: nodes that ended by themselves.
        memory: by node, MB after the warm-up and at the end, of the graph that lived longest; empty where none lived so long.
        watched: s that this graph lived after its warm-up.
    """

    seconds: float = 0.0
    faults: int = 0
    by_mode: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    graphs: int = 0
    exceptions: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    memory: dict[str, tuple[float, float]] = field(default_factory=dict)
    watched: float = 0.0

    @property
    def growth(self) -> dict[str, float]:
        """By node, MB."""
        return {name: after - before for name, (before, after) in self.memory.items()}

    @property
    def passed(self) -> bool:
        """Whether nothing broke, and no node grew by more than MOST_GROWTH."""
        return not (self.exceptions or self.illegal or self.ended) and all(grown <= MOST_GROWTH for grown in self.growth.values())


def soak(robot: str, minutes: float, seed: int, domain: int, progress: Callable[[Soak], None] = lambda so_far: None) -> Soak:
    """Walk for some minutes of simulated time with faults of random kinds on random interfaces.

    Args:
        robot: its name.
        minutes: simulated, of all graphs together.
        seed: of what fails when.
        domain: ROS domain.
        progress: called after each fault.

    Raises:
        SurefootError: without a fault the robot does not walk.
    """
    done, draw = Soak(), random.Random(seed)
    failures = 0
    while done.seconds < 60.0 * minutes:
        done.graphs += 1
        with Stage(robot, seed + done.graphs, INTERFACES, domain) as stage:
            before = done.faults
            try:
                _one_graph(stage, done, 60.0 * minutes, draw, progress)
            except SurefootError:
                if stage.graph.dead():
                    done.ended += list(stage.graph.dead().values())
                failures = failures + 1 if done.faults == before else 0
                if failures > 1:
                    raise
            done.exceptions += stage.graph.traces()
    return done


def _one_graph(stage: Stage, done: Soak, until: float, draw: random.Random, progress: Callable[[Soak], None]) -> None:
    """Walk until the time is over or the robot has fallen."""
    earlier, warm, warm_at = done.seconds, None, 0.0
    while done.seconds < until and (stage.reusable or stage.relay.commands == 0):
        stage.lead_in("walking", settle=0.0)
        stage.pause(draw.uniform(*PAUSE))
        interface, kind = draw.choice(INTERFACES), draw.choice(list(Kind))
        stage.relay.fail(interface, kind)
        stage.pause(draw.uniform(*LASTS[kind in LASTING]))
        illegal = stage.relay.illegal
        stage.relay.heal()
        stage.pause(SETTLE)
        illegal = illegal or stage.relay.illegal
        done.faults += 1
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
            done.memory = {name: (warm[name], now[name]) for name in warm if name in now}
            done.watched = stage.now - warm_at
        progress(done)
    done.ended += list(stage.graph.dead().values())


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1

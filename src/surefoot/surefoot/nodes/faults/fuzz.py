# SPDX-License-Identifier: Apache-2.0
"""Garbage to one node after the other, while the rest of the graph goes on as it should."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefoot.evaluation.faults.matrix import INTERRUPTED
from surefoot.nodes.faults.company import TRACES, Company
from surefoot.nodes.faults.garbage import Garbage
from surefoot.nodes.faults.messages import garbled
from surefoot.servos.modes import Mode

CALM, STORM = (50, 600), (1, 40)
"""Ticks without garbage and with, from and to."""

UP_FIRST, WALKS_FIRST = 0.35, 0.35
"""Shares of the storms that wait until the robot is up, and until it walks."""

COPIES = 1000
"""Most pieces of garbage in one tick of the heaviest storm, in place of what is said there or before it; the lightest has one. A few spoil
the state that a node is in, and many are soon counted: how heavy a storm is, is drawn evenly over the orders of magnitude. Those of one
tick are counted together, since what a node answers to garbage is answered in turn, and garbled again."""

STUCK = 5000
"""Ticks without standing after which the robot is put back to where it began: it has fallen onto its side."""

TIME_OVER = "the time of the wall that it may take was over"

UP = (Mode.READY, Mode.WALKING)


@dataclass
class Fuzzed(Garbage):
    """What came of the garbage to one node in a company that walks.

    Attributes:
        sent: pieces of garbage on their way to it.
        stepping: ticks in which the robot walked.
        modes: ticks spent in each mode of the bridge.
        laid_down: how often the robot had to be put back to where it began.
    """

    sent: int = 0
    stepping: int = 0
    modes: dict[str, int] = field(default_factory=dict)
    laid_down: int = 0

    @property
    def idle(self) -> str:
        """See Garbage."""
        return "" if self.stepping else "the robot never walked"


def fuzz(
    robot: str,
    node: str,
    messages: int,
    seed: int,
    progress: Callable[[Fuzzed], None] = lambda so_far: None,
    within: float = math.inf,
) -> Fuzzed:
    """Give garbage to a node, in storms between which the robot gets up and walks.

    One call in a process: nodes cannot be ended without ending it. What is interrupted from the keyboard gives what was seen until then.

    Args:
        robot: its name.
        node: one of `company.NODES`.
        messages: pieces of garbage.
        seed: of the garbage, and of the robot's sensors.
        progress: called after each storm, and after each calm.
        within: s of the wall after which it is cut off.
    """
    generator, done = np.random.default_rng(seed), Fuzzed(node, messages)
    storm, on_their_way, left_in_tick = [True], dict[int, Any](), [0]
    over = time.monotonic() + within

    def interfere(name: str, topic: str, message: Any) -> Sequence[Any]:
        if not (storm[0] and name == node):
            return (message,)
        garbage = [garbled(message, generator) for _ in range(int(generator.integers(0, left_in_tick[0] + 1)))]
        left_in_tick[0] -= len(garbage)
        made = {id(one): one for one in garbage if one != message}
        done.sent += len(made)
        on_their_way.update(made)
        return garbage if garbage and generator.random() < 0.5 else (*garbage, message)

    def received(name: str, message: Any) -> None:
        if name == node and on_their_way.pop(id(message), None) is not None:
            done.received += 1

    company = Company(robot, seed, interfere, received, traces=node == TRACES)
    try:
        down = 0
        while done.received < messages:
            if time.monotonic() > over:
                done.stopped = TIME_OVER
                break
            storm[0] = not storm[0]
            left = int(generator.integers(*(STORM if storm[0] else CALM)))
            most = round(COPIES ** generator.random())
            patience = 1.0 if storm[0] else generator.random()
            begun = done.ticks
            while left > 0 or _waits(patience, done.ticks - begun, company):
                if storm[0] and node == TRACES:
                    # Nobody asks often enough.
                    company.say_goal()
                left_in_tick[0] = most
                company.tick()
                done.ticks, left, done.stepping = done.ticks + 1, left - 1, done.stepping + company.stepping
                down = 0 if company.mode in UP else down + 1
                if down > STUCK:
                    company.lay_down()
                    done.laid_down, down = done.laid_down + 1, 0
            _note(done, company)
            progress(done)
    except KeyboardInterrupt:
        done.stopped = INTERRUPTED
        _note(done, company)
    finally:
        company.close()
    return done


def _waits(patience: float, waited: int, company: Company) -> bool:
    """Whether the next storm waits for the robot, which is not waited for for ever."""
    if waited > STUCK or patience >= UP_FIRST + WALKS_FIRST:
        return False
    return company.mode not in UP if patience < UP_FIRST else not company.stepping


def _note(done: Fuzzed, company: Company) -> None:
    done.modes, done.illegal = dict(company.modes), dict(company.illegal)
    done.refused = company.counted(done.node)
    done.exceptions = {f"{name}: {words}": count for (name, words), count in company.exceptions.items()}

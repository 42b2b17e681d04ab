# SPDX-License-Identifier: Apache-2.0
"""Garbage to one node after the other, while the rest of the graph goes on as it should."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefoot.nodes.faults.company import Company
from surefoot.nodes.faults.messages import garbled
from surefoot.servos.modes import Mode

CALM, STORM = (50, 600), (1, 40)
"""Ticks without garbage and with, from and to."""

PATIENT = 0.7
"""Share of the storms that wait until the robot is up."""

COPIES = 16
"""Most pieces of garbage in place of, or before, one message in a storm."""

STUCK = 5000
"""Ticks without standing after which the robot is put back to where it began: it has fallen onto its side."""

UP = (Mode.READY, Mode.WALKING)


@dataclass
class Fuzzed:
    """What came of the garbage to one node.

    Attributes:
        node: its name.
        messages: pieces of garbage that it heard.
        ticks: of the robot.
        modes: ticks spent in each mode of the bridge.
        refused: what the node counted, by kind.
        exceptions: that nobody handled, in any node, counted.
        illegal: what left the bridge that must not, counted.
        laid_down: how often the robot had to be put back to where it began.
    """

    node: str
    messages: int = 0
    ticks: int = 0
    modes: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    exceptions: dict[str, int] = field(default_factory=dict)
    illegal: dict[str, int] = field(default_factory=dict)
    laid_down: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing was raised, and nothing illegal left the bridge."""
        return not (self.exceptions or self.illegal)


def fuzz(robot: str, node: str, messages: int, seed: int, progress: Callable[[Fuzzed], None] = lambda so_far: None) -> Fuzzed:
    """Give garbage to a node, in storms between which the robot gets up and walks.

    One call in a process: nodes cannot be ended without ending it.

    Args:
        robot: its name.
        node: one of `company.NODES`.
        messages: pieces of garbage.
        seed: of the garbage, and of the robot's sensors.
        progress: called after each storm.
    """
    generator, done = np.random.default_rng(seed), Fuzzed(node)
    storm = [True]

    def interfere(name: str, topic: str, message: Any) -> Sequence[Any]:
        if not (storm[0] and name == node):
            return (message,)
        garbage = [garbled(message, generator) for _ in range(int(generator.integers(0, COPIES + 1)))]
        done.messages += len(garbage)
        return garbage if garbage and generator.random() < 0.5 else (*garbage, message)

    company = Company(robot, seed, interfere)
    try:
        down = 0
        while done.messages < messages:
            storm[0] = not storm[0]
            left = int(generator.integers(*(STORM if storm[0] else CALM)))
            waits = not storm[0] and generator.random() < PATIENT
            while left > 0 or (waits and company.mode not in UP):
                company.tick()
                done.ticks, left = done.ticks + 1, left - 1
                down = 0 if company.mode in UP else down + 1
                if down > STUCK:
                    company.lay_down()
                    done.laid_down, down = done.laid_down + 1, 0
            _note(done, company)
            progress(done)
    finally:
        company.close()
    return done


def _note(done: Fuzzed, company: Company) -> None:
    done.modes, done.illegal = dict(company.modes), dict(company.illegal)
    done.refused = dict(company.nodes[done.node].counters)
    done.exceptions = {f"{name}: {words}": count for (name, words), count in company.exceptions.items()}

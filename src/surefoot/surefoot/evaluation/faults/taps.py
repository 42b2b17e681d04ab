# SPDX-License-Identifier: Apache-2.0
"""Faults on the way of a message from one part to the next [kinds of failure as PX4 names them]."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

LOST_SHARE = 0.3
SLOW_EVERY = 4
DELAY = 0.06
BURST = 0.03
RESTART = 0.5
"""s, but for the first two: the share of messages that an intermittent sender loses, and the one of which a slow one sends each."""


class Kind(StrEnum):
    """What goes wrong."""

    OFF = "off"
    STUCK = "stuck"
    GARBAGE = "garbage"
    WRONG = "wrong"
    SLOW = "slow"
    DELAYED = "delayed"
    INTERMITTENT = "intermittent"
    BURST = "burst"
    RESTARTED = "restarted"


PLAIN = (bytes, int, float, str)
"""What can be held against another of its kind; anything else is the same only as itself."""


@dataclass(frozen=True)
class Letter:
    """A message on its way.

    Attributes:
        stamp: of the physical sample that it tells of or answers to, s.
        body: what it says; arrays in it are never changed in place.
    """

    stamp: float
    body: Any


class Tap:
    """One interface. Sound until `fail` is called.

    Args:
        spoil: gives the body full of numbers that are none, drawn by a generator.
        falsify: gives a body that is sound and wrong.
        seed: of what is drawn.

    Attributes:
        touched: letters that did not come out as they were put in, or not at once; what is as it was is no fault.
    """

    def __init__(self, spoil: Callable[[Any, np.random.Generator], Any], falsify: Callable[[Any], Any], seed: int = 0) -> None:
        self._spoil, self._falsify, self._generator = spoil, falsify, np.random.default_rng(seed)
        self._kind: Kind | None = None
        self._begin, self._count = 0.0, 0
        self._waiting: deque[tuple[float, Letter]] = deque()
        self._last: Letter | None = None
        self.touched = 0

    def fail(self, kind: Kind, time: float) -> None:
        """Go wrong from a time on, s."""
        self._kind, self._begin, self._count = kind, time, 0

    def heal(self) -> None:
        """Be sound from now on; what is still on its way is lost."""
        self._kind, self._count = None, 0
        self._waiting.clear()

    def send(self, time: float, letter: Letter) -> list[Letter]:
        """Put a letter in at a time (s); gives what comes out then."""
        arrive = time
        kind = self._kind
        if kind is None:
            self._last = letter
            return [letter]
        self._count += 1
        since, sound = time - self._begin, letter
        if kind == Kind.STUCK and self._last is not None:
            letter = replace(self._last, stamp=letter.stamp)
        elif kind == Kind.GARBAGE:
            letter = replace(letter, body=self._spoil(letter.body, self._generator))
        elif kind == Kind.WRONG:
            letter = replace(letter, body=self._falsify(letter.body))
        lost = {
            Kind.OFF: True,
            Kind.SLOW: self._count % SLOW_EVERY != 0,
            Kind.INTERMITTENT: bool(self._generator.random() < LOST_SHARE),
            Kind.RESTARTED: since < RESTART,
        }.get(kind, False)
        if not lost:
            if kind == Kind.DELAYED:
                arrive = time + DELAY
            elif kind == Kind.BURST and since < BURST:
                arrive = self._begin + BURST
            self._waiting.append((arrive, letter))
        self.touched += lost or arrive > time or not same(sound.body, letter.body)
        return self.due(time)

    def due(self, time: float) -> list[Letter]:
        """What comes out at a time, s."""
        out = []
        while self._waiting and self._waiting[0][0] <= time + 1e-9:
            out.append(self._waiting.popleft()[1])
        return out


def same(one: Any, other: Any) -> bool:
    """Whether two bodies say the same to the last bit, whatever they are made of."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one is other or (one.dtype == other.dtype and one.tobytes() == other.tobytes())
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return one is other or (isinstance(one, PLAIN) and bool(one == other))

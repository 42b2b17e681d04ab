# SPDX-License-Identifier: Apache-2.0
"""A gait request on its way: what the operator wants, what is to be rehearsed, what the answer is, and what became of it."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from surefoot.gait.parameters import Gait
from surefoot.traces.decision.offer import Offer
from surefoot.traces.snapshot import Candidate, Snapshot

Array = NDArray[np.float64]


class RequestState(IntEnum):
    """Numbered as in GaitStatus.msg."""

    IDLE = 0
    REHEARSING = 1
    SCHEDULED = 2
    COMMITTED = 3
    VETOED = 4


@dataclass(frozen=True)
class Wish:
    """What the operator wants at one tick.

    Attributes:
        command: forward and left speed, m/s, and turn rate, rad/s, (3,).
        request_id: of the newest gait request; 0: none was ever made.
        gait: its name.
        ground: name of the ground said to lie ahead, empty: no word of it.
        posture: of the body beside what the gait says, see records.PLANNER, (4,).
        own_gait: the gait itself, where it is not one of the library but one that the operator made; `gait` is its name.
        unreadable: why that gait could not be read; empty if it could.
        present: whether the operator is there.
        intermediate: name of the gait through which that request is to be met; empty: as seems best.
        delay: s by which it is to be met later than it could be.
    """

    command: Array
    request_id: int
    gait: str
    ground: str
    posture: Array = field(default_factory=lambda: np.zeros(4))
    own_gait: Gait | None = None
    unreadable: str = ""
    present: bool = True
    intermediate: str = ""
    delay: float = 0.0


@dataclass(frozen=True)
class Enquiry:
    """What is to be rehearsed."""

    request_id: int
    snapshot: Snapshot
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Answer:
    """A verdict that was checked to be sound.

    Attributes:
        accepted: whether a candidate is vouched for.
        candidate: the one.
        reason: in words and numbers.
        predicted_position, predicted_deviation: mean and standard deviation of the base of the traces when the answer is due,
            odom, (3,), m.
        offer: what could be done instead, after a veto.
    """

    accepted: bool
    candidate: Candidate | None
    reason: str
    predicted_position: Array
    predicted_deviation: Array
    offer: Offer | None = None


@dataclass(frozen=True)
class Status:
    """What became of the last request.

    Attributes:
        offer: what could be done instead, after a veto.
    """

    state: RequestState = RequestState.IDLE
    request_id: int = 0
    gait: str = ""
    switch_time: float = float("nan")
    reason: str = ""
    offer: Offer | None = None

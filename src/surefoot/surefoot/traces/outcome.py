# SPDX-License-Identifier: Apache-2.0
"""What a rehearsal of one candidate on some particles showed."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.cloud.particles import DRAW_NAMES
from surefoot.traces.findings.events import EVENT, Event, told

Array = NDArray[np.float64]

SURVIVED = 0
"""S: every requirement held and every objective was met."""
FAILED = 1
"""K: a requirement was violated, or the trace's own numbers broke down."""
UNFINISHED = 2
"""U: nothing was violated, but an objective was not met."""
INCONSISTENT = 3
"""Of no kind: it started where no robot can be, so it says something about the model and nothing about the change. No success either."""

DIVERGED = "diverged"
"""What ended a failed trace whose own numbers broke down."""
IMPOSSIBLE_START = "impossible start"
"""What ended an inconsistent trace."""


def _nothing() -> Array:
    return np.zeros((0, 0))


@dataclass(frozen=True)
class Outcomes:
    """Traces of n particles under one candidate; each is of one kind, S + K + U + inconsistent = n.

    Attributes:
        indices: of the particles, (n,).
        verdict: SURVIVED, FAILED, UNFINISHED or INCONSISTENT, (n,).
        violated: name of what ended or spoiled each trace, empty for survivors, n long.
        failure_time: s after the start of the trace; NaN for the others and for traces that nobody ran, (n,).
        base_path: base position and quaternion w x y z in odom at each tick, (n, ticks + 1, 7); the last pose is repeated
            after the end of a trace.
        foot_contact: whether each foot bears load at each tick, (n, ticks + 1, 4), bool.
        period: s between ticks.
        switch_tick: tick at which the gait changes.
        particle_seconds: simulated time of all traces together, s.
        end_position, end_velocity: the state in which each trace ended, as MuJoCo has it: base position in odom, quaternion w x y z,
            joints, (n, 19); linear velocity in odom, angular in the base, joints, (n, 18). NaN for traces that nobody ran.
        draws: what each particle is, (n, k) in the order of `cloud.particles.DRAW_NAMES`. NaN for traces that nobody ran.
        events: EVENT records of all traces, particle by particle in the order of `indices`, each in the order of time.
    """

    indices: NDArray[np.int64]
    verdict: NDArray[np.int64]
    violated: tuple[str, ...]
    failure_time: NDArray[np.float64]
    base_path: NDArray[np.float32]
    foot_contact: NDArray[np.bool_]
    period: float
    switch_tick: int
    particle_seconds: float
    end_position: Array = field(default_factory=_nothing)
    end_velocity: Array = field(default_factory=_nothing)
    draws: Array = field(default_factory=_nothing)
    events: np.ndarray = field(default_factory=lambda: np.zeros(0, EVENT))

    def __post_init__(self) -> None:
        for name, size in (("end_position", 19), ("end_velocity", 18), ("draws", len(DRAW_NAMES))):
            if getattr(self, name).shape != (len(self.indices), size):
                object.__setattr__(self, name, np.full((len(self.indices), size), np.nan))

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Which of the failed traces broke down, (n,): a kind of their own, which no requirement ended."""
        return np.array([name == DIVERGED for name in self.violated], np.bool_)

    @property
    def parameters(self) -> dict[str, Array]:
        """What each particle is, (n,) by the name of the parameter."""
        return dict(zip(DRAW_NAMES, self.draws.T, strict=True))

    def events_of(self, particle: int) -> tuple[Event, ...]:
        """The events of one particle, by its index in the cloud."""
        return told(self.events[self.events["particle"] == particle], self.period)


def joined(parts: list[Outcomes]) -> Outcomes:
    """One result out of the results of disjoint groups of particles of the same candidate, in the order of the particles."""
    indices = np.concatenate([part.indices for part in parts])
    order = np.argsort(indices, kind="stable")
    names = [name for part in parts for name in part.violated]
    events = np.concatenate([part.events for part in parts])
    return Outcomes(
        indices=indices[order],
        verdict=np.concatenate([part.verdict for part in parts])[order],
        violated=tuple(names[i] for i in order),
        failure_time=np.concatenate([part.failure_time for part in parts])[order],
        base_path=np.concatenate([part.base_path for part in parts])[order],
        foot_contact=np.concatenate([part.foot_contact for part in parts])[order],
        period=parts[0].period,
        switch_tick=parts[0].switch_tick,
        # In whole ticks: a sum of fractions would depend on who answered first.
        particle_seconds=sum(round(part.particle_seconds / parts[0].period) for part in parts) * parts[0].period,
        end_position=np.concatenate([part.end_position for part in parts])[order],
        end_velocity=np.concatenate([part.end_velocity for part in parts])[order],
        draws=np.concatenate([part.draws for part in parts])[order],
        events=events[np.argsort(events["particle"], kind="stable")],
    )

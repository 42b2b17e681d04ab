# SPDX-License-Identifier: Apache-2.0
"""A rehearsal as the page shows it: the traces of every candidate as they come, and the verdict in the end."""

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import SensorError
from surefoot.traces.decision.record import RecordedDecision
from surefoot.traces.outcome import FAILED, SURVIVED
from surefoot.traces.snapshot import Candidate
from surefoot.viewer.page.shapes import thinned

MOST_TRACES = 128
"""That are drawn; of more, each candidate shows as many as any other. All are counted."""

MOST_POINTS = 24
"""Of one trace, its ends among them: a line on the page has no more."""

MOST_CANDIDATES = 256
"""Of one rehearsal. They are numbered from 0."""

MOST_REQUIREMENTS = 64
"""That end the traces of one candidate: those of this stack and of whoever adds to them."""


@dataclass(frozen=True)
class TraceShown:
    """The way of the base of one particle.

    Attributes:
        points: in odom, up to the end of the trace, (k, 3), m, at most MOST_POINTS of them.
        outcome: of traces.outcome.
        violated: name of the requirement that ended it; empty for survivors.
    """

    points: NDArray[np.float32]
    outcome: int
    violated: str = ""


@dataclass
class CandidateShown:
    """One way of taking the change.

    Attributes:
        way: itself.
        traces: that came so far, as many as may be drawn.
        lower_bound: of its success probability, where it is known.
    """

    way: Candidate
    traces: list[TraceShown] = field(default_factory=list)
    lower_bound: float = math.nan
    particles: int = 0
    survived: int = 0
    violated: Counter[str] = field(default_factory=Counter)

    def add(self, traces: Iterable[TraceShown], counted: bool = True) -> None:
        """Some more of its traces came; counted: unless its final count is known already.

        Raises:
            SensorError: more requirements have ended them than there are.
        """
        traces = list(traces)
        if counted:
            _check_requirements(self.violated.keys() | {trace.violated for trace in traces if trace.violated})
        for trace in traces:
            if len(self.traces) < MOST_TRACES:
                self.traces.append(trace)
            if not counted:
                continue
            self.particles += 1
            self.survived += trace.outcome == SURVIVED
            if trace.violated:
                self.violated[trace.violated] += 1

    def settle(self, particles: int, survived: int, violated: dict[str, int], lower_bound: float) -> None:
        """The final count of it, which holds whatever traces came here. Raises SensorError as `add` does."""
        _check_requirements(violated)
        self.particles, self.survived, self.violated, self.lower_bound = particles, survived, Counter(violated), lower_bound


@dataclass(frozen=True)
class VerdictShown:
    """The answer: whether the change is made, at which candidate (None without one), why, and what is offered instead."""

    accepted: bool
    chosen: int | None
    reason: str
    explanation: tuple[str, ...] = ()
    offer: str = ""
    particles: int = 0
    wall_seconds: float = math.nan
    record: str = ""


@dataclass
class RehearsalShown:
    """A request on its way to a verdict.

    Attributes:
        request_id: its number.
        gait_from, gait_to: names.
        time: of the snapshot that was rehearsed, s.
        candidates: by their number.
        verdict: None until it is there.
        heard_at: time at which the verdict came, s of the robot.
        version: grows with each change, so that who draws knows when to draw again.
    """

    request_id: int
    gait_from: str
    gait_to: str
    time: float
    candidates: dict[int, CandidateShown] = field(default_factory=dict)
    verdict: VerdictShown | None = None
    heard_at: float = math.nan
    version: int = 0

    def add(self, number: int, candidate: CandidateShown, traces: Iterable[TraceShown]) -> None:
        """Traces of a candidate came; after the verdict they are drawn, but change nothing that it said.

        Raises:
            SensorError: no rehearsal has such a candidate, or more requirements have ended them than there are.
        """
        self._candidate(number, candidate).add(traces, counted=self.verdict is None)
        self.version += 1

    def settle(self, number: int, candidate: CandidateShown, particles: int, survived: int, violated: dict[str, int], bound: float) -> None:
        """The final count of a candidate, whether or not its traces came here. Raises SensorError as `add` does."""
        self._candidate(number, candidate).settle(particles, survived, violated, bound)
        self.version += 1

    def answer(self, verdict: VerdictShown, time: float) -> None:
        """The verdict came at a time, s."""
        self.verdict, self.heard_at = verdict, time
        self.version += 1

    def forget_traces(self) -> None:
        """Keep the counts and the verdict only."""
        for candidate in self.candidates.values():
            candidate.traces.clear()
        self.version += 1

    def _candidate(self, number: int, candidate: CandidateShown) -> CandidateShown:
        if not 0 <= number < MOST_CANDIDATES:
            raise SensorError(f"request {self.request_id} is said to have a candidate {number}; they are 0 to {MOST_CANDIDATES - 1}")
        return self.candidates.setdefault(number, candidate)

    @property
    def particles(self) -> int:
        """Of all candidates."""
        return sum(candidate.particles for candidate in self.candidates.values())

    def drawn(self) -> list[tuple[int, TraceShown]]:
        """Number of the candidate and trace of those that are drawn: every candidate has as many as any other, or all that it has."""
        share, left = {}, MOST_TRACES
        waiting = sorted(self.candidates.items(), key=lambda item: len(item[1].traces))
        for place, (number, candidate) in enumerate(waiting):
            share[number] = min(len(candidate.traces), left // (len(waiting) - place))
            left -= share[number]
        return [(number, trace) for number, candidate in sorted(self.candidates.items()) for trace in candidate.traces[: share[number]]]

    def is_dim(self, number: int) -> bool:
        """Whether the verdict passed a candidate over for another."""
        return self.verdict is not None and self.verdict.chosen not in (None, number)


def _check_requirements(names: Collection[str]) -> None:
    if len(names) > MOST_REQUIREMENTS:
        raise SensorError(f"traces of one candidate are said to be ended by {len(names)} requirements; at most {MOST_REQUIREMENTS} are")


def trace_shown(path: NDArray[np.floating], outcome: int, violated: str, failed_at: float, period: float) -> TraceShown:
    """A trace up to where it ended.

    Args:
        path: of the base, in odom, (k, 3), m.
        outcome: of traces.outcome.
        violated: name of what ended it.
        failed_at: s from the beginning of the path; NaN for what did not fail.
        period: s between points.
    """
    end = len(path)
    if outcome == FAILED:
        end = min(end, math.ceil(failed_at / period) + 1) if math.isfinite(failed_at) else 1
    points = np.asarray(path[:end], np.float32)
    finite = np.isfinite(points).all(axis=1)
    return TraceShown(thinned(points[finite], MOST_POINTS), outcome, violated)


def rehearsal_of_record(record: RecordedDecision) -> RehearsalShown:
    """A decision that was written down, as if it were just made."""
    answer, snapshot = record.answer, record.rehearsal.snapshot
    shown = RehearsalShown(0, snapshot.gait_from.name, snapshot.gait_to.name, snapshot.state.time)
    period = float(answer["path_period"])
    for number, (candidate, score) in enumerate(zip(record.candidates, answer["scores"], strict=True)):
        traces = [
            trace_shown(np.array(path), outcome, violated, math.nan if failed is None else failed, period)
            for path, outcome, violated, failed in zip(
                *(answer[key][number] for key in ("paths", "verdicts", "violated", "failure_times")), strict=True
            )
        ]
        of = CandidateShown(candidate)
        shown.add(number, of, traces)
        shown.settle(number, of, score["particles"], score["survived"], dict(score["violated"]), score["lower"])
    offer = answer["offer"]
    verdict = VerdictShown(
        answer["chosen"] is not None, answer["chosen"], answer["reason"], tuple(answer["explanation"]),
        "" if offer is None else offer["reason"], shown.particles,
    )  # fmt: skip
    shown.answer(verdict, snapshot.state.time)
    return shown

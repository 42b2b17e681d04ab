# SPDX-License-Identifier: Apache-2.0
"""Where particles go: a first look at every candidate, then on to the one in front until it is vouched for or nobody can be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.decision.confidence import is_above
from surefoot.traces.decision.scoring import Score
from surefoot.traces.decision.settings import DecisionSettings

PRIOR_PARTICLES = 10.0
"""Of the success rate that is asked for, which every candidate is credited with: a few survivors are no better than many."""

JOB = 16
"""Most particles of a job; a step over more is a step that a second worker could share."""


@dataclass(frozen=True)
class Step:
    """What is traced next: particles of one candidate."""

    candidate: int
    indices: NDArray[np.int64]


class Race:
    """Chooses what to trace next, from nothing but the scores so far: the same scores lead the same way.

    Args:
        settings: how to decide.
        candidates: how many.
        admitted: which of them run; all if None.
    """

    def __init__(self, settings: DecisionSettings, candidates: int, admitted: Sequence[int] | None = None) -> None:
        self.running = list(range(candidates)) if admitted is None else list(admitted)
        self._settings, self._confidence = settings, settings.confidence_of_bounds(len(self.running))

    @property
    def confidence(self) -> float:
        """Of each bound."""
        return self._confidence

    def first_look(self) -> list[Step]:
        """Some particles of every candidate."""
        return [Step(i, np.arange(self._settings.particles)) for i in self.running]

    def accepted(self, scores: Sequence[Score]) -> int | None:
        """The candidate that is vouched for; of several the best."""
        accept_at = self._settings.accept_at
        vouched = [i for i in self.running if is_above(scores[i].survived, scores[i].particles, accept_at, self._confidence)]
        return best_of(scores, vouched) if vouched else None

    def leader(self, scores: Sequence[Score], among: Sequence[int] | None = None) -> int:
        """The candidate that promises most, given how little some were seen; among equals as in `best_of`."""
        return self.ranked(scores, among)[0]

    def ranked(self, scores: Sequence[Score], among: Sequence[int] | None = None) -> list[int]:
        """Candidates in the order in which they promise, see `leader`."""
        accept_at = self._settings.accept_at

        def rank(i: int) -> tuple[float, float, float]:
            of = scores[i]
            promise = (of.survived + PRIOR_PARTICLES * accept_at) / (of.particles + PRIOR_PARTICLES)
            return -promise, round(of.final_spread, 3), of.candidate.switch_time

        return sorted(self.running if among is None else among, key=rank)

    def next_step(self, scores: Sequence[Score]) -> Step | None:
        """What to trace after the first look; None when nobody can be vouched for any more, or somebody is."""
        if self.accepted(scores) is not None:
            return None
        left = self._settings.most_particles - sum(score.particles for score in scores)
        contenders = [i for i in self.running if self._may_win(scores[i], left)]
        if not contenders:
            return None
        front = self.leader(scores, contenders)
        wanted = self._missing(scores[front], left) or 0
        # A failure is learned of half way, but no step is so small that workers idle.
        count = wanted if wanted <= 2 * JOB else (wanted + 1) // 2
        seen = scores[front].particles
        return Step(front, np.arange(seen, seen + count))

    def _may_win(self, score: Score, left: int) -> bool:
        settings, failures = self._settings, score.particles - score.survived
        hopeless = is_above(failures, score.particles, 1.0 - settings.accept_at, settings.confidence)
        return not hopeless and self._missing(score, left) is not None

    def _missing(self, score: Score, left: int) -> int | None:
        """How many more particles vouch for a candidate if they all survive; None if more than are left."""

        def enough(more: int) -> bool:
            return is_above(score.survived + more, score.particles + more, self._settings.accept_at, self._confidence)

        if not enough(left):
            return None
        low, high = 0, left
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def best_of(scores: Sequence[Score], among: Sequence[int] | None = None) -> int:
    """The candidate with the highest success rate; among equals the one whose traces end closest together, then the soonest."""

    def rank(i: int) -> tuple[float, float, float]:
        return -scores[i].success_rate, round(scores[i].final_spread, 3), scores[i].candidate.switch_time

    return min(range(len(scores)) if among is None else among, key=rank)


def parts_of(step: Step) -> list[NDArray[np.int64]]:
    """The particles of a step as jobs for two workers or more; whoever takes which, each particle is the same."""
    count = len(step.indices)
    parts = 1 if count < JOB // 2 else max(2, -(-count // JOB))
    return np.array_split(step.indices, parts)

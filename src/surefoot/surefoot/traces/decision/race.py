# SPDX-License-Identifier: Apache-2.0
"""Where particles go: looks at all candidates that are in front, then on to one of them until it is vouched for or nobody can be.

The first look is at everybody. Where nobody fails, it is the last one. Else those in front are looked at again, and again, which each time
doubles what is known of them. Whoever is in front after the last look is on trial: what it does on particles that nobody met proves it with
most of the error that is allowed, for one candidate only, and it does not matter how it was chosen. The rest of the error is shared among
all candidates, each of which may prove itself with all that it ever did, should the one on trial go wrong. Who runs alone has all of it
that way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.traces.decision.confidence import is_above, least
from surefoot.traces.decision.scoring import Score, Trial
from surefoot.traces.decision.settings import DecisionSettings

PRIOR_PARTICLES = 10.0
"""Of the success rate that is asked for, which every candidate is credited with: a few survivors are no better than many."""

JOB = 20
"""Most particles of a job; a step over more is a step that a second worker could share."""


@dataclass(frozen=True)
class Step:
    """What is traced next: particles of one candidate."""

    candidate: int
    indices: NDArray[np.int64]


class Race:
    """Chooses what to trace next, from nothing but the scores so far: the same scores, one after another, lead the same way.

    Args:
        settings: how to decide.
        candidates: how many.
        admitted: which of them run; all if None.

    Attributes:
        running: who runs.
    """

    def __init__(self, settings: DecisionSettings, candidates: int, admitted: Sequence[int] | None = None) -> None:
        self.running = list(range(candidates)) if admitted is None else list(admitted)
        self._settings, self._confidence = settings, settings.confidence_of_bounds(len(self.running))
        # Who runs alone is chosen from nobody: all of the error is on what it ever does.
        self._alone = len(self.running) == 1
        self._on_trial: int | None = None
        self._trial: Trial | None = None

    @property
    def confidence(self) -> float:
        """Of each bound from all particles."""
        return self._confidence

    def trial(self, candidate: int) -> Trial | None:
        """Of a candidate; None for all but one, as long as nobody was chosen, and where only one runs."""
        return self._trial if candidate == self._on_trial else None

    def accepted(self, scores: Sequence[Score]) -> int | None:
        """The candidate that is vouched for; of several the best."""
        vouched = [i for i in self.running if self._vouched_for(i, scores[i])]
        return best_of(scores, vouched) if vouched else None

    def leader(self, scores: Sequence[Score], among: Sequence[int] | None = None) -> int:
        """The candidate that promises most, given how little some were seen; among equals as in `best_of`."""
        return self.ranked(scores, among)[0]

    def ranked(self, scores: Sequence[Score], among: Sequence[int] | None = None) -> list[int]:
        """Candidates in the order in which they promise, see `leader`."""

        def rank(i: int) -> tuple[float, float, float]:
            return -self._promise(scores[i]), round(scores[i].final_spread, 3), scores[i].candidate.switch_time

        return sorted(self.running if among is None else among, key=rank)

    def best_known(self, scores: Sequence[Score]) -> int:
        """The candidate of which most was seen, which the race believed in longest; among equals the leader."""
        return max(self.ranked(scores), key=lambda i: scores[i].particles)

    def next_steps(self, scores: Sequence[Score]) -> list[Step]:
        """What to trace next, side by side; nothing when nobody can be vouched for any more, or somebody is.

        Whoever is in front when the looks have come to an end is on trial from then on.
        """
        if self.accepted(scores) is not None:
            return []
        left = self._settings.most_particles - sum(score.particles for score in scores)
        if self._on_trial is None:
            # A trial that begins now begins with particles that nobody met.
            self._trial = Trial(max(score.particles for score in scores), self._settings.confidence_of_trial(len(self.running)))
        contenders = [i for i in self.running if self._may_win(i, scores[i], left)]
        if not contenders:
            return []
        front = self.leader(scores, contenders)
        if self._on_trial is None and not self._alone:
            if look := self._look(scores, contenders, left):
                return look
            self._on_trial = front
        seen, wanted = scores[front].particles, self._missing(front, scores[front], left)
        assert wanted, "whoever may win can be vouched for by some more particles"
        # A failure is learned of half way, but no step is so small that workers idle.
        count = wanted if wanted <= 2 * JOB else (wanted + 1) // 2
        return [Step(front, np.arange(seen, seen + count))]

    def _look(self, scores: Sequence[Score], contenders: Sequence[int], left: int) -> list[Step]:
        """Another look at those in front, where somebody has failed; nothing where the trial may begin."""
        settings, best = self._settings, scores[self.leader(scores, contenders)]
        front = [i for i in contenders if (scores[i].survived, scores[i].particles) == (best.survived, best.particles)]
        seen = best.particles
        if seen == 0:
            return [Step(i, np.arange(settings.particles)) for i in front]
        count = min(seen, settings.trial_after - seen)
        if len(front) == 1 or count <= 0 or all(score.survived == score.particles for score in scores):
            return []
        # What is left has to do for a trial, with particles that none of these has met.
        most = max(seen + count, *(score.particles for score in scores))
        trial = most - seen - count + settings.vouching(len(self.running))
        return [Step(i, np.arange(seen, seen + count)) for i in front] if left - count * len(front) >= trial else []

    def _promise(self, score: Score) -> float:
        return (score.survived + PRIOR_PARTICLES * self._settings.accept_at) / (score.particles + PRIOR_PARTICLES)

    def _vouched_for(self, candidate: int, score: Score, more: int = 0) -> bool:
        """Whether a candidate has proved itself, or would with so many more survivors."""
        accept_at = self._settings.accept_at
        if is_above(score.survived + more, score.particles + more, accept_at, self._confidence):
            return True
        trial = self._trial
        if trial is None or self._alone or self._on_trial not in (None, candidate):
            return False
        # Particles that others met before the trial are no part of it.
        counted = max(0, more - max(0, trial.first - score.particles))
        return is_above(score.tried_survived + counted, score.tried + counted, accept_at, trial.confidence)

    def _may_win(self, candidate: int, score: Score, left: int) -> bool:
        settings, failures = self._settings, score.particles - score.survived
        hopeless = is_above(failures, score.particles, 1.0 - settings.accept_at, settings.confidence)
        return not hopeless and self._missing(candidate, score, left) is not None

    def _missing(self, candidate: int, score: Score, left: int) -> int | None:
        """How many more particles vouch for a candidate if they all survive; None if more than are left."""
        if not self._vouched_for(candidate, score, left):
            return None
        return least(lambda more: self._vouched_for(candidate, score, more), left)


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

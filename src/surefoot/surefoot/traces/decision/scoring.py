# SPDX-License-Identifier: Apache-2.0
"""Scores of candidates: how many particles survived, and how sure that makes us."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from surefoot.traces.decision.confidence import running_lower_bound, running_upper_bound
from surefoot.traces.outcome import FAILED, INCONSISTENT, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.snapshot import Candidate


@dataclass(frozen=True)
class Trial:
    """In which the candidate that was in front after the last look is to prove itself.

    Attributes:
        first: index of the first particle that counts: no candidate met it, nor any after it, before the choice.
        confidence: of the bound that it may win.
    """

    first: int
    confidence: float


@dataclass(frozen=True)
class Score:
    """What the rehearsal of one candidate showed; survived + failed + unfinished + inconsistent = particles.

    Attributes:
        lower, upper: one-sided bounds of the success probability, each at every moment of a race; the lower one is the higher of those
            from all particles and from the trial, if there is one.
        violated: how many traces each requirement or objective ended, the most frequent first.
        mean_failure_time: s after the change, negative before it; NaN without failures.
        final_spread: root mean square distance of the final base positions from their mean, m.
        inconsistent: particles that began where no robot can be: no successes either.
        tried, tried_survived: particles of its trial, and survivors among them.
    """

    candidate: Candidate
    particles: int
    survived: int
    failed: int
    unfinished: int
    lower: float
    upper: float
    violated: tuple[tuple[str, int], ...]
    mean_failure_time: float
    final_spread: float
    inconsistent: int = 0
    tried: int = 0
    tried_survived: int = 0

    @property
    def success_rate(self) -> float:
        """survived / particles [Zapolsky 2017, section 4.1.3]."""
        return self.survived / self.particles if self.particles > 0 else 0.0


def score(candidate: Candidate, outcomes: Outcomes, confidence: float, trial: Trial | None = None) -> Score:
    """Score a candidate.

    Args:
        candidate: what was rehearsed.
        outcomes: on every particle that it met.
        confidence: of each bound from all particles.
        trial: of the candidate; None if it is not on trial.
    """
    count = len(outcomes.indices)
    survived = int((outcomes.verdict == SURVIVED).sum())
    counts = np.zeros(count, np.bool_) if trial is None else outcomes.indices >= trial.first
    tried, tried_survived = int(counts.sum()), int((outcomes.verdict[counts] == SURVIVED).sum())
    times = outcomes.failure_time[outcomes.verdict == FAILED] - outcomes.switch_tick * outcomes.period
    times = times[np.isfinite(times)]
    final = outcomes.base_path[:, -1, :2].astype(np.float64)
    spread = float(np.sqrt(((final - final.mean(axis=0)) ** 2).sum(axis=1).mean())) if count > 0 else 0.0
    return Score(
        candidate=candidate,
        particles=count,
        survived=survived,
        failed=int((outcomes.verdict == FAILED).sum()),
        unfinished=int((outcomes.verdict == UNFINISHED).sum()),
        lower=max(
            running_lower_bound(survived, count, confidence),
            0.0 if trial is None else running_lower_bound(tried_survived, tried, trial.confidence),
        ),
        upper=running_upper_bound(survived, count, confidence),
        violated=tuple(Counter(name for name in outcomes.violated if name).most_common()),
        mean_failure_time=float(np.mean(times)) if len(times) else math.nan,
        final_spread=spread,
        inconsistent=int((outcomes.verdict == INCONSISTENT).sum()),
        tried=tried,
        tried_survived=tried_survived,
    )

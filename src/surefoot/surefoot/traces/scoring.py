# SPDX-License-Identifier: Apache-2.0
"""Scores of candidates: how many particles survived, and how sure that makes us."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from surefoot.traces.outcome import FAILED, SURVIVED, UNFINISHED, Outcomes
from surefoot.traces.snapshot import Candidate


def lower_bound(successes: int, trials: int, confidence: float) -> float:
    """One-sided lower bound of a success probability (Clopper and Pearson)."""
    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, 1.0 - confidence))


def upper_bound(successes: int, trials: int, confidence: float) -> float:
    """One-sided upper bound of a success probability (Clopper and Pearson)."""
    if successes == trials:
        return 1.0
    return float(betaincinv(successes + 1, trials - successes, confidence))


@dataclass(frozen=True)
class Score:
    """What the rehearsal of one candidate showed; survived + failed + unfinished = particles.

    Attributes:
        lower, upper: one-sided bounds of the success probability, each at the confidence.
        violated: how many traces each requirement or objective ended, the most frequent first.
        mean_failure_time: s after the change, negative before it; NaN without failures.
        final_spread: root mean square distance of the final base positions from their mean, m.
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

    @property
    def success_rate(self) -> float:
        """survived / particles [Zapolsky 2017, section 4.1.3]."""
        return self.survived / self.particles


def score(candidate: Candidate, outcomes: Outcomes, confidence: float) -> Score:
    """Score a candidate.

    Args:
        candidate: what was rehearsed.
        outcomes: on every particle that it met.
        confidence: of each bound.
    """
    count = len(outcomes.indices)
    survived = int((outcomes.verdict == SURVIVED).sum())
    times = outcomes.failure_time[outcomes.verdict == FAILED] - outcomes.switch_tick * outcomes.period
    times = times[np.isfinite(times)]
    final = outcomes.base_path[:, -1, :2].astype(np.float64)
    spread = float(np.sqrt(((final - final.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return Score(
        candidate=candidate,
        particles=count,
        survived=survived,
        failed=int((outcomes.verdict == FAILED).sum()),
        unfinished=int((outcomes.verdict == UNFINISHED).sum()),
        lower=lower_bound(survived, count, confidence),
        upper=upper_bound(survived, count, confidence),
        violated=tuple(Counter(name for name in outcomes.violated if name).most_common()),
        mean_failure_time=float(np.mean(times)) if len(times) else math.nan,
        final_spread=spread,
    )

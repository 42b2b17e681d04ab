# SPDX-License-Identifier: Apache-2.0
"""From a request to a verdict: rehearse every candidate, put effort where it decides, and accept only what is vouched for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from surefoot.robot.description import Positive
from surefoot.settings import Settings
from surefoot.traces.jobs import Executor, Job
from surefoot.traces.outcome import Outcomes, joined
from surefoot.traces.scoring import Score, lower_bound, score
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal

Array = NDArray[np.float64]

Probability = Annotated[float, Field(gt=0.0, lt=1.0)]


class DecisionSettings(Settings):
    """How a gait change is decided."""

    transition_points: tuple[Annotated[float, Field(ge=0.0, lt=1.0)], ...] = (0.0, 0.25, 0.5, 0.75)
    """Phases of the running gait at which a change is considered [Zapolsky 2017, section 4.3.3]."""
    blend_times: tuple[Annotated[float, Field(ge=0.0, le=5.0)], ...] = (0.0,)
    """Ways in which each change is considered: s over which the parameters go from the one gait to the other, 0 where they step at once."""
    particles: Annotated[int, Field(ge=1, le=4096)] = 16
    """Per candidate in each round."""
    rounds: Annotated[int, Field(ge=1, le=16)] = 3
    """After the first, only candidates that may still be accepted get more particles."""
    horizon: Positive = 2.0
    """s of the new gait."""
    accept_at: Probability = 0.75
    """Success probability that the lower bound must reach."""
    confidence: Probability = 0.95
    """That no accepted change is worse than `accept_at`, over all candidates and all looks at the data together."""
    latency: Positive = 1.0
    """Planner time that a verdict is charged with, s: no change is considered before it. In lockstep it is all that counts."""
    realtime_latency: Positive = 4.0
    """The same where the wall clock rules: at least as long as a verdict really takes on the machine, or it comes too late."""
    deadline: Positive = 20.0
    """Wall time after which silence is a veto, s."""

    def confidence_of_bounds(self, candidates: int) -> float:
        """Of each bound: the error is shared among the candidates, since the luckiest is chosen, and among the rounds, since the data are
        looked at after each (Bonferroni).
        """
        return 1.0 - (1.0 - self.confidence) / (self.rounds * candidates)


@dataclass(frozen=True)
class Decision:
    """The answer to a request.

    Attributes:
        chosen: index of the accepted candidate, None for a veto.
        scores: of every candidate, in their order.
        outcomes: what the scores were made from.
        reason: in words and numbers.
        rounds: how many were run.
        particle_seconds: simulated time of all traces together, s.
    """

    chosen: int | None
    scores: tuple[Score, ...]
    outcomes: tuple[Outcomes, ...]
    reason: str
    rounds: int
    particle_seconds: float

    @property
    def accepted(self) -> bool:
        """Whether the change may be made."""
        return self.chosen is not None

    def base_after(self, time: float) -> tuple[Array, Array]:
        """Mean and standard deviation of the base of the traces some time after the snapshot, s, odom, (3,), m.

        Until the change the traces share their way, whatever the candidate.
        """
        outcomes = self.outcomes[self.chosen or 0]
        tick = min(round(time / outcomes.period), outcomes.base_path.shape[1] - 1)
        position = outcomes.base_path[:, tick, :3].astype(np.float64)
        return position.mean(axis=0), position.std(axis=0)


def best_of(scores: Sequence[Score]) -> int:
    """The candidate with the highest success rate; among equals the one whose traces end closest together, then the soonest."""

    def rank(i: int) -> tuple[float, float, float]:
        return -scores[i].success_rate, round(scores[i].final_spread, 3), scores[i].candidate.switch_time

    return min(range(len(scores)), key=rank)


def decide(
    executor: Executor,
    rehearsal: Rehearsal,
    candidates: Sequence[Candidate],
    settings: DecisionSettings,
    progress: Callable[[Score], None] = lambda score: None,
) -> Decision:
    """Rehearse the candidates and decide. The same rehearsal, candidates and settings give the same decision.

    Args:
        executor: who traces.
        rehearsal: where every trace starts.
        candidates: ways of taking the change, at least one.
        settings: how to decide.
        progress: called with the score of a candidate whenever a round of it is complete.
    """
    traced: dict[int, Outcomes] = {}
    scores: dict[int, Score] = {}
    confidence = settings.confidence_of_bounds(len(candidates))

    def done(job: Job, outcomes: Outcomes) -> None:
        traced[job.number] = joined([traced[job.number], outcomes]) if job.number in traced else outcomes
        scores[job.number] = score(job.candidate, traced[job.number], confidence)
        progress(scores[job.number])

    contenders = list(range(len(candidates)))
    rounds = best = 0
    for number in range(settings.rounds):
        rounds = number + 1
        indices = np.arange(number * settings.particles, rounds * settings.particles)
        executor.run(rehearsal, [Job(i, candidates[i], indices) for i in contenders], done)
        best = best_of([scores[i] for i in range(len(candidates))])
        if scores[best].lower >= settings.accept_at:
            break
        left = (settings.rounds - rounds) * settings.particles
        contenders = [i for i in contenders if _may_win(scores[i], left, settings.accept_at, confidence)]
        if not contenders:
            break
    accepted = scores[best].lower >= settings.accept_at
    return Decision(
        chosen=best if accepted else None,
        scores=tuple(scores[i] for i in range(len(candidates))),
        outcomes=tuple(traced[i] for i in range(len(candidates))),
        reason=_reason(rehearsal, scores[best], settings, accepted),
        rounds=rounds,
        particle_seconds=sum(traced[i].particle_seconds for i in range(len(candidates))),
    )


def _may_win(current: Score, left: int, accept_at: float, confidence: float) -> bool:
    """Whether a candidate is accepted if every particle to come survives."""
    return lower_bound(current.survived + left, current.particles + left, confidence) >= accept_at


def _reason(rehearsal: Rehearsal, top: Score, settings: DecisionSettings, accepted: bool) -> str:
    """The verdict in words and numbers."""
    snapshot = rehearsal.snapshot
    place = f"at {top.candidate.transition_point:.0%} of {snapshot.gait_from.name}"
    count = f"{top.survived} of {top.particles} traces survive"
    bound = f"success probability at least {top.lower:.2f} with {settings.confidence:.0%} confidence"
    if accepted:
        return f"{snapshot.gait_to.name} {place}: {count}, {bound} (asked: {settings.accept_at:.2f})"
    causes = ", ".join(f"{name} {number}x" for name, number in top.violated) or "none"
    when, side = top.mean_failure_time, "before" if top.mean_failure_time < 0.0 else "after"
    moment = "" if math.isnan(when) else f", on average {abs(when):.1f} s {side} the change"
    return (
        f"{snapshot.gait_to.name} on {snapshot.terrain.name} ground is not vouched for: best {place}, {count}, {bound} "
        f"(asked: {settings.accept_at:.2f}); ended by {causes}{moment}"
    )

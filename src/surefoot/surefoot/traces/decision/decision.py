# SPDX-License-Identifier: Apache-2.0
"""From a request to a verdict: rehearse candidates, put effort where it decides, and accept only what is vouched for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import ConfigurationError
from surefoot.traces.decision.admission import Admission
from surefoot.traces.decision.offer import Offer, find_offer
from surefoot.traces.decision.pace import Pace, Unhurried
from surefoot.traces.decision.race import Race, Step, parts_of
from surefoot.traces.decision.scoring import Score, score
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.findings.explain import explanation
from surefoot.traces.jobs import Executor, Job, untraced
from surefoot.traces.outcome import Outcomes, joined
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal

Array = NDArray[np.float64]

INDEPENDENT = "pseudorandom"
"""Sampling of a cloud whose particles say nothing about each other."""

OFFERED_CHANGES = 2
"""How many of the most promising changes of a veto are tried for a counter-offer."""


@dataclass(frozen=True)
class Decision:
    """The answer to a request.

    Attributes:
        chosen: index of the accepted candidate, None for a veto.
        scores: of every candidate, in their order; of those that were not admitted without a particle.
        outcomes: what the scores were made from.
        reason: in words and numbers.
        rounds: how many were run.
        particle_seconds: simulated time of all traces together, s.
        admission: what was traced of what was asked for.
        offer: what could be done instead, after a veto.
        offers_tried: how many were tried.
        explanation: why the traces of the best candidate came out as they did, in sentences.
        history: survivors, particles and lower bound of every candidate after each round.
    """

    chosen: int | None
    scores: tuple[Score, ...]
    outcomes: tuple[Outcomes, ...]
    reason: str
    rounds: int
    particle_seconds: float
    admission: Admission
    offer: Offer | None = None
    offers_tried: int = 0
    explanation: tuple[str, ...] = ()
    history: tuple[tuple[tuple[int, int, float], ...], ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the change may be made."""
        return self.chosen is not None

    def base_after(self, time: float) -> tuple[Array, Array]:
        """Mean and standard deviation of the base of the traces some time after the snapshot, s, odom, (3,), m; NaN without traces.

        Until the change the traces share their way, whatever the candidate.
        """
        traced = [i for i, of in enumerate(self.scores) if of.particles > 0]
        if not traced:
            return np.full(3, np.nan), np.full(3, np.nan)
        outcomes = self.outcomes[traced[0] if self.chosen is None else self.chosen]
        tick = min(round(time / outcomes.period), outcomes.base_path.shape[1] - 1)
        # What nobody ran was nowhere.
        ran = np.isfinite(outcomes.end_position).all(axis=1)
        position = outcomes.base_path[ran, tick, :3].astype(np.float64)
        if len(position) == 0:
            return np.full(3, np.nan), np.full(3, np.nan)
        return position.mean(axis=0), position.std(axis=0)


def decide(
    executor: Executor,
    rehearsal: Rehearsal,
    candidates: Sequence[Candidate],
    settings: DecisionSettings,
    progress: Callable[[Score], None] = lambda score: None,
    pace: Pace | None = None,
) -> Decision:
    """Rehearse the candidates and decide. The same rehearsal, candidates, settings and pace give the same decision.

    Args:
        executor: who traces.
        rehearsal: where every trace starts.
        candidates: ways of taking the change, at least one, the most wanted first.
        settings: how to decide.
        progress: called with the score of a candidate whenever some more of it was traced.
        pace: how much time there is; all of it if None.

    Raises:
        ConfigurationError: the particles of the cloud are not independent of each other, so that no bound would hold.
    """
    if rehearsal.uncertainty.sampling != INDEPENDENT:
        raise ConfigurationError(
            f"sampling: {rehearsal.uncertainty.sampling} draws particles that are not independent, and no bound holds for them; "
            f"decide on a cloud with sampling: {INDEPENDENT}"
        )
    pace = Unhurried() if pace is None else pace
    admission = pace.admit(candidates, settings)
    settings, rehearsal = admission.settings, replace(rehearsal, horizon=min(rehearsal.horizon, admission.settings.horizon))
    race = Race(settings, len(candidates), admission.candidates)
    traced = [untraced(candidate, rehearsal, executor.period) for candidate in candidates]
    scores = [score(candidate, nothing, race.confidence) for candidate, nothing in zip(candidates, traced, strict=True)]

    def done(job: Job, outcomes: Outcomes) -> None:
        number = job.number
        traced[number] = joined([traced[number], outcomes]) if len(traced[number].indices) > 0 else outcomes
        scores[number] = score(job.candidate, traced[number], race.confidence, race.trial(number))
        progress(scores[number])

    history: list[tuple[tuple[int, int, float], ...]] = []

    def run(steps: list[Step]) -> None:
        jobs = [Job(step.candidate, candidates[step.candidate], part) for step in steps for part in parts_of(step)]
        executor.run(rehearsal, jobs, done, pace.left())
        history.append(tuple((of.survived, of.particles, of.lower) for of in scores))

    timed_out = False
    if not admission.refusal:
        while not timed_out and (steps := race.next_steps(scores)):
            timed_out = bool(history) and not pace.goes_on(len(history))
            if not timed_out:
                run(steps)
    rounds = len(history)
    chosen = race.accepted(scores)
    # What is said of a veto is said of the candidate of which most is known, and not of one that fell less only because it was hardly seen.
    best = race.best_known(scores) if chosen is None else chosen
    reason = admission.refusal or _reason(rehearsal, scores[best], settings, chosen is not None, timed_out)
    offer, tried, spent = None, 0, 0.0
    ranked = race.ranked(scores)[:OFFERED_CHANGES]
    promising = [candidates[i] for i in ranked]
    # Traces that nobody ran are no reason to do something else.
    all_ran = all(np.isfinite(traced[i].end_position).all() for i in ranked)
    if chosen is None and rounds > 0 and not timed_out and all_ran:
        offer, tried, spent = find_offer(executor, rehearsal, promising, settings, pace)
    return Decision(
        chosen=chosen,
        scores=tuple(scores),
        outcomes=tuple(traced),
        reason="; ".join(part for part in (reason, admission.remark) if part),
        rounds=rounds,
        particle_seconds=sum(part.particle_seconds for part in traced) + spent,
        admission=admission,
        offer=offer,
        offers_tried=tried,
        explanation=explanation(traced[best], traced[best].parameters),
        history=tuple(history),
    )


def _reason(rehearsal: Rehearsal, top: Score, settings: DecisionSettings, accepted: bool, timed_out: bool) -> str:
    """The verdict in words and numbers."""
    snapshot = rehearsal.snapshot
    place = f"at {top.candidate.transition_point:.0%} of {snapshot.gait_from.name}{top.candidate.manner}"
    count = f"{top.survived} of {top.particles} traces survive"
    bound = f"success probability at least {top.lower:.2f} with {settings.confidence:.0%} confidence"
    if accepted:
        return f"{snapshot.gait_to.name} {place}: {count}, {bound} (asked: {settings.accept_at:.2f})"
    causes = ", ".join(f"{name} {number}x" for name, number in top.violated)
    when, side = top.mean_failure_time, "before" if top.mean_failure_time < 0.0 else "after"
    moment = "" if math.isnan(when) else f", on average {abs(when):.1f} s {side} the change"
    ends = f"; ended by {causes}{moment}" if causes else ""
    late = "; the time ran out before more was known" if timed_out else ""
    return (
        f"{snapshot.gait_to.name} on {snapshot.terrain.name} ground is not vouched for: best known {place}, {count}, {bound} "
        f"(asked: {settings.accept_at:.2f}){ends}{late}"
    )

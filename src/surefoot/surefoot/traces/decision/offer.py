# SPDX-License-Identifier: Apache-2.0
"""Counter-offers: what the robot could do instead of what was vetoed. Whoever takes one up has it rehearsed anew."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surefoot.traces.decision.pace import Pace
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Executor, Job
from surefoot.traces.outcome import SURVIVED, Outcomes
from surefoot.traces.snapshot import Candidate, Snapshot, through
from surefoot.traces.tracer import Rehearsal

LEAST_COMMAND = 0.05
"""m/s and rad/s; whoever goes no faster cannot go slower."""

FIRST_PART = 4
"""Of the particles of an offer the first part: most of what does not go shows it there, and the others need not be traced."""


@dataclass(frozen=True)
class Offer:
    """The same gait under another command, later, or by way of another gait.

    Attributes:
        command_factor: part of the commanded velocity; 1: all of it.
        reason: in words and numbers.
        intermediate: name of the gait to be walked on the way; empty: none.
        delay: s by which the change is later; 0: none.
    """

    command_factor: float
    reason: str
    intermediate: str = ""
    delay: float = 0.0


def is_of_offer(job: Job, settings: DecisionSettings) -> bool:
    """Whether a job tries a counter-offer: its particles are none that a race meets."""
    return bool((job.indices >= settings.most_particles).any())


@dataclass(frozen=True)
class Alternative:
    """What may be offered, before anything of it was traced.

    Attributes:
        offer: its words say only what is different.
        candidates: the changes to try.
    """

    offer: Offer
    candidates: tuple[Candidate, ...]


def alternatives(snapshot: Snapshot, candidates: Sequence[Candidate], settings: DecisionSettings) -> Iterator[Alternative]:
    """What a vetoed change may be replaced by, what is nearest to it first: slower, later, through another gait.

    Args:
        snapshot: of the request.
        candidates: the most promising changes of those that were vetoed.
        settings: how to decide.
    """
    moves = np.abs(snapshot.command).max() >= LEAST_COMMAND
    for factor in sorted(settings.offer_factors, reverse=True) if moves else ():
        yield Alternative(Offer(factor, f" at {factor:.0%} of the speed"), tuple(candidates))
    period = snapshot.gait_from.period
    if settings.offer_delay > 0.0 and snapshot.gait_from.moves:
        # Whole cycles, so that each change is at its point of the cycle.
        delay = math.ceil(settings.offer_delay / period) * period
        later = tuple(replace(candidate, switch_time=candidate.switch_time + delay) for candidate in candidates)
        yield Alternative(Offer(1.0, f" {delay:.1f} s later", delay=delay), later)
    for gait in snapshot.intermediates:
        if gait.name in settings.offer_intermediates:
            on_the_way = tuple(through(candidate, gait, settings) for candidate in candidates if not candidate.intermediate)
            if on_the_way:
                yield Alternative(Offer(1.0, ""), on_the_way)


def find_offer(
    executor: Executor,
    rehearsal: Rehearsal,
    candidates: Sequence[Candidate],
    settings: DecisionSettings,
    pace: Pace,
) -> tuple[Offer | None, int, float]:
    """Try what a vetoed change may be replaced by, one after another, until all traces of one survive.

    Args:
        executor: who traces.
        rehearsal: that ended in a veto.
        candidates: the changes to try, the most promising first.
        settings: how to decide.
        pace: how much time there is.

    Returns:
        The offer, if there is one, how many were tried, and how many particle-seconds it took to find out.
    """
    snapshot, spent, tried = rehearsal.snapshot, 0.0, 0
    for alternative in alternatives(snapshot, candidates, settings):
        if not pace.tries_offer(alternative.candidates, settings, tried):
            break
        offer = alternative.offer
        asked = replace(rehearsal, snapshot=replace(snapshot, command=offer.command_factor * np.asarray(snapshot.command)))
        all_ran, survives, seconds = _survivor(executor, asked, alternative.candidates, settings, pace.left)
        spent += seconds
        if not all_ran:
            # Who looks at it again without a deadline would see more.
            break
        tried += 1
        if survives is not None:
            way = f" through {survives.intermediate}" if survives.intermediate else ""
            words = f"{snapshot.gait_to.name}{offer.reason}{way} all of {settings.offer_particles} traces survive"
            return replace(offer, reason=words, intermediate=survives.intermediate), tried, spent
    return None, tried, spent


def _survivor(
    executor: Executor, rehearsal: Rehearsal, candidates: Sequence[Candidate], settings: DecisionSettings, left: Callable[[], float | None]
) -> tuple[bool, Candidate | None, float]:
    """Whether whatever was wanted was traced, the first change of which all traces survive, and how many particle-seconds that took."""
    count, ticks, all_ran = settings.offer_particles, 0, True
    # Other particles than those that the request will meet when it is made.
    particles = np.arange(settings.most_particles, settings.most_particles + count)
    unbeaten = list(range(len(candidates)))
    for part in (particles[:FIRST_PART], particles[FIRST_PART:]):
        survivors = dict.fromkeys(unbeaten, 0)

        def done(job: Job, outcomes: Outcomes, survivors: dict[int, int] = survivors) -> None:
            nonlocal ticks, all_ran
            all_ran = all_ran and bool(np.isfinite(outcomes.end_position).all())
            survivors[job.number] += int((outcomes.verdict == SURVIVED).sum())
            ticks += round(outcomes.particle_seconds / outcomes.period)

        if unbeaten and len(part) > 0:
            executor.run(rehearsal, [Job(i, candidates[i], part) for i in unbeaten], done, left())
            unbeaten = [i for i in unbeaten if survivors[i] == len(part)]
    return all_ran, candidates[unbeaten[0]] if unbeaten else None, ticks * executor.period

# SPDX-License-Identifier: Apache-2.0
"""Counter-offers: what the robot could do instead of what was vetoed. Whoever takes one up has it rehearsed anew."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Executor, Job
from surefoot.traces.outcome import SURVIVED, Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal

LEAST_COMMAND = 0.05
"""m/s and rad/s; whoever goes no faster cannot go slower."""


@dataclass(frozen=True)
class Offer:
    """The same gait under another command.

    Attributes:
        command_factor: part of the commanded velocity.
        reason: in words and numbers.
    """

    command_factor: float
    reason: str


def find_offer(
    executor: Executor,
    rehearsal: Rehearsal,
    candidates: Sequence[Candidate],
    settings: DecisionSettings,
    left: Callable[[], float | None] = lambda: None,
) -> tuple[Offer | None, float]:
    """Try a vetoed gait at lower speeds, the highest first.

    Args:
        executor: who traces.
        rehearsal: that ended in a veto.
        candidates: the changes to try, the most promising first.
        settings: how to decide.
        left: s of wall time; None: as long as it takes.

    Returns:
        The offer, if there is one, and how many particle-seconds it took to find out.
    """
    snapshot, ticks = rehearsal.snapshot, 0
    if np.abs(snapshot.command).max() < LEAST_COMMAND:
        return None, 0.0
    # Other particles than those that the request will meet when it is made.
    particles = np.arange(settings.most_particles, settings.most_particles + settings.offer_particles)
    for factor in sorted(settings.offer_factors, reverse=True):
        slower = replace(rehearsal, snapshot=replace(snapshot, command=factor * np.asarray(snapshot.command)))
        survivors = dict.fromkeys(range(len(candidates)), 0)

        def done(job: Job, outcomes: Outcomes, survivors: dict[int, int] = survivors) -> None:
            nonlocal ticks
            survivors[job.number] += int((outcomes.verdict == SURVIVED).sum())
            ticks += round(outcomes.particle_seconds / outcomes.period)

        executor.run(slower, [Job(i, candidate, particles) for i, candidate in enumerate(candidates)], done, left())
        if max(survivors.values()) == settings.offer_particles:
            words = f"at {factor:.0%} of the speed all of {settings.offer_particles} traces survive"
            return Offer(factor, f"{snapshot.gait_to.name} {words}"), ticks * executor.period
    return None, ticks * executor.period

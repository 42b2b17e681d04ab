# SPDX-License-Identifier: Apache-2.0
"""What a veto offers instead: slower, later, or through another gait."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from surefoot.traces.decision.offer import FIRST_PART, alternatives, find_offer, is_of_offer
from surefoot.traces.decision.pace import AsRecorded, Hurried, Unhurried
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Job, lost, untraced
from surefoot.traces.outcome import FAILED, SURVIVED, Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal

SETTINGS = DecisionSettings(offer_factors=(0.25, 0.5), offer_delay=1.0, offer_intermediates=("walking_trot",))
CANDIDATES = (Candidate(0.0, 3.0), Candidate(0.5, 3.4, 0.2))


class Judge:
    """Stands in for traces: says of each job which of its particles survive."""

    period = 0.1

    def __init__(self, survives: Callable[[Rehearsal, Job], bool]) -> None:
        self._survives = survives
        self.jobs: list[Job] = []

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        for job in jobs:
            self.jobs.append(job)
            nothing = untraced(job.candidate, rehearsal, self.period)
            verdict = np.full(len(job.indices), SURVIVED if self._survives(rehearsal, job) else FAILED)
            ends = np.zeros((len(job.indices), 19))
            done(job, replace(nothing, verdict=verdict, particle_seconds=1.0 * len(job.indices), end_position=ends))


@pytest.fixture
def rehearsal(walk, uncertainty) -> Rehearsal:
    return walk.rehearsal(replace(walk.asked("trot"), intermediates=(walk.gaits["walking_trot"],)), uncertainty)


def test_slower_comes_first_then_later_then_another_way(rehearsal: Rehearsal) -> None:
    found = list(alternatives(rehearsal.snapshot, CANDIDATES, SETTINGS))
    assert [(one.offer.command_factor, one.offer.delay, one.candidates[0].intermediate) for one in found] == [
        (0.5, 0.0, ""), (0.25, 0.0, ""), (1.0, 1.6, ""), (1.0, 0.0, "walking_trot"),
    ]  # fmt: skip
    # A walk of 0.8 s: the first moment of whole cycles that is a second away, so that each change is at its point of the cycle.
    assert [candidate.switch_time for candidate in found[2].candidates] == pytest.approx([4.6, 5.0])
    assert {candidate.intermediate for candidate in found[3].candidates} == {"walking_trot"}


def test_who_stands_cannot_go_slower_nor_is_later_any_other(rehearsal: Rehearsal, walk) -> None:
    still = replace(rehearsal.snapshot, command=np.zeros(3), gait_from=walk.gaits["stand"])
    assert [one.candidates[0].intermediate for one in alternatives(still, CANDIDATES, SETTINGS)] == ["walking_trot"]


def test_what_came_through_that_gait_already_is_not_offered_through_it(rehearsal: Rehearsal) -> None:
    asked = tuple(replace(candidate, intermediate="walking_trot", intermediate_time=1.0) for candidate in CANDIDATES)
    assert [one.offer.delay for one in alternatives(rehearsal.snapshot, asked, SETTINGS)] == [0.0, 0.0, 1.6]


@pytest.mark.parametrize(
    ("survives", "number", "words"),
    [
        (lambda asked, job: asked.snapshot.command[0] < 0.2, 1, "trot at 50% of the speed all of 16 traces survive"),
        (lambda asked, job: job.candidate.switch_time > 4.0, 3, "trot 1.6 s later all of 16 traces survive"),
        (lambda asked, job: job.candidate.intermediate != "", 4, "trot through walking_trot all of 16 traces survive"),
    ],
)
def test_the_first_of_which_all_traces_survive_is_offered(
    rehearsal: Rehearsal, survives: Callable[[Rehearsal, Job], bool], number: int, words: str
) -> None:
    judge = Judge(survives)
    offer, tried, spent = find_offer(judge, rehearsal, CANDIDATES, SETTINGS, Unhurried())
    assert offer is not None
    assert (offer.reason, tried) == (words, number)
    # What fails at once costs no more than the first part of both changes.
    assert spent == pytest.approx(2.0 * (FIRST_PART * (number - 1) + 16))
    assert all(is_of_offer(job, SETTINGS) for job in judge.jobs)


def test_what_is_offered_of_a_change_through_a_gait_goes_through_it_as_well(rehearsal: Rehearsal) -> None:
    asked = tuple(replace(candidate, intermediate="walking_trot", intermediate_time=1.0) for candidate in CANDIDATES)
    slow = Judge(lambda asked, job: asked.snapshot.command[0] < 0.2)
    offer, _, _ = find_offer(slow, rehearsal, asked, SETTINGS, Unhurried())
    assert offer is not None
    assert (offer.command_factor, offer.intermediate) == (0.5, "walking_trot")
    assert offer.reason == "trot at 50% of the speed through walking_trot all of 16 traces survive"
    # Of two ways it is the one that survived.
    mixed = (CANDIDATES[0], asked[1])
    offer, _, _ = find_offer(Judge(lambda asked, job: job.number == 0), rehearsal, mixed, SETTINGS, Unhurried())
    assert offer is not None
    assert offer.intermediate == ""


def test_what_nobody_traced_in_time_was_not_tried(rehearsal: Rehearsal) -> None:
    class Late(Judge):
        """Answers the first two alternatives only."""

        def run(
            self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
        ) -> None:
            if len(self.jobs) < 4:
                super().run(rehearsal, jobs, done, patience)
                return
            for job in jobs:
                done(job, lost(job, rehearsal, self.period, "no answer in time"))

    assert find_offer(Late(lambda asked, job: False), rehearsal, CANDIDATES, SETTINGS, Unhurried())[:2] == (None, 2)


def test_one_trace_that_fails_is_too_many(rehearsal: Rehearsal) -> None:
    last = SETTINGS.most_particles + SETTINGS.offer_particles - 1
    offer, tried, _ = find_offer(Judge(lambda asked, job: last not in job.indices), rehearsal, CANDIDATES, SETTINGS, Unhurried())
    assert (offer, tried) == (None, 4)


def test_who_has_time_for_some_tries_those_and_a_replay_tries_as_many(rehearsal: Rehearsal) -> None:
    class Short(Hurried):
        """Has time for two."""

        def tries_offer(self, candidates: Sequence[Candidate], settings: DecisionSettings, tried: int) -> bool:
            return tried < 2

    later = Judge(lambda asked, job: job.candidate.switch_time > 4.0)
    assert find_offer(later, rehearsal, CANDIDATES, SETTINGS, Short(1.0, 1.0))[:2] == (None, 2)
    admission = Unhurried().admit(CANDIDATES, SETTINGS)
    assert find_offer(later, rehearsal, CANDIDATES, SETTINGS, AsRecorded(admission, 1, 2))[:2] == (None, 2)
    assert find_offer(later, rehearsal, CANDIDATES, SETTINGS, Hurried(1.0, 1.0))[:2] == (None, 0)

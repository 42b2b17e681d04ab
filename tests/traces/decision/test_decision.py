# SPDX-License-Identifier: Apache-2.0
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import ConfigurationError
from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.traces.cloud.particles import DRAW_NAMES
from surefoot.traces.decision.decision import Decision, decide
from surefoot.traces.decision.pace import AsRecorded, Hurried
from surefoot.traces.decision.scoring import Score
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Job, lost
from surefoot.traces.outcome import FAILED, SURVIVED, Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal

SETTINGS = DecisionSettings()
CONFIGURED = read_settings(DecisionSettings, shared_directory() / "config" / "decision.yaml")
NONE = np.zeros((4096, 2, 7), np.float32)
END, SPEED = np.zeros((4096, 19)), np.zeros((4096, 18))
NO_FEET = np.zeros((4096, 2, 4), np.bool_)


class Dice:
    """Stands in for traces: each particle of a candidate survives with a known probability."""

    def __init__(self, probabilities: Sequence[float], seed: int = 0, backwards: bool = False) -> None:
        self.probabilities, self._backwards = probabilities, backwards
        self._random = np.random.default_rng(seed)
        self.asked: list[list[int]] = []
        self.period = 0.1

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        self.asked.append([job.number for job in jobs])
        for job in reversed(jobs) if self._backwards else jobs:
            done(job, self._traced(job))

    def _traced(self, job: Job) -> Outcomes:
        count = len(job.indices)
        verdict = np.where(self._random.random(count) < self.probabilities[job.number], SURVIVED, FAILED)
        names = tuple("" if each == SURVIVED else "roll" for each in verdict)
        times = np.where(verdict == SURVIVED, np.nan, 0.9)
        return Outcomes(job.indices, verdict, names, times, NONE[:count], NO_FEET[:count], 0.1, 4, 2.0 * count, END[:count], SPEED[:count])


class Deaf:
    """Never answers; whoever waits gives its jobs up."""

    period = 0.004

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        for job in jobs:
            done(job, lost(job, rehearsal, 0.004, "no answer in time"))


@pytest.fixture
def rehearsal(walk, uncertainty) -> Rehearsal:
    return walk.rehearsal(walk.asked("trot"), uncertainty)


def candidates(count: int) -> list[Candidate]:
    return [Candidate(i / count, 3.0 + 0.2 * i) for i in range(count)]


def decided(rehearsal: Rehearsal, executor: Dice | Deaf, count: int, settings: DecisionSettings = SETTINGS) -> Decision:
    return decide(executor, rehearsal, candidates(count), settings)


def test_the_configuration_is_readable_and_has_the_four_points_of_the_source() -> None:
    assert CONFIGURED.transition_points == (0.0, 0.25, 0.5, 0.75)
    assert (CONFIGURED.accept_at, CONFIGURED.confidence) == (0.9, 0.95)
    assert len(CONFIGURED.transition_points) * len(CONFIGURED.blend_cycles) == 8


def test_what_always_survives_is_accepted_and_the_reason_says_how_sure_that_is(rehearsal: Rehearsal) -> None:
    decision = decided(rehearsal, Dice([0.0, 1.0, 0.0, 0.0]), 4)
    assert decision.chosen == 1
    chosen = decision.scores[1]
    assert chosen.lower >= SETTINGS.accept_at
    assert sum(score.particles for score in decision.scores) == SETTINGS.fewest(4)
    assert chosen.particles == chosen.tried + SETTINGS.particles
    assert decision.reason == (
        f"trot at 25% of walk: {chosen.particles} of {chosen.particles} traces survive, success probability at least {chosen.lower:.2f} "
        "with 95% confidence (asked: 0.90)"
    )
    assert decision.particle_seconds == 2.0 * sum(score.particles for score in decision.scores)
    assert decision.offer is None


def test_what_never_survives_is_vetoed_after_a_second_look_with_the_reason(rehearsal: Rehearsal) -> None:
    dice = Dice([0.0] * 4)
    decision = decided(rehearsal, dice, 4)
    assert decision.chosen is None
    assert dice.asked[:2] == [[0, 1, 2, 3]] * 2
    assert decision.rounds == 2
    assert decision.reason.startswith("trot on dry ground is not vouched for: best known at 0% of walk, 0 of 2 traces survive")
    assert decision.reason.endswith("(asked: 0.90); ended by roll 2x, on average 0.5 s after the change")


def test_after_the_first_look_particles_go_where_they_decide(rehearsal: Rehearsal) -> None:
    dice = Dice([0.0, 1.0, 0.97, 0.1], seed=1)
    decision = decided(rehearsal, dice, 4)
    assert dice.asked[0] == [0, 1, 2, 3]
    assert all(set(asked) <= {1, 2} for asked in dice.asked[1:])
    assert decision.rounds == len(dice.asked) > 1
    for score, outcomes in zip(decision.scores, decision.outcomes, strict=True):
        assert outcomes.indices.tolist() == list(range(score.particles))


def test_answers_may_come_in_any_order(rehearsal: Rehearsal) -> None:
    class Fixed(Dice):
        def _traced(self, job: Job) -> Outcomes:
            self._random = np.random.default_rng([job.number, *job.indices])
            return super()._traced(job)

    forwards, backwards = (decided(rehearsal, Fixed([0.8, 0.85, 0.95, 0.2], backwards=turned), 4) for turned in (False, True))
    assert (forwards.scores, forwards.reason, forwards.chosen) == (backwards.scores, backwards.reason, backwards.chosen)


def test_progress_is_told_of_every_job(rehearsal: Rehearsal) -> None:
    told: list[tuple[float, int]] = []
    dice = Dice([1.0, 0.0], seed=3)

    def progress(score: Score) -> None:
        told.append((score.candidate.transition_point, score.particles))

    decision = decide(dice, rehearsal, candidates(2), SETTINGS, progress)
    assert told[:2] == [(0.0, 1), (0.5, 1)]
    assert len(told) == sum(len(asked) for asked in dice.asked)
    assert told[-1] == (0.0, decision.scores[0].particles)


def test_silence_is_failure(rehearsal: Rehearsal) -> None:
    decision = decided(rehearsal, Deaf(), 4)
    assert not decision.accepted
    assert all((score.survived, score.failed) == (0, 2) for score in decision.scores)
    assert "no answer in time 2x" in decision.reason


def test_a_veto_comes_with_what_could_be_done_instead(rehearsal: Rehearsal) -> None:
    class Slow(Dice):
        """Holds at half of the command, at the second change."""

        def run(
                self, asked: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
            ) -> None:
            slow = asked.snapshot.command[0] < 0.6 * rehearsal.snapshot.command[0]
            self.probabilities = [0.0, 1.0] if slow else [0.0, 0.0]
            super().run(asked, jobs, done)

    decision = decided(rehearsal, Slow([]), 2)
    assert not decision.accepted
    assert decision.offer is not None
    assert (decision.offer.command_factor, decision.offer.reason) == (0.5, "trot at 50% of the speed all of 16 traces survive")
    again = decide(
        Slow([]), rehearsal, candidates(2), SETTINGS, pace=AsRecorded(decision.admission, decision.rounds, decision.offers_tried)
    )
    assert (again.offer, again.particle_seconds, again.scores) == (decision.offer, decision.particle_seconds, decision.scores)


def test_no_decision_is_made_on_particles_that_are_not_independent(rehearsal: Rehearsal) -> None:
    sobol = replace(rehearsal, uncertainty=rehearsal.uncertainty.model_copy(update={"sampling": "sobol"}))
    with pytest.raises(ConfigurationError, match="sobol draws particles that are not independent"):
        decided(sobol, Dice([1.0]), 1)


def test_who_has_no_time_for_an_offer_does_not_look_for_one(rehearsal: Rehearsal) -> None:
    dice = Dice([0.0] * 4)
    settings = SETTINGS.model_copy(update={"offer_particles": 200})
    decision = decide(dice, rehearsal, candidates(4), settings, pace=Hurried(1.5, 100.0))
    assert (decision.accepted, decision.offers_tried, len(dice.asked)) == (False, 0, 2)


def test_who_is_out_of_time_vouches_for_nothing(rehearsal: Rehearsal) -> None:
    settings = SETTINGS.model_copy(update={"expected_rate": 1e6})

    class Late(Hurried):
        def goes_on(self, rounds: int) -> bool:
            return rounds < 1

    decision = decide(Dice([1.0] * 4), rehearsal, candidates(4), settings, pace=Late(100.0, 1e6))
    assert not decision.accepted
    assert decision.rounds == 1
    assert decision.reason.endswith("the time ran out before more was known")


def test_who_cannot_be_in_time_does_not_begin(rehearsal: Rehearsal) -> None:
    dice = Dice([1.0] * 4)
    decision = decide(dice, rehearsal, candidates(4), SETTINGS, pace=Hurried(0.3, 16.0))
    assert dice.asked == []
    assert not decision.accepted
    assert decision.reason.startswith("no verdict can be there in 0.3 s: it takes")
    assert np.isnan(decision.base_after(1.0)[0]).all()


def test_what_is_cut_to_the_time_there_is_is_said(rehearsal: Rehearsal) -> None:
    settings = SETTINGS.model_copy(update={"particles": 2})
    decision = decide(Dice([1.0] * 8), rehearsal, candidates(8), settings, pace=Hurried(2.5, 35.0))
    assert decision.accepted
    assert "cut to the time there is: first look with 1 of 2 particles, " in decision.reason
    assert any(score.particles == 0 for score in decision.scores)


def test_the_verdict_says_what_its_failures_have_in_common(rehearsal: Rehearsal) -> None:
    class Slippery(Dice):
        """Whoever has little friction falls."""

        def _traced(self, job: Job) -> Outcomes:
            outcomes = super()._traced(job)
            draws = np.random.default_rng([7, *job.indices]).random((len(job.indices), len(DRAW_NAMES)))
            bad = draws[:, DRAW_NAMES.index("friction")] < 0.3
            names = tuple("roll" if each else "" for each in bad)
            return replace(outcomes, verdict=np.where(bad, FAILED, SURVIVED), violated=names, draws=draws)

    settings = SETTINGS.model_copy(update={"particles": 40, "offer_factors": (), "offer_delay": 0.0})
    decision = decided(rehearsal, Slippery([1.0]), 1, settings)
    assert not decision.accepted
    assert len(decision.explanation) == 1
    assert re.match(r"(\d+) of \1 failures have friction under 0\.\d+; so have 0 of \d+ survivors", decision.explanation[0])

# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from surefoot.robot.locate import shared_directory
from surefoot.settings import read_settings
from surefoot.traces.decision import Decision, DecisionSettings, best_of, decide
from surefoot.traces.jobs import Job, lost
from surefoot.traces.outcome import FAILED, SURVIVED, Outcomes
from surefoot.traces.scoring import Score
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import Rehearsal

SETTINGS = DecisionSettings()
CONFIGURED = read_settings(DecisionSettings, shared_directory() / "config" / "decision.yaml")
NONE = np.zeros((4096, 2, 7), np.float32)
NO_FEET = np.zeros((4096, 2, 4), np.bool_)


class Dice:
    """Stands in for traces: each particle of a candidate survives with a known probability."""

    def __init__(self, probabilities: Sequence[float], seed: int = 0, backwards: bool = False) -> None:
        self.probabilities, self._backwards = probabilities, backwards
        self._random = np.random.default_rng(seed)
        self.asked: list[list[int]] = []

    def run(self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None]) -> None:
        self.asked.append([job.number for job in jobs])
        for job in reversed(jobs) if self._backwards else jobs:
            done(job, self._traced(job))

    def _traced(self, job: Job) -> Outcomes:
        count = len(job.indices)
        verdict = np.where(self._random.random(count) < self.probabilities[job.number], SURVIVED, FAILED)
        names = tuple("" if each == SURVIVED else "roll" for each in verdict)
        times = np.where(verdict == SURVIVED, np.nan, 0.9)
        return Outcomes(job.indices, verdict, names, times, NONE[:count], NO_FEET[:count], 0.1, 4, 2.0 * count)


class Deaf:
    """Never answers; whoever waits gives its jobs up."""

    def run(self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None]) -> None:
        for job in jobs:
            done(job, lost(job, rehearsal, 0.004, "no answer in time"))


@pytest.fixture
def rehearsal(walk, uncertainty) -> Rehearsal:
    return walk.rehearsal(walk.asked("trot"), uncertainty)


def candidates(count: int) -> list[Candidate]:
    return [Candidate(i / count, 3.0 + 0.2 * i) for i in range(count)]


def decided(rehearsal: Rehearsal, executor: Dice | Deaf, count: int, settings: DecisionSettings = SETTINGS) -> Decision:
    return decide(executor, rehearsal, candidates(count), settings)


def scored(survived: int, particles: int, spread: float, switch_time: float) -> Score:
    return Score(Candidate(0.0, switch_time), particles, survived, particles - survived, 0, 0.0, 1.0, (), float("nan"), spread)


def test_the_configuration_is_readable_and_has_the_four_points_of_the_source() -> None:
    assert CONFIGURED.transition_points == (0.0, 0.25, 0.5, 0.75)


def test_a_change_that_always_holds_is_accepted_after_one_round_of_the_configuration(rehearsal: Rehearsal) -> None:
    assert decided(rehearsal, Dice([1.0] * 4), 4, CONFIGURED).rounds == 1


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        # The table of the source: only the last point brings all four robots through.
        ([scored(0, 4, 0.1, 1.0), scored(0, 4, 0.1, 1.1), scored(0, 4, 0.1, 1.2), scored(4, 4, 0.5, 1.3)], 3),
        ([scored(15, 16, 0.1, 1.0), scored(16, 16, 0.9, 2.0)], 1),
        ([scored(16, 16, 0.30, 1.0), scored(16, 16, 0.20, 2.0), scored(16, 16, 0.25, 0.5)], 1),
        ([scored(16, 16, 0.2001, 2.0), scored(16, 16, 0.2002, 1.0)], 1),
        ([scored(16, 16, 0.2, 1.0), scored(16, 16, 0.2, 1.0)], 0),
        ([scored(47, 48, 0.2, 1.0), scored(14, 16, 0.1, 1.0)], 0),
    ],
)  # fmt: skip
def test_the_best_candidate(scores: list[Score], best: int) -> None:
    assert best_of(scores) == best


def test_what_always_survives_is_accepted_and_the_reason_says_how_sure_that_is(rehearsal: Rehearsal) -> None:
    decision = decided(rehearsal, Dice([0.0, 1.0, 0.3, 0.0]), 4)
    assert decision.accepted
    assert decision.chosen == 1
    chosen = decision.scores[1]
    assert chosen.lower >= SETTINGS.accept_at
    assert decision.reason == (
        f"trot at 25% of walk: {chosen.particles} of {chosen.particles} traces survive, success probability at least {chosen.lower:.2f} "
        "with 95% confidence (asked: 0.75)"
    )
    assert decision.particle_seconds == 2.0 * sum(score.particles for score in decision.scores)


def test_what_never_survives_is_vetoed_after_one_round_with_the_reason(rehearsal: Rehearsal) -> None:
    dice = Dice([0.0] * 4)
    decision = decided(rehearsal, dice, 4)
    assert not decision.accepted
    assert decision.chosen is None
    assert dice.asked == [[0, 1, 2, 3]]
    assert decision.reason.startswith("trot on dry ground is not vouched for: best at 0% of walk, 0 of 16 traces survive")
    assert decision.reason.endswith("(asked: 0.75); ended by roll 16x, on average 0.5 s after the change")


def test_only_contenders_get_more_particles(rehearsal: Rehearsal) -> None:
    dice = Dice([0.0, 1.0, 0.97, 0.1], seed=1)
    decision = decided(rehearsal, dice, 4)
    assert dice.asked[0] == [0, 1, 2, 3]
    assert all(asked == [1, 2] for asked in dice.asked[1:])
    assert decision.rounds == len(dice.asked) > 1
    assert [score.particles for score in decision.scores] == [16, 16 * decision.rounds, 16 * decision.rounds, 16]
    for score, outcomes in zip(decision.scores, decision.outcomes, strict=True):
        assert outcomes.indices.tolist() == list(range(score.particles))


def test_a_candidate_is_dropped_only_when_it_cannot_be_accepted_any_more(rehearsal: Rehearsal) -> None:
    """With one candidate and two rounds of ten at 0.6: 8 of 10 may still become 18 of 20, 5 of 10 may become 15 of 20 at best."""
    settings = DecisionSettings(particles=10, rounds=2, accept_at=0.6)
    for survivors, asked in ((8, 2), (5, 1)):
        dice = Dice([0.0])
        dice._traced = lambda job, n=survivors: replace(  # type: ignore[method-assign,misc]
            Dice([0.0])._traced(job), verdict=np.where(np.arange(10) < n, SURVIVED, FAILED)
        )
        decided(rehearsal, dice, 1, settings)
        assert len(dice.asked) == asked


def test_answers_may_come_in_any_order(rehearsal: Rehearsal) -> None:
    class Fixed(Dice):
        def _traced(self, job: Job) -> Outcomes:
            self._random = np.random.default_rng([job.number, *job.indices])
            return super()._traced(job)

    forwards, backwards = (decided(rehearsal, Fixed([0.8, 0.85, 0.9, 0.2], backwards=turned), 4) for turned in (False, True))
    assert (forwards.scores, forwards.reason, forwards.chosen) == (backwards.scores, backwards.reason, backwards.chosen)


def test_progress_is_told_after_each_round_of_a_candidate(rehearsal: Rehearsal) -> None:
    told: list[tuple[float, int]] = []
    dice = Dice([1.0, 0.0], seed=3)

    def progress(score: Score) -> None:
        told.append((score.candidate.transition_point, score.particles))

    decision = decide(dice, rehearsal, candidates(2), SETTINGS, progress)
    assert told[:2] == [(0.0, 16), (0.5, 16)]
    assert len(told) == sum(len(asked) for asked in dice.asked)
    assert told[-1] == (0.0, decision.scores[0].particles)


def test_silence_is_failure(rehearsal: Rehearsal) -> None:
    decision = decided(rehearsal, Deaf(), 4)
    assert not decision.accepted
    assert all((score.survived, score.failed) == (0, 16) for score in decision.scores)
    assert "no answer in time 16x" in decision.reason


@pytest.mark.parametrize("count", [1, 4])
def test_a_change_that_is_worse_than_asked_is_rarely_accepted(rehearsal: Rehearsal, count: int) -> None:
    """The worst case: every candidate just misses what was asked, and the luckiest one is looked at after each round."""
    problems = 2000
    just_below = [SETTINGS.accept_at - 1e-6] * count
    wrong = sum(decided(rehearsal, Dice(just_below, seed), count).accepted for seed in range(problems))
    # Three standard deviations of a rate of 5 %.
    assert wrong / problems <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / problems)


def test_a_change_that_always_holds_is_accepted_whatever_the_number_of_candidates(rehearsal: Rehearsal) -> None:
    for count in (1, 4, 8):
        assert decided(rehearsal, Dice([1.0] * count), count).accepted


def test_confidence_is_shared_among_candidates_and_looks() -> None:
    assert DecisionSettings(confidence=0.95, rounds=1).confidence_of_bounds(1) == pytest.approx(0.95)
    assert DecisionSettings(confidence=0.95, rounds=2).confidence_of_bounds(5) == pytest.approx(0.995)

# SPDX-License-Identifier: Apache-2.0
import os

import numpy as np
import pytest

from surefoot.traces.decision.confidence import fewest_to_accept
from surefoot.traces.decision.race import JOB, Race, Step, best_of, parts_of
from surefoot.traces.decision.scoring import Score, Trial
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate

SETTINGS = DecisionSettings()
PROBLEMS = int(os.environ.get("SUREFOOT_RANDOM_CASES", "400"))


def scored(survived: int, particles: int, spread: float, switch_time: float) -> Score:
    return Score(Candidate(0.0, switch_time), particles, survived, particles - survived, 0, 0.0, 1.0, (), float("nan"), spread)


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


def seen(race: Race, survived: int, particles: int, tried: tuple[int, int] = (0, 0), number: int = 0) -> Score:
    """The score of a candidate whose trial, if it has one, gave so many survivors of so many."""
    candidate = Candidate(0.0, 1.0 + 0.1 * number)
    return Score(candidate, particles, survived, particles - survived, 0, 0.0, 1.0, (), float("nan"), 0.2, 0, tried[1], tried[0])


def step_after(race: Race, *scores: tuple[int, int, tuple[int, int]]) -> Step | None:
    return race.next_step([seen(race, *score, number=number) for number, score in enumerate(scores)])


NOT_TRIED = (0, 0)


def test_the_first_look_is_at_everybody_with_the_same_particles() -> None:
    first = Race(SETTINGS, 8).first_look()
    assert [step.candidate for step in first] == list(range(8))
    assert all(step.indices.tolist() == list(range(SETTINGS.particles)) for step in first)


def test_whoever_runs_not_is_not_looked_at() -> None:
    assert [step.candidate for step in Race(SETTINGS, 8, (0, 3)).first_look()] == [0, 3]


@pytest.mark.parametrize("candidates", [1, 2, 3, 8])
def test_the_trial_and_all_others_together_make_no_more_errors_than_are_allowed(candidates: int) -> None:
    shared, trial = (1.0 - of(candidates) for of in (SETTINGS.confidence_of_bounds, SETTINGS.confidence_of_trial))
    assert candidates * shared + trial == pytest.approx(1.0 - SETTINGS.confidence)


def test_the_one_in_front_is_on_trial_with_particles_that_nobody_met() -> None:
    race, least = Race(SETTINGS, 2), SETTINGS.particles
    first = step_after(race, (1, 2, NOT_TRIED), (2, 2, NOT_TRIED))
    assert first is not None
    assert (first.candidate, first.indices[0]) == (1, least)
    assert (race.trial(0), race.trial(1)) == (None, Trial(least, SETTINGS.confidence_of_trial(2)))
    count = len(first.indices)
    assert first.indices.tolist() == list(range(2, 2 + count))
    assert 2 * least + count == SETTINGS.fewest(2)
    survivors = seen(race, 2 + count, 2 + count, (count, count))
    assert race.next_step([seen(race, 1, 2), survivors]) is None
    assert race.accepted([seen(race, 1, 2), survivors]) == 1
    # The same of somebody who is not on trial is too little, for he may be the luckiest of all.
    assert race.accepted([survivors, seen(race, 1, 2)]) is None


def test_more_than_two_workers_trace_at_once_is_traced_in_two_steps() -> None:
    settings = SETTINGS.model_copy(update={"accept_at": 0.95})
    race, least = Race(settings, 2), settings.particles
    first = step_after(race, (1, 2, NOT_TRIED), (2, 2, NOT_TRIED))
    assert first is not None
    half = len(first.indices)
    second = step_after(race, (1, 2, NOT_TRIED), (2 + half, 2 + half, (half, half)))
    assert second is not None
    assert second.indices.tolist() == list(range(2 + half, 2 + half + len(second.indices)))
    assert 2 * least + half + len(second.indices) == settings.fewest(2)


def test_whoever_is_not_on_trial_may_prove_itself_with_all_that_it_ever_did() -> None:
    race, enough = Race(SETTINGS, 2), fewest_to_accept(SETTINGS.accept_at, SETTINGS.confidence_of_bounds(2))
    assert step_after(race, (2, 2, NOT_TRIED), (2, 2, NOT_TRIED)).candidate == 0  # type: ignore[union-attr]
    bad = seen(race, 26, 32, (24, 30))
    other = race.next_step([bad, seen(race, 2, 2)])
    assert other is not None
    assert (other.candidate, race.trial(1)) == (1, None)
    assert race.accepted([bad, seen(race, enough - 1, enough - 1)]) is None
    assert race.accepted([bad, seen(race, enough, enough)]) == 1


def test_where_nobody_is_chosen_the_first_look_counts() -> None:
    race, fewest = Race(SETTINGS, 1), SETTINGS.fewest(1)
    assert race.accepted([seen(race, fewest, fewest)]) == 0
    assert race.accepted([seen(race, fewest - 1, fewest - 1)]) is None


def test_who_runs_alone_is_never_on_trial_and_a_failure_of_its_first_look_counts() -> None:
    race, fewest = Race(SETTINGS, 8, (3,)), SETTINGS.fewest(1)
    nobody = seen(race, 0, 0)
    failed = seen(race, fewest, fewest + 1, (fewest, fewest))
    scores = [nobody] * 3 + [seen(race, 1, 2)] + [nobody] * 4
    step = race.next_step(scores)
    assert step is not None
    assert (step.candidate, race.trial(3)) == (3, None)
    assert race.accepted([nobody] * 3 + [failed] + [nobody] * 4) is None


def test_one_failure_does_not_turn_the_race_but_some_do() -> None:
    race = Race(SETTINGS, 2)
    assert step_after(race, (31, 32, (29, 30)), (2, 2, NOT_TRIED)).candidate == 0  # type: ignore[union-attr]
    assert step_after(race, (26, 32, (24, 30)), (2, 2, NOT_TRIED)).candidate == 1  # type: ignore[union-attr]


def test_who_cannot_be_vouched_for_any_more_is_dropped() -> None:
    race = Race(SETTINGS, 2)
    assert step_after(race, (0, 4, NOT_TRIED), (0, 4, NOT_TRIED)) is None
    assert step_after(race, (4, 4, NOT_TRIED), (0, 4, NOT_TRIED)).candidate == 0  # type: ignore[union-attr]
    # As many as are left would not do, though all survived.
    small = Race(SETTINGS.model_copy(update={"most_particles": 50}), 2)
    assert step_after(small, (8, 10, NOT_TRIED), (8, 10, NOT_TRIED)) is None


def test_a_step_is_shared_among_workers_and_no_job_is_too_large() -> None:
    for count in (1, 7, 8, 25, 50, 100):
        parts = parts_of(Step(0, np.arange(3, 3 + count)))
        assert np.concatenate(parts).tolist() == list(range(3, 3 + count))
        assert max(len(part) for part in parts) <= JOB
        assert (len(parts) > 1) == (count >= JOB // 2)


def raced(probabilities: list[float], seed: int, each_luck: bool = True) -> bool:
    """Whether somebody is accepted, where each particle of a candidate survives with a known probability.

    Args:
        probabilities: of the candidates.
        seed: of the particles.
        each_luck: whether what a particle does with one candidate says nothing about what it does with the others; else everything.
    """
    race, count, first = Race(SETTINGS, len(probabilities)), len(probabilities), SETTINGS.particles
    shape = SETTINGS.most_particles, count if each_luck else 1
    survives = (np.random.default_rng(seed).random(shape) < np.array(probabilities)).cumsum(axis=0)
    met = [0] * count

    def scored_so_far(i: int) -> Score:
        n, survived = met[i], int(survives[met[i] - 1, i])
        of_trial = (0, 0) if race.trial(i) is None else (n - first, survived - int(survives[first - 1, i]))
        return Score(Candidate(0.0, i), n, survived, n - survived, 0, 0.0, 1.0, (), 0.0, 0.0, 0, *of_trial)

    step: Step | None
    for step in race.first_look():
        met[step.candidate] += len(step.indices)
    while (step := race.next_step([scored_so_far(i) for i in range(count)])) is not None:
        assert step.indices[0] == met[step.candidate]
        met[step.candidate] += len(step.indices)
    return race.accepted([scored_so_far(i) for i in range(count)]) is not None


@pytest.mark.parametrize(("count", "each_luck"), [(1, True), (4, True), (8, True), (8, False)])
def test_a_change_that_is_worse_than_asked_is_accepted_no_more_often_than_stated(count: int, each_luck: bool) -> None:
    """The worst case: every candidate just misses what was asked, and the luckiest one is looked at again and again."""
    just_below = [SETTINGS.accept_at - 1e-9] * count
    wrong = sum(raced(just_below, seed, each_luck) for seed in range(PROBLEMS))
    # Three standard deviations of a rate of 5 %.
    assert wrong / PROBLEMS <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / PROBLEMS)


@pytest.mark.parametrize("count", [1, 4, 8])
def test_a_change_that_nearly_always_holds_is_nearly_always_accepted(count: int) -> None:
    assert raced([1.0] * count, 0)
    assert sum(raced([0.98] * count, seed) for seed in range(200)) >= 180
    assert sum(raced([0.3] * (count - 1) + [0.98], seed) for seed in range(200)) >= 170


def test_what_is_said_of_a_veto_is_said_of_the_candidate_of_which_most_is_known() -> None:
    race = Race(SETTINGS, 3)
    # Hardly seen, the first is credited with more than the second has shown.
    scores = [seen(race, 0, 2), seen(race, 8, 21), seen(race, 1, 2)]
    assert race.leader(scores) == 2
    assert race.best_known(scores) == 1
    assert race.best_known([seen(race, 0, 2), seen(race, 2, 2), seen(race, 1, 2)]) == 1

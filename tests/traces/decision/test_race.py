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


def steps_after(race: Race, *scores: tuple[int, int, tuple[int, int]]) -> list[Step]:
    return race.next_steps([seen(race, *score, number=number) for number, score in enumerate(scores)])


def step_after(race: Race, *scores: tuple[int, int, tuple[int, int]]) -> Step:
    (step,) = steps_after(race, *scores)
    return step


def looks(steps: list[Step]) -> dict[int, list[int]]:
    return {step.candidate: step.indices.tolist() for step in steps}


NOT_TRIED = (0, 0)
NOBODY = (0, 0, NOT_TRIED)


def after_a_look(settings: DecisionSettings, candidates: int, *survived: int) -> tuple[Race, list[Step]]:
    """A race after its first look, and what comes next; whoever is not named survived."""
    race, count = Race(settings, candidates), settings.particles
    race.next_steps([seen(race, 0, 0)] * candidates)
    all_of_them = survived + (count,) * (candidates - len(survived))
    return race, steps_after(race, *((one, count, NOT_TRIED) for one in all_of_them))


def test_the_first_look_is_at_everybody_with_the_same_particles() -> None:
    race = Race(SETTINGS, 8)
    assert looks(steps_after(race, *[NOBODY] * 8)) == {i: list(range(SETTINGS.particles)) for i in range(8)}


def test_whoever_runs_not_is_not_looked_at() -> None:
    assert set(looks(steps_after(Race(SETTINGS, 8, (0, 3)), *[NOBODY] * 8))) == {0, 3}


@pytest.mark.parametrize("candidates", [1, 2, 3, 8])
def test_the_trial_and_all_others_together_make_no_more_errors_than_are_allowed(candidates: int) -> None:
    shared, trial = (1.0 - of(candidates) for of in (SETTINGS.confidence_of_bounds, SETTINGS.confidence_of_trial))
    assert candidates * shared + trial == pytest.approx(1.0 - SETTINGS.confidence)


def test_where_nobody_fails_one_look_is_enough() -> None:
    race, steps = after_a_look(SETTINGS, 8)
    assert [step.candidate for step in steps] == [0]
    assert race.trial(0) == Trial(SETTINGS.particles, SETTINGS.confidence_of_trial(8))


def test_as_long_as_somebody_fails_another_look_doubles_what_is_known_of_those_in_front() -> None:
    race, steps = after_a_look(SETTINGS, 4, 0)
    assert looks(steps) == {1: [1], 2: [1], 3: [1]}
    steps = steps_after(race, (0, 1, NOT_TRIED), (1, 2, NOT_TRIED), (2, 2, NOT_TRIED), (2, 2, NOT_TRIED))
    assert looks(steps) == {2: [2, 3], 3: [2, 3]}
    steps = steps_after(race, (0, 1, NOT_TRIED), (1, 2, NOT_TRIED), (4, 4, NOT_TRIED), (4, 4, NOT_TRIED))
    assert looks(steps) == {2: [4, 5, 6, 7], 3: [4, 5, 6, 7]}
    step = step_after(race, (0, 1, NOT_TRIED), (1, 2, NOT_TRIED), (8, 8, NOT_TRIED), (8, 8, NOT_TRIED))
    assert (step.candidate, step.indices[0]) == (2, 8)
    assert race.trial(2) == Trial(8, SETTINGS.confidence_of_trial(4))


def test_whoever_is_in_front_alone_is_looked_at_no_more() -> None:
    race, steps = after_a_look(SETTINGS, 3, 0, 1, 0)
    assert [step.candidate for step in steps] == [1]
    assert race.trial(1) is not None


def test_where_all_fail_all_are_looked_at_once_more_and_then_dropped() -> None:
    race, steps = after_a_look(SETTINGS, 3, 0, 0, 0)
    assert looks(steps) == {0: [1], 1: [1], 2: [1]}
    assert steps_after(race, *[(0, 2, NOT_TRIED)] * 3) == []


def test_looks_end_where_the_trial_has_to_begin() -> None:
    settings = SETTINGS.model_copy(update={"particles": 4, "trial_after": 6})
    race, steps = after_a_look(settings, 3, 3)
    assert looks(steps) == {1: [4, 5], 2: [4, 5]}
    step = step_after(race, (3, 4, NOT_TRIED), (5, 6, NOT_TRIED), (5, 6, NOT_TRIED))
    assert (step.candidate, race.trial(1)) == (1, Trial(6, settings.confidence_of_trial(3)))
    race, steps = after_a_look(settings.model_copy(update={"particles": 16}), 3, 3)
    assert len(steps) == 1


def test_the_one_in_front_is_on_trial_with_particles_that_nobody_met() -> None:
    race, steps = after_a_look(SETTINGS, 2, 0)
    (first,) = steps
    count = len(first.indices)
    assert (first.candidate, first.indices.tolist()) == (1, list(range(1, 1 + count)))
    assert (race.trial(0), race.trial(1)) == (None, Trial(1, SETTINGS.confidence_of_trial(2)))
    assert 2 + count == SETTINGS.fewest(2)
    survivors = seen(race, 1 + count, 1 + count, (count, count))
    assert race.next_steps([seen(race, 0, 1), survivors]) == []
    assert race.accepted([seen(race, 0, 1), survivors]) == 1
    # The same of somebody who is not on trial is too little, for he may be the luckiest of all.
    assert race.accepted([survivors, seen(race, 0, 1)]) is None


def test_particles_that_others_met_before_are_no_part_of_a_trial() -> None:
    """Those in front did worse at another look than somebody who was not looked at again."""
    settings = SETTINGS.model_copy(update={"particles": 4})
    race, steps = after_a_look(settings, 3, 3)
    assert looks(steps) == {1: [4, 5, 6, 7], 2: [4, 5, 6, 7]}
    step = step_after(race, (3, 4, NOT_TRIED), (5, 8, NOT_TRIED), (5, 8, NOT_TRIED))
    trial = race.trial(0)
    assert (step.candidate, step.indices[0], trial) == (0, 4, Trial(8, settings.confidence_of_trial(3)))
    # So many that those which count are enough.
    assert len(step.indices) - 4 == fewest_to_accept(settings.accept_at, settings.confidence_of_trial(3))


def test_equal_promises_of_unequal_counts_are_not_looked_at_together() -> None:
    """One of two and six of eight promise the same where nine of ten are asked for."""
    race, _ = after_a_look(SETTINGS, 4, 0)
    (step,) = steps_after(race, (6, 8, NOT_TRIED), (1, 2, NOT_TRIED), (5, 8, NOT_TRIED), (0, 1, NOT_TRIED))
    assert (step.candidate, race.trial(0)) == (0, Trial(8, SETTINGS.confidence_of_trial(4)))


def test_looks_leave_enough_for_a_trial() -> None:
    settings = SETTINGS.model_copy(update={"most_particles": SETTINGS.fewest(8)})
    _, (step,) = after_a_look(settings, 8, 0)
    assert (step.candidate, len(step.indices)) == (1, SETTINGS.fewest(8) - 8)
    for seed in range(100):
        few = {"most_particles": SETTINGS.fewest(5) + seed, "trial_after": 16}
        assert raced([1.0] * 4 + [0.5], seed, settings=SETTINGS.model_copy(update=few))[0]


def test_nobody_is_on_trial_who_could_not_end_it() -> None:
    settings = SETTINGS.model_copy(update={"particles": 4, "most_particles": 56})
    race, _ = after_a_look(settings, 3, 3)
    for step in steps_after(race, (3, 4, NOT_TRIED), (5, 8, NOT_TRIED), (5, 8, NOT_TRIED)):
        assert len(step.indices) > 0


def test_more_than_two_workers_trace_at_once_is_traced_in_two_steps() -> None:
    settings = SETTINGS.model_copy(update={"accept_at": 0.95})
    race, (first,) = after_a_look(settings, 2, 0)
    half = len(first.indices)
    second = step_after(race, (0, 1, NOT_TRIED), (1 + half, 1 + half, (half, half)))
    assert second.indices.tolist() == list(range(1 + half, 1 + half + len(second.indices)))
    assert 2 + half + len(second.indices) == settings.fewest(2)


def test_whoever_is_not_on_trial_may_prove_itself_with_all_that_it_ever_did() -> None:
    race, (first,) = after_a_look(SETTINGS, 2)
    enough = fewest_to_accept(SETTINGS.accept_at, SETTINGS.confidence_of_bounds(2))
    assert first.candidate == 0
    bad = seen(race, 26, 32, (25, 31))
    (other,) = race.next_steps([bad, seen(race, 1, 1)])
    assert (other.candidate, race.trial(1)) == (1, None)
    assert race.accepted([bad, seen(race, enough - 1, enough - 1)]) is None
    assert race.accepted([bad, seen(race, enough, enough)]) == 1


def test_where_nobody_is_chosen_all_particles_count() -> None:
    race, fewest = Race(SETTINGS, 1), SETTINGS.fewest(1)
    assert race.accepted([seen(race, fewest, fewest)]) == 0
    assert race.accepted([seen(race, fewest - 1, fewest - 1)]) is None


def test_who_runs_alone_is_never_looked_at_nor_on_trial_and_each_of_its_failures_counts() -> None:
    race, fewest = Race(SETTINGS, 8, (3,)), SETTINGS.fewest(1)
    scores = [seen(race, 0, 0)] * 8
    (step,) = race.next_steps(scores)
    assert (step.candidate, len(step.indices), race.trial(3)) == (3, fewest, None)
    scores[3] = seen(race, fewest, fewest + 1, (fewest, fewest))
    assert race.accepted(scores) is None


def test_one_failure_does_not_turn_the_race_but_some_do() -> None:
    race, _ = after_a_look(SETTINGS, 2)
    assert step_after(race, (31, 32, (30, 31)), (1, 1, NOT_TRIED)).candidate == 0
    assert step_after(race, (26, 32, (25, 31)), (1, 1, NOT_TRIED)).candidate == 1


def test_who_cannot_be_vouched_for_any_more_is_dropped() -> None:
    race, _ = after_a_look(SETTINGS, 2)
    assert steps_after(race, (0, 4, NOT_TRIED), (0, 4, NOT_TRIED)) == []
    assert step_after(race, (4, 4, NOT_TRIED), (0, 4, NOT_TRIED)).candidate == 0
    # As many as are left would not do, though all survived.
    small, _ = after_a_look(SETTINGS.model_copy(update={"most_particles": 50}), 2)
    assert steps_after(small, (9, 12, NOT_TRIED), (9, 12, NOT_TRIED)) == []


def test_a_step_is_shared_among_workers_and_no_job_is_too_large() -> None:
    for count in (1, 7, 8, 25, 50, 100):
        parts = parts_of(Step(0, np.arange(3, 3 + count)))
        assert np.concatenate(parts).tolist() == list(range(3, 3 + count))
        assert max(len(part) for part in parts) <= JOB
        assert (len(parts) > 1) == (count >= JOB // 2)


def raced(
    probabilities: list[float], seed: int, each_luck: bool = True, settings: DecisionSettings = SETTINGS
) -> tuple[bool, int]:
    """Whether somebody is accepted, after how many particles, where each particle of a candidate survives with a known probability.

    Args:
        probabilities: of the candidates.
        seed: of the particles.
        each_luck: whether what a particle does with one candidate says nothing about what it does with the others; else everything.
        settings: of the race.
    """
    race, count = Race(settings, len(probabilities)), len(probabilities)
    shape = settings.most_particles, count if each_luck else 1
    survives = np.random.default_rng(seed).random(shape) < np.array(probabilities)
    met = [0] * count

    def scored_so_far(i: int) -> Score:
        n, trial = met[i], race.trial(i)
        survived = int(survives[:n, i].sum())
        first = n if trial is None else min(n, trial.first)
        tried = (n - first, int(survives[first:n, i].sum()))
        return Score(Candidate(0.0, i), n, survived, n - survived, 0, 0.0, 1.0, (), 0.0, 0.0, 0, *tried)

    while steps := race.next_steps([scored_so_far(i) for i in range(count)]):
        for step in steps:
            assert len(step.indices) > 0
            assert step.indices[0] == met[step.candidate]
            met[step.candidate] += len(step.indices)
        on_trial = [trial for i in range(count) if (trial := race.trial(i)) is not None]
        assert all(0 < trial.first <= max(settings.particles, settings.trial_after) for trial in on_trial)
        assert sum(met) <= settings.most_particles
    return race.accepted([scored_so_far(i) for i in range(count)]) is not None, sum(met)


@pytest.mark.parametrize(
    ("count", "each_luck", "looks"),
    [
        (1, True, {}), (4, True, {}), (8, True, {}), (8, False, {}), (8, True, {"trial_after": 1}),
        (4, True, {"particles": 2, "trial_after": 32}),
    ],
)
def test_a_change_that_is_worse_than_asked_is_accepted_no_more_often_than_stated(
    count: int, each_luck: bool, looks: dict[str, int]
) -> None:
    """The worst case: every candidate just misses what was asked, and the luckiest one is looked at again and again."""
    just_below = [SETTINGS.accept_at - 1e-9] * count
    settings = SETTINGS.model_copy(update=looks)
    wrong = sum(raced(just_below, seed, each_luck, settings)[0] for seed in range(PROBLEMS))
    # Three standard deviations of a rate of 5 %.
    assert wrong / PROBLEMS <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / PROBLEMS)


@pytest.mark.parametrize("count", [1, 4, 8])
def test_a_change_that_nearly_always_holds_is_nearly_always_accepted(count: int) -> None:
    assert raced([1.0] * count, 0) == (True, SETTINGS.fewest(count))
    assert sum(raced([0.98] * count, seed)[0] for seed in range(200)) >= 180
    assert sum(raced([0.3] * (count - 1) + [0.98], seed)[0] for seed in range(200)) >= 170


def test_what_is_said_of_a_veto_is_said_of_the_candidate_of_which_most_is_known() -> None:
    race = Race(SETTINGS, 3)
    # Hardly seen, the first is credited with more than the second has shown.
    scores = [seen(race, 0, 2), seen(race, 8, 21), seen(race, 1, 2)]
    assert race.leader(scores) == 2
    assert race.best_known(scores) == 1
    assert race.best_known([seen(race, 0, 2), seen(race, 2, 2), seen(race, 1, 2)]) == 1

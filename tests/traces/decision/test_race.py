# SPDX-License-Identifier: Apache-2.0
import os

import numpy as np
import pytest

from surefoot.traces.decision.confidence import running_lower_bound, running_upper_bound
from surefoot.traces.decision.race import JOB, Race, Step, best_of, parts_of
from surefoot.traces.decision.scoring import Score
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


def seen(race: Race, survived: int, particles: int, number: int = 0) -> Score:
    low, high = (bound(survived, particles, race.confidence) for bound in (running_lower_bound, running_upper_bound))
    return Score(Candidate(0.0, 1.0 + 0.1 * number), particles, survived, particles - survived, 0, low, high, (), float("nan"), 0.2)


def steps(race: Race, *scores: tuple[int, int]) -> Step | None:
    return race.next_step([seen(race, *score, number) for number, score in enumerate(scores)])


def test_the_first_look_is_at_everybody_with_the_same_particles() -> None:
    first = Race(SETTINGS, 8).first_look()
    assert [step.candidate for step in first] == list(range(8))
    assert all(step.indices.tolist() == [0, 1, 2, 3] for step in first)


def test_whoever_runs_not_is_not_looked_at_and_does_not_share_the_error() -> None:
    race = Race(SETTINGS, 8, (0, 3))
    assert [step.candidate for step in race.first_look()] == [0, 3]
    assert race.confidence == pytest.approx(0.975)


def test_all_that_is_missing_goes_to_the_one_in_front_in_two_steps() -> None:
    race, fewest = Race(SETTINGS, 2), SETTINGS.fewest(2)
    first = steps(race, (3, 4), (4, 4))
    assert first is not None
    assert (first.candidate, first.indices[0]) == (1, 4)
    second = steps(race, (3, 4), (4 + len(first.indices), 4 + len(first.indices)))
    assert second is not None
    assert second.indices[-1] == fewest - 1
    assert steps(race, (3, 4), (fewest, fewest)) is None
    assert race.accepted([seen(race, 3, 4), seen(race, fewest, fewest)]) == 1


def test_one_failure_does_not_turn_the_race_but_some_do() -> None:
    race = Race(SETTINGS, 2)
    assert steps(race, (29, 30), (4, 4)).candidate == 0  # type: ignore[union-attr]
    assert steps(race, (26, 30), (4, 4)).candidate == 1  # type: ignore[union-attr]


def test_who_cannot_be_vouched_for_any_more_is_dropped() -> None:
    race = Race(SETTINGS, 2)
    assert steps(race, (0, 4), (0, 4)) is None
    assert steps(race, (4, 4), (0, 4)).candidate == 0  # type: ignore[union-attr]
    # As many as are left would not do, though all survived.
    small = Race(SETTINGS.model_copy(update={"most_particles": 60}), 2)
    assert steps(small, (8, 10), (8, 10)) is None


def test_a_step_is_shared_among_workers_and_no_job_is_too_large() -> None:
    for count in (1, 7, 8, 25, 50, 100):
        parts = parts_of(Step(0, np.arange(3, 3 + count)))
        assert np.concatenate(parts).tolist() == list(range(3, 3 + count))
        assert max(len(part) for part in parts) <= JOB
        assert (len(parts) > 1) == (count >= JOB // 2)


def raced(probabilities: list[float], seed: int) -> bool:
    """Whether somebody is accepted, where each particle of a candidate survives with a known probability."""
    random, race = np.random.default_rng(seed), Race(SETTINGS, len(probabilities))
    counts = np.zeros((len(probabilities), 2), int)

    def scores() -> list[Score]:
        return [Score(Candidate(0.0, i), int(n), int(s), int(n - s), 0, 0.0, 1.0, (), 0.0, 0.0) for i, (s, n) in enumerate(counts)]

    step: Step | None
    for step in race.first_look():
        counts[step.candidate] += int(random.binomial(len(step.indices), probabilities[step.candidate])), len(step.indices)
    while (step := race.next_step(scores())) is not None:
        counts[step.candidate] += int(random.binomial(len(step.indices), probabilities[step.candidate])), len(step.indices)
    return race.accepted(scores()) is not None


@pytest.mark.parametrize("count", [1, 4, 8])
def test_a_change_that_is_worse_than_asked_is_accepted_no_more_often_than_stated(count: int) -> None:
    """The worst case: every candidate just misses what was asked, and the luckiest one is looked at again and again."""
    just_below = [SETTINGS.accept_at - 1e-9] * count
    wrong = sum(raced(just_below, seed) for seed in range(PROBLEMS))
    # Three standard deviations of a rate of 5 %.
    assert wrong / PROBLEMS <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / PROBLEMS)


@pytest.mark.parametrize("count", [1, 4, 8])
def test_a_change_that_nearly_always_holds_is_nearly_always_accepted(count: int) -> None:
    assert raced([1.0] * count, 0)
    assert sum(raced([0.98] * count, seed) for seed in range(200)) >= 180
    assert sum(raced([0.3] * (count - 1) + [0.98], seed) for seed in range(200)) >= 170

# SPDX-License-Identifier: Apache-2.0
"""Rehearsals there and back, and verdicts that must not be acted on."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import Candidate as CandidateMessage
from surefoot_msgs.msg import CandidateScore, Verdict

from surefoot.errors import SensorError, UnknownNameError
from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.gait.records import PLANNER
from surefoot.nodes.conversions import rehearsal
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.terrain.belief import read_grounds
from surefoot.traces.decision.admission import needed_particle_seconds
from surefoot.traces.decision.confidence import running_lower_bound
from surefoot.traces.decision.decision import Decision, decide
from surefoot.traces.decision.offer import Offer
from surefoot.traces.decision.pace import Hurried, Unhurried
from surefoot.traces.decision.scoring import Score
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Job, lost
from surefoot.traces.outcome import SURVIVED, Outcomes
from surefoot.traces.snapshot import Candidate
from surefoot.traces.tracer import LEAD, Rehearsal

CANDIDATES = (Candidate(0.0, 6.0), Candidate(0.5, 6.5))


def trot(model: RobotModel) -> Gait:
    return gaits_of(model)["trot"]


def planner() -> np.ndarray:
    generator = np.random.default_rng(4)
    result = np.zeros(1, PLANNER)
    for name in PLANNER.names or ():
        shape = result[name].shape
        result[name] = generator.integers(0, 2, shape) if result[name].dtype.kind == "i" else generator.uniform(-1.0, 1.0, shape)
    result["contact_lost_since"][0, 1] = np.nan
    result["held_up_since"][0, 2] = np.nan
    return result


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 3, 1, 0)], ids=["as_sent", "shuffled"])
def test_the_planners_memory_comes_back_by_foot_name(hyq: RobotModel, order: tuple[int, ...]) -> None:
    sent = planner()
    message = rehearsal.message_of_planner(sent, "walk", np.array((0.3, 0.0, 0.1)), hyq.description)
    assert (message.gait, message.command.linear.x, message.command.angular.z) == ("walk", 0.3, 0.1)
    message.feet = [message.feet[place] for place in order]
    read = rehearsal.planner_of(message, hyq.description)
    for name in PLANNER.names or ():
        np.testing.assert_allclose(read[name], sent[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_a_memory_of_other_feet_is_refused(hyq: RobotModel) -> None:
    message = rehearsal.message_of_planner(planner(), "walk", np.zeros(3), hyq.description)
    message.feet = message.feet[:3]
    with pytest.raises(SensorError, match="foot names"):
        rehearsal.planner_of(message, hyq.description)


def test_the_ground_comes_back_and_an_impossible_one_is_refused() -> None:
    grounds = read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")
    for name in grounds.names:
        assert rehearsal.terrain_of(rehearsal.message_of_terrain(grounds[name], 0.1)) == grounds[name]
    message = rehearsal.message_of_terrain(grounds.usual, 0.1)
    assert (message.height, message.normal.z, message.header.frame_id) == (0.1, 1.0, "odom")
    message.friction_mean = -0.5
    with pytest.raises(ValidationError, match="friction_mean"):
        rehearsal.terrain_of(message)


def test_candidates_come_back() -> None:
    for candidate in (*CANDIDATES, Candidate(0.25, 7.0, 0.4, "walking_trot", 1.5)):
        assert rehearsal.candidate_of(rehearsal.message_of_candidate(candidate)) == candidate


def test_a_whole_snapshot_comes_back(hyq: RobotModel) -> None:
    grounds = read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")
    first, last = grounds.usual, grounds[grounds.names[-1]]
    goal = ScoreTransitions.Goal(
        planner_state=rehearsal.message_of_planner(planner(), "trot", np.array((0.3, -0.1, 0.2)), hyq.description),
        gait_from=message_of_gait(trot(hyq), hyq.description),
        gait_to=message_of_gait(trot(hyq), hyq.description),
        terrain=rehearsal.message_of_terrain(last, 0.0),
        terrain_here=rehearsal.message_of_terrain(first, 0.0),
        intermediates=[message_of_gait(trot(hyq).model_copy(update={"name": "on the way"}), hyq.description)],
        law="compiled_joint_pid",
        law_integral=np.arange(12.0),
        law_time=0.996,
    )
    still = RobotState(1.0, np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)), np.zeros(3), np.zeros(3), np.zeros(12), np.zeros(12))
    snapshot = rehearsal.snapshot_of(goal, still, hyq.description)
    assert snapshot.state is still
    assert (snapshot.gait_from, snapshot.gait_to, snapshot.terrain, snapshot.terrain_here) == (trot(hyq), trot(hyq), last, first)
    assert [gait.name for gait in snapshot.intermediates] == ["on the way"]
    assert snapshot.command.tolist() == [0.3, -0.1, 0.2]
    assert snapshot.law.name == "compiled_joint_pid"
    assert snapshot.law.memory["integral"].ravel().tolist() == list(range(12))
    assert snapshot.law.memory["last_time"] == 0.996
    goal.law = "guesswork"
    with pytest.raises(UnknownNameError, match=r"unknown compiled law 'guesswork'"):
        rehearsal.snapshot_of(goal, still, hyq.description)


SETTINGS = DecisionSettings(accept_at=0.75)


def decided(survived: int) -> Verdict:
    """The verdict of a rehearsal in which that many of 40 particles of the second candidate survive."""
    scores = tuple(
        Score(candidate, 40, count, 40 - count, 0, 0.02 * count, 1.0, (("joint range", 40 - count),), 0.7, 0.02)
        for candidate, count in zip(CANDIDATES, (3, survived), strict=True)
    )
    chosen = 1 if survived == 40 else None
    goal = ScoreTransitions.Goal(request_id=9, seed=7)
    goal.robot_state.header.stamp.sec = 5
    offer = None if chosen == 1 else Offer(0.5, "slower")
    admission = Unhurried().admit(CANDIDATES, SETTINGS)
    decision = Decision(chosen, scores, (), reason="because", rounds=1, particle_seconds=80.0, admission=admission, offer=offer)
    return rehearsal.message_of_decision(decision, goal, SETTINGS, 1.25, "decision.json")


def problem(verdict: Verdict, candidates: tuple[Candidate, ...] = CANDIDATES) -> str:
    return rehearsal.is_trustworthy(verdict, 9, candidates, SETTINGS)


def test_a_decision_becomes_a_verdict() -> None:
    verdict = decided(40)
    assert (verdict.request_id, verdict.accepted, verdict.chosen, verdict.reason, verdict.seed) == (9, True, 1, "because", 7)
    assert (verdict.particles_used, verdict.particle_seconds, verdict.wall_seconds, verdict.record) == (80, 80.0, 1.25, "decision.json")
    assert (verdict.header.stamp.sec, verdict.accept_at, verdict.confidence) == (5, 0.75, 0.95)
    score: CandidateScore = verdict.scores[0]
    assert (score.particles, score.survived, score.failed, score.violated, list(score.violated_count)) == (40, 3, 37, ["joint range"], [37])
    assert decided(39).chosen == -1


def test_a_sound_verdict_may_be_acted_on() -> None:
    assert problem(decided(40)) == ""
    assert problem(decided(39)) == ""


def test_a_refusal_vouches_for_nothing_and_may_be_acted_on() -> None:
    verdict = rehearsal.refusal(ScoreTransitions.Goal(request_id=9), "the enquiry cannot be rehearsed")
    assert (verdict.accepted, verdict.chosen, verdict.reason) == (False, -1, "the enquiry cannot be rehearsed")
    assert problem(verdict) == ""


def set_chosen(name: str, value: float) -> Callable[[Verdict], None]:
    return lambda verdict: setattr(verdict.scores[1], name, value)


def set_verdict(name: str, value: object) -> Callable[[Verdict], None]:
    return lambda verdict: setattr(verdict, name, value)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (set_verdict("request_id", 8), "answers request 8, not 9"),
        (set_verdict("chosen", -1), "accepts candidate -1 of 2"),
        (set_verdict("chosen", 2), "accepts candidate 2 of 2"),
        (lambda verdict: verdict.scores.pop(), "accepts candidate 1 of 2"),
        (set_chosen("score", math.nan), "not finite"),
        (set_chosen("lower_bound", math.nan), "not finite"),
        (set_chosen("upper_bound", math.inf), "not finite"),
        (set_chosen("candidate", CandidateMessage(transition_point=0.5, switch_time=math.nan)), "not finite"),
        (set_chosen("candidate", CandidateMessage(transition_point=0.5, switch_time=7.0)), "not the one that was asked"),
        (set_chosen("survived", 39), "do not add up to its 40 particles"),
        (set_chosen("particles", 41), "do not add up to its 41 particles"),
        (set_chosen("lower_bound", 0.7), "lower bound of 0.70"),
        (set_chosen("score", 0.76), "a score of 0.76"),
        (set_chosen("score", 1.01), "a score of 1.01"),
        (set_chosen("lower_bound", 0.95), "claims a lower bound of 0.95; 40 of 40 survivors among 2 candidates bear out 0.86"),
    ],
)
def test_a_verdict_that_does_not_bear_itself_out_is_refused(spoil: Callable[[Verdict], None], words: str) -> None:
    verdict = decided(40)
    spoil(verdict)
    assert words in problem(verdict)


ASKED = DecisionSettings()


Counts = tuple[int, int, int, int]
"""Of a candidate: particles, survivors, particles of its trial, survivors among them."""


def of_trial(counts: Counts, claimed: float, others: tuple[Counts, ...] = ((2, 1, 0, 0),)) -> str:
    """Why an acceptance of the first candidate with such a claim is not believed, where 0.9 was asked for; empty if it is."""
    candidates = [Candidate(0.1 * i, 6.0 + 0.1 * i) for i in range(1 + len(others))]
    scores = tuple(
        Score(candidate, n, survived, n - survived, 0, claimed, 1.0, (), math.nan, 0.02, 0, tried, tried_survived)
        for candidate, (n, survived, tried, tried_survived) in zip(candidates, (counts, *others), strict=True)
    )
    admission = Unhurried().admit(candidates, ASKED)
    decision = Decision(0, scores, (), reason="because", rounds=1, particle_seconds=80.0, admission=admission)
    verdict = rehearsal.message_of_decision(decision, ScoreTransitions.Goal(request_id=9), ASKED, 1.25, "")
    return rehearsal.is_trustworthy(verdict, 9, candidates, ASKED)


TRIAL = ASKED.fewest(2) - 2 * ASKED.particles
"""Particles with which a trial is won if all of them survive."""
LATE = TRIAL + ASKED.trial_after
"""All particles of one whose trial was won so and began as late as it may."""


def test_a_trial_bears_out_what_its_own_survivors_do() -> None:
    bound = running_lower_bound(TRIAL, TRIAL, ASKED.confidence_of_trial(2))
    assert bound > ASKED.accept_at
    assert of_trial((LATE, LATE, TRIAL, TRIAL), bound) == ""
    # What failed when it was looked at counts for nothing.
    assert of_trial((LATE, LATE - 1, TRIAL, TRIAL), bound) == ""
    assert of_trial((1 + TRIAL, 1 + TRIAL, TRIAL, TRIAL), bound) == ""
    # Who decides may look at more of them than was asked for.
    assert of_trial((30 + TRIAL, 30 + TRIAL, TRIAL, TRIAL), bound) == ""
    alone = ASKED.fewest(1)
    assert of_trial((alone, alone, 0, 0), ASKED.accept_at, ()) == ""


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((LATE, LATE - 2, TRIAL, TRIAL - 2), f"a lower bound of 0.90; {LATE - 2} of {LATE} survivors ({TRIAL - 2} of {TRIAL} in its"),
        ((TRIAL + 2, TRIAL, TRIAL, TRIAL - 2), "in its trial) among 2 candidates bear out 0.7"),
        ((TRIAL, TRIAL, 0, 0), f"claims a lower bound of 0.90; {TRIAL} of {TRIAL} survivors among 2 candidates bear out 0.8"),
        ((LATE, LATE, TRIAL, TRIAL + 1), f"candidate 0 has {TRIAL + 1} of {TRIAL} in its trial, of {LATE} particles"),
        ((LATE, LATE, LATE + 1, LATE + 1), f"candidate 0 has {LATE + 1} of {LATE + 1} in its trial, of {LATE} particles"),
        ((TRIAL + 2, TRIAL - 1, TRIAL, TRIAL), f"candidate 0 has {TRIAL} of {TRIAL} in its trial, but {TRIAL - 1} of {TRIAL + 2} in all"),
        ((LATE, LATE, TRIAL, TRIAL - 1), f"candidate 0 has {TRIAL - 1} of {TRIAL} in its trial, but {LATE} of {LATE} in all"),
        ((TRIAL, TRIAL, TRIAL, TRIAL), "candidate 0 was on trial before anybody was looked at"),
    ],
)
def test_a_trial_that_was_none_is_refused(counts: Counts, words: str) -> None:
    assert words in of_trial(counts, 0.902)


@pytest.mark.parametrize(
    ("others", "words"),
    [(((LATE, LATE, TRIAL, TRIAL),), "2 candidates on trial of 2 that raced"), ((), "1 candidates on trial of 1 that raced")],
)
def test_more_trials_than_there_can_be_are_refused(others: tuple[Counts, ...], words: str) -> None:
    assert words in of_trial((LATE, LATE, TRIAL, TRIAL), 0.902, others)


class Sure:
    """Stands in for traces: every particle survives."""

    period = 0.004

    def run(
        self, rehearsal: Rehearsal, jobs: Sequence[Job], done: Callable[[Job, Outcomes], None], patience: float | None = None
    ) -> None:
        for job in jobs:
            count = len(job.indices)
            done(job, replace(lost(job, rehearsal, self.period, ""), verdict=np.full(count, SURVIVED), violated=("",) * count))


@pytest.mark.parametrize("count", [1, 2, 8])
def test_an_acceptance_whose_first_look_was_cut_for_want_of_time_is_believed(hyq: RobotModel, count: int) -> None:
    asked = ASKED.model_copy(update={"particles": 4})
    rehearsed = walking_rehearsal(hyq, asked.horizon, 3, seconds=0.5)
    now = rehearsed.snapshot.state.time
    candidates = [Candidate(0.1 * i, now + 0.5 + 0.1 * i) for i in range(count)]
    least = needed_particle_seconds(candidates, asked.model_copy(update={"particles": 1}), LEAD)
    # Enough for a first look at one particle of each, and not at two.
    pace = Hurried(1000.0, 1.001 * least / 1000.0)
    decision = decide(Sure(), rehearsed, candidates, asked, pace=pace)
    assert decision.chosen == 0
    assert decision.admission.settings.particles == (4 if count == 1 else 1)
    assert sum(score.particles for score in decision.scores) == decision.admission.settings.fewest(count)
    assert decision.scores[0].tried == (0 if count == 1 else decision.scores[0].particles - 1)
    verdict = rehearsal.message_of_decision(decision, ScoreTransitions.Goal(request_id=9), asked, 1.25, "")
    assert (verdict.scores[0].tried, verdict.scores[0].tried_survived) == (decision.scores[0].tried, decision.scores[0].tried_survived)
    assert rehearsal.is_trustworthy(verdict, 9, candidates, asked) == ""


def test_no_particles_are_no_proof() -> None:
    verdict = decided(40)
    score = verdict.scores[1]
    score.particles = score.survived = score.failed = score.unfinished = 0
    assert "do not add up" in problem(verdict)


def test_what_was_asked_for_counts_not_what_the_verdict_says_was_asked() -> None:
    verdict = decided(40)
    verdict.scores[1].lower_bound, verdict.accept_at = 0.1, 0.0
    assert "asked was 0.75" in problem(verdict)


def test_a_counter_offer_goes_with_a_veto_and_is_heard_only_if_it_can_be_taken_up() -> None:
    verdict = decided(39)
    assert rehearsal.offer_of(verdict) == Offer(0.5, "slower")
    verdict.offer_command_factor, verdict.offer_intermediate = 1.0, "walking_trot"
    assert rehearsal.offer_of(verdict) == Offer(1.0, "slower", "walking_trot")
    verdict.offer_delay = 2.4
    assert rehearsal.offer_of(verdict) == Offer(1.0, "slower", "walking_trot", 2.4)
    for factor in (0.0, 1.01, -0.5, math.nan):
        verdict.offer_command_factor = factor
        assert rehearsal.offer_of(verdict) is None
    assert rehearsal.offer_of(decided(40)) is None

# SPDX-License-Identifier: Apache-2.0
"""Rehearsals there and back, and verdicts that must not be acted on."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from pydantic import ValidationError
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import Candidate as CandidateMessage
from surefoot_msgs.msg import CandidateScore, Verdict

from surefoot.errors import SensorError
from surefoot.gait.library import read_gaits
from surefoot.gait.parameters import Gait
from surefoot.gait.records import PLANNER
from surefoot.nodes.conversions import rehearsal
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.robot.state import RobotState
from surefoot.terrain.belief import read_grounds
from surefoot.traces.decision.decision import Decision
from surefoot.traces.decision.offer import Offer
from surefoot.traces.decision.pace import Unhurried
from surefoot.traces.decision.scoring import Score
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate

CANDIDATES = (Candidate(0.0, 6.0), Candidate(0.5, 6.5))


def trot(model: RobotModel) -> Gait:
    return read_gaits(shared_directory() / "config" / "gaits" / f"{model.description.gait_set}.yaml")["trot"]


def planner() -> np.ndarray:
    generator = np.random.default_rng(4)
    result = np.zeros(1, PLANNER)
    for name in PLANNER.names or ():
        shape = result[name].shape
        result[name] = generator.integers(0, 2, shape) if result[name].dtype.kind == "i" else generator.uniform(-1.0, 1.0, shape)
    result["contact_lost_since"][0, 1] = np.nan
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
    for candidate in CANDIDATES:
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
    )
    still = RobotState(1.0, np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)), np.zeros(3), np.zeros(3), np.zeros(12), np.zeros(12))
    snapshot = rehearsal.snapshot_of(goal, still, hyq.description)
    assert snapshot.state is still
    assert (snapshot.gait_from, snapshot.gait_to, snapshot.terrain, snapshot.terrain_here) == (trot(hyq), trot(hyq), last, first)
    assert snapshot.command.tolist() == [0.3, -0.1, 0.2]


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
        (set_chosen("lower_bound", 0.95), "claims a lower bound of 0.95; 40 of 40 survivors among 2 candidates bear out 0.90"),
    ],
)
def test_a_verdict_that_does_not_bear_itself_out_is_refused(spoil: Callable[[Verdict], None], words: str) -> None:
    verdict = decided(40)
    spoil(verdict)
    assert words in problem(verdict)


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
    for factor in (0.0, 1.0, -0.5, math.nan):
        verdict.offer_command_factor = factor
        assert rehearsal.offer_of(verdict) is None
    assert rehearsal.offer_of(decided(40)) is None

# SPDX-License-Identifier: Apache-2.0
"""Vouches for every change of gait without a rehearsal, where what is tried out is something else."""

from rclpy.action.server import ServerGoalHandle
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import CandidateScore, Verdict

PARTICLES = 400
"""That survive, of each candidate: enough for any bound that may be asked."""

ANYWHERE = 1e3
"""m: nothing was predicted."""


def vouch(handle: ServerGoalHandle) -> ScoreTransitions.Result:
    """The first candidate of a goal, as if all of its particles had survived."""
    goal = handle.request
    verdict = Verdict(
        request_id=goal.request_id, gait_from=goal.gait_from.name, gait_to=goal.gait_to.name, accepted=True, chosen=0,
        reason="vouched for without a rehearsal", accept_at=goal.accept_at, confidence=goal.confidence, seed=goal.seed,
    )  # fmt: skip
    verdict.header.stamp = goal.robot_state.header.stamp
    verdict.scores = [
        CandidateScore(candidate=candidate, score=1.0, lower_bound=goal.accept_at, upper_bound=1.0, particles=PARTICLES, survived=PARTICLES)
        for candidate in goal.candidates
    ]
    spread = verdict.predicted_base_deviation
    spread.x = spread.y = spread.z = ANYWHERE
    handle.succeed()
    return ScoreTransitions.Result(verdict=verdict)

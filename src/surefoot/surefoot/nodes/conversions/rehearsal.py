# SPDX-License-Identifier: Apache-2.0
"""Rehearsals and verdicts as messages and back."""

import math
from collections.abc import Sequence

import numpy as np
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import Candidate as CandidateMessage
from surefoot_msgs.msg import CandidateScore, FootPlanState, PlannerState, Verdict
from surefoot_msgs.msg import TerrainBelief as TerrainMessage

from surefoot.errors import UnknownNameError
from surefoot.gait.records import PLANNER
from surefoot.locomotion.laws import COMPILED_LAWS, LawState, law_memory
from surefoot.nodes.conversions.common import ODOM, Order, array_of, point_of, quaternion_of, stamp_of, vector_of
from surefoot.nodes.conversions.gait import gait_of
from surefoot.robot.description import RobotDescription
from surefoot.robot.state import RobotState
from surefoot.rotation import quaternion_from_roll_pitch_yaw, roll_pitch_yaw
from surefoot.terrain.belief import TerrainBelief
from surefoot.traces.decision.confidence import running_lower_bound
from surefoot.traces.decision.decision import Decision
from surefoot.traces.decision.offer import Offer
from surefoot.traces.decision.scoring import Score
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.snapshot import Candidate, Snapshot


def message_of_planner(planner: np.ndarray, gait: str, command: np.ndarray, description: RobotDescription) -> PlannerState:
    """The message of the planner's memory.

    Args:
        planner: array of one PLANNER record.
        gait: name of the gait in force.
        command: wanted forward and left speed, m/s, and turn rate, rad/s, (3,).
        description: names.
    """
    record = planner[0]
    message = PlannerState(time=float(record["time"]), phase=float(record["phase"]), gait=gait)
    message.header.stamp, message.header.frame_id = stamp_of(record["time"]), ODOM
    for twist, values in ((message.command, command), (message.command_limited, record["command"])):
        twist.linear.x, twist.linear.y, twist.angular.z = (float(value) for value in values)
    message.base_reference.position = point_of(record["reference_position"])
    roll, pitch = record["reference_tilt"]
    message.base_reference.orientation = quaternion_of(quaternion_from_roll_pitch_yaw(roll, pitch, record["reference_yaw"]))
    message.posture, message.reference_twist = record["posture"], float(record["reference_twist"])
    message.base_yaw = float(record["base_yaw"])
    message.ground_height, message.ground_slope = float(record["ground_height"]), record["ground_slope"]
    message.fault = int(record["fault"])
    message.feet = [message_of_foot(record, leg, name) for leg, name in enumerate(description.foot_names)]
    return message


def message_of_foot(record: np.void, leg: int, name: str) -> FootPlanState:
    """The message of the planner's memory of one foot: PLANNER record, index of the leg, name of the foot."""
    return FootPlanState(
        name=name,
        mode=int(record["mode"][leg]),
        mode_since=float(record["mode_since"][leg]),
        contact_lost_since=float(record["contact_lost_since"][leg]),
        held_up_since=float(record["held_up_since"][leg]),
        swing_begun=bool(record["swung"][leg]),
        anchor=point_of(record["anchor"][leg]),
        hold_position=point_of(record["hold_position"][leg]),
        knot_time=record["knot_time"][leg],
        knot_position=[point_of(knot) for knot in record["knot_position"][leg]],
        knot_velocity=[vector_of(knot) for knot in record["knot_velocity"][leg]],
        swing_command=record["swing_command"][leg],
    )


def planner_of(message: PlannerState, description: RobotDescription) -> np.ndarray:
    """An array of one PLANNER record.

    Raises:
        SensorError: the feet are not those of the robot.
    """
    result = np.zeros(1, PLANNER)
    record = result[0]
    record["time"], record["phase"], record["fault"] = message.time, message.phase, message.fault
    limited = message.command_limited
    record["command"] = limited.linear.x, limited.linear.y, limited.angular.z
    record["reference_position"] = array_of(message.base_reference.position)
    q = message.base_reference.orientation
    roll, pitch, yaw = roll_pitch_yaw(np.array((q.x, q.y, q.z, q.w)))
    record["reference_tilt"], record["reference_yaw"], record["ground_height"] = (roll, pitch), yaw, message.ground_height
    record["posture"], record["reference_twist"], record["base_yaw"] = message.posture, message.reference_twist, message.base_yaw
    record["ground_slope"] = message.ground_slope
    for i, place in enumerate(Order("foot", description.foot_names).places([foot.name for foot in message.feet])):
        foot = message.feet[place]
        record["mode"][i], record["mode_since"][i] = foot.mode, foot.mode_since
        record["contact_lost_since"][i], record["held_up_since"][i] = foot.contact_lost_since, foot.held_up_since
        record["swung"][i] = foot.swing_begun
        record["anchor"][i], record["hold_position"][i] = array_of(foot.anchor), array_of(foot.hold_position)
        record["knot_time"][i], record["swing_command"][i] = foot.knot_time, foot.swing_command
        record["knot_position"][i] = [array_of(knot) for knot in foot.knot_position]
        record["knot_velocity"][i] = [array_of(knot) for knot in foot.knot_velocity]
    return result


def message_of_terrain(belief: TerrainBelief, height: float) -> TerrainMessage:
    """The message of a belief about the ground; height in odom, m."""
    message = TerrainMessage(
        name=belief.name,
        friction_mean=belief.friction_mean,
        friction_standard_deviation=belief.friction_standard_deviation,
        friction_minimum=belief.friction_minimum,
        friction_maximum=belief.friction_maximum,
        height=height,
    )
    message.header.frame_id, message.normal.z = ODOM, 1.0
    return message


def terrain_of(message: TerrainMessage) -> TerrainBelief:
    """The belief of a message. Raises pydantic.ValidationError where it is out of range."""
    return TerrainBelief(
        name=message.name,
        friction_mean=message.friction_mean,
        friction_standard_deviation=message.friction_standard_deviation,
        friction_minimum=message.friction_minimum,
        friction_maximum=message.friction_maximum,
    )


def message_of_candidate(candidate: Candidate) -> CandidateMessage:
    """The message of a candidate."""
    return CandidateMessage(
        transition_point=candidate.transition_point,
        switch_time=candidate.switch_time,
        blend_time=candidate.blend_time,
        intermediate=candidate.intermediate,
        intermediate_time=candidate.intermediate_time,
    )


def candidate_of(message: CandidateMessage) -> Candidate:
    """The candidate of a message."""
    return Candidate(message.transition_point, message.switch_time, message.blend_time, message.intermediate, message.intermediate_time)


def message_of_score(score: Score) -> CandidateScore:
    """The message of a score."""
    return CandidateScore(
        candidate=message_of_candidate(score.candidate),
        particles=score.particles,
        survived=score.survived,
        failed=score.failed,
        unfinished=score.unfinished,
        inconsistent=score.inconsistent,
        tried=score.tried,
        tried_survived=score.tried_survived,
        score=score.success_rate,
        lower_bound=score.lower,
        upper_bound=score.upper,
        violated=[name for name, _ in score.violated],
        violated_count=[count for _, count in score.violated],
        mean_failure_time=score.mean_failure_time,
        final_spread=score.final_spread,
    )


def message_of_decision(
    decision: Decision, goal: ScoreTransitions.Goal, settings: DecisionSettings, wall_seconds: float, record: str
) -> Verdict:
    """The verdict on a goal."""
    message = Verdict(
        request_id=goal.request_id,
        gait_from=goal.gait_from.name,
        gait_to=goal.gait_to.name,
        accepted=decision.accepted,
        chosen=-1 if decision.chosen is None else decision.chosen,
        scores=[message_of_score(score) for score in decision.scores],
        reason=decision.reason,
        explanation=list(decision.explanation),
        offer="" if decision.offer is None else decision.offer.reason,
        offer_command_factor=0.0 if decision.offer is None else decision.offer.command_factor,
        offer_intermediate="" if decision.offer is None else decision.offer.intermediate,
        offer_delay=0.0 if decision.offer is None else decision.offer.delay,
        accept_at=settings.accept_at,
        confidence=settings.confidence,
        seed=goal.seed,
        particles_used=sum(score.particles for score in decision.scores),
        particle_seconds=decision.particle_seconds,
        wall_seconds=wall_seconds,
        record=record,
    )
    message.header.stamp = goal.robot_state.header.stamp
    return message


def offer_of(verdict: Verdict) -> Offer | None:
    """The counter-offer of a verdict; None where there is none, or none that could be taken up."""
    if verdict.accepted or not verdict.offer or not (0.0 < verdict.offer_command_factor <= 1.0 and verdict.offer_delay >= 0.0):
        return None
    return Offer(verdict.offer_command_factor, verdict.offer, verdict.offer_intermediate, verdict.offer_delay)


def refusal(goal: ScoreTransitions.Goal, reason: str) -> Verdict:
    """A verdict that vouches for nothing."""
    message = Verdict(request_id=goal.request_id, gait_from=goal.gait_from.name, gait_to=goal.gait_to.name, chosen=-1, reason=reason)
    message.header.stamp = goal.robot_state.header.stamp
    return message


def is_trustworthy(verdict: Verdict, request_id: int, candidates: Sequence[Candidate], settings: DecisionSettings) -> str:
    """Why a verdict must not be acted on; empty if it may. What is accepted must carry numbers that bear it out.

    Args:
        verdict: as it came.
        request_id: of the request that was made.
        candidates: that were to be rehearsed, in their order.
        settings: how it was to be decided.
    """
    if verdict.request_id != request_id:
        return f"the verdict answers request {verdict.request_id}, not {request_id}"
    if not verdict.accepted:
        return ""
    if not 0 <= verdict.chosen < min(len(candidates), len(verdict.scores)):
        return f"the verdict accepts candidate {verdict.chosen} of {len(candidates)}"
    chosen = verdict.scores[verdict.chosen]
    way = chosen.candidate
    numbers = (chosen.score, chosen.lower_bound, chosen.upper_bound, way.switch_time, way.blend_time, way.intermediate_time)
    if not all(math.isfinite(value) for value in numbers):
        return "the verdict carries a number that is not finite"
    if candidate_of(chosen.candidate) != candidates[verdict.chosen]:
        return f"the verdict's candidate {verdict.chosen} is not the one that was asked about"
    if chosen.survived + chosen.failed + chosen.unfinished + chosen.inconsistent != chosen.particles or chosen.particles == 0:
        return f"the verdict's counts do not add up to its {chosen.particles} particles"
    if not settings.accept_at <= chosen.lower_bound <= chosen.score <= 1.0:
        bound, score = chosen.lower_bound, chosen.score
        return f"the verdict accepts with a lower bound of {bound:.2f} and a score of {score:.2f}; asked was {settings.accept_at:.2f}"
    prediction = (*array_of(verdict.predicted_base_position), *array_of(verdict.predicted_base_deviation))
    if not all(math.isfinite(value) for value in prediction):
        return "the verdict's prediction of the base is not finite"
    raced = sum(score.particles > 0 for score in verdict.scores)
    if len(verdict.scores) != len(candidates) or raced not in _halvings(len(candidates)):
        return f"the verdict scores {raced} of {len(verdict.scores)} candidates; {len(candidates)} were asked about"
    if problem := _problem_of_trials(verdict.scores, raced):
        return problem
    borne_out = running_lower_bound(chosen.survived, chosen.particles, settings.confidence_of_bounds(raced))
    count = f"{chosen.survived} of {chosen.particles} survivors"
    if chosen.tried > 0:
        of_trial = running_lower_bound(chosen.tried_survived, chosen.tried, settings.confidence_of_trial(raced))
        borne_out, count = max(borne_out, of_trial), f"{count} ({chosen.tried_survived} of {chosen.tried} in its trial)"
    if chosen.lower_bound > borne_out + 1e-6:
        return f"the verdict claims a lower bound of {chosen.lower_bound:.2f}; {count} among {raced} candidates bear out {borne_out:.2f}"
    return ""


def _problem_of_trials(scores: Sequence[CandidateScore], raced: int) -> str:
    """Why what scores say of trials cannot be true; empty if it can."""
    on_trial = [number for number, score in enumerate(scores) if score.tried > 0]
    if len(on_trial) > (1 if raced > 1 else 0):
        return f"the verdict has {len(on_trial)} candidates on trial of {raced} that raced; at most one is, and none that races alone"
    for number, score in enumerate(scores):
        trial = f"{score.tried_survived} of {score.tried} in its trial"
        if not score.tried_survived <= score.tried <= score.particles:
            return f"the verdict's candidate {number} has {trial}, of {score.particles} particles"
        failures, tried_failures = score.particles - score.survived, score.tried - score.tried_survived
        if score.tried_survived > score.survived or tried_failures > failures:
            return f"the verdict's candidate {number} has {trial}, but {score.survived} of {score.particles} in all"
        if score.tried == score.particles > 0:
            return f"the verdict's candidate {number} was on trial before anybody was looked at"
    return ""


def _halvings(count: int) -> set[int]:
    """How many of so many candidates may have raced: all, or what is left when they are halved for want of time."""
    left = {count}
    while count > 1:
        count = (count + 1) // 2
        left.add(count)
    return left


def law_of(goal: ScoreTransitions.Goal) -> LawState:
    """The law of a goal with what it remembers.

    Raises:
        UnknownNameError: there is no such law.
    """
    if goal.law not in COMPILED_LAWS:
        raise UnknownNameError("compiled law", goal.law, COMPILED_LAWS)
    memory = law_memory(1)
    memory["integral"], memory["last_time"] = goal.law_integral.reshape(4, 3), goal.law_time
    return LawState(goal.law, memory)


def snapshot_of(goal: ScoreTransitions.Goal, state: RobotState, description: RobotDescription) -> Snapshot:
    """The snapshot of a goal, its state already read.

    Raises:
        SensorError: feet are not those of the robot.
        ConfigurationError: a gait is out of range.
        UnknownNameError: there is no such law.
        pydantic.ValidationError: the terrain is out of range.
    """
    command = goal.planner_state.command
    return Snapshot(
        state=state,
        planner=planner_of(goal.planner_state, description),
        gait_from=gait_of(goal.gait_from, description),
        gait_to=gait_of(goal.gait_to, description),
        command=np.array((command.linear.x, command.linear.y, command.angular.z)),
        terrain=terrain_of(goal.terrain),
        terrain_here=terrain_of(goal.terrain_here),
        law=law_of(goal),
        intermediates=tuple(gait_of(gait, description) for gait in goal.intermediates),
    )

# SPDX-License-Identifier: Apache-2.0
"""A gait that somebody made and the robot cannot do: the particle traces refuse it with its limit, and go on answering."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rclpy.action import ActionClient
from surefoot_msgs.action import ScoreTransitions

from surefoot.gait.of_robot import gaits_of
from surefoot.gait.parameters import Gait
from surefoot.gait.settings import PlannerSettings
from surefoot.locomotion.policy import Planning
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.nodes.conversions.rehearsal import message_of_candidate, message_of_planner, message_of_terrain
from surefoot.nodes.conversions.state import message_of_state
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import read_grounds
from surefoot.traces.snapshot import Candidate

pytestmark = pytest.mark.timeout(240)


def goal(hyq: RobotModel, gait: Gait) -> ScoreTransitions.Goal:
    """From the stand to a gait, with one short trace."""
    state, description, gaits = hyq.neutral(), hyq.description, gaits_of(hyq)
    planning = Planning(hyq, gaits, PlannerSettings())
    planning.start(state)
    ground = message_of_terrain(read_grounds(shared_directory() / "config" / "terrain" / "grounds.yaml")["dry"], 0.0)
    return ScoreTransitions.Goal(
        request_id=1,
        robot_state=message_of_state(state, description, np.zeros((4, 3)), np.zeros((4, 3))),
        planner_state=message_of_planner(planning.planner, "stand", np.zeros(3), description),
        gait_from=message_of_gait(gaits["stand"], description),
        gait_to=message_of_gait(gait, description),
        terrain=ground,
        terrain_here=ground,
        law="compiled",
        candidates=[message_of_candidate(Candidate(0.0, state.time + 0.1))],
        particles=1, horizon=0.2, accept_at=0.75, confidence=0.95, latency=0.1,
    )  # fmt: skip


def test_what_the_robot_cannot_do_is_refused_and_what_it_can_is_rehearsed(
    graph: Any, ear: Any, hyq: RobotModel, wait_until: Callable[..., Any]
) -> None:
    node = graph.node("particle_trace", workers=1)
    client = ActionClient(ear.node, ScoreTransitions, "/score_transitions")
    wait_until(client.server_is_ready, lambda: node.output)

    def verdict(gait: Gait) -> Any:
        sent = client.send_goal_async(goal(hyq, gait))
        wait_until(sent.done, lambda: node.output)
        answered = sent.result().get_result_async()
        wait_until(answered.done, lambda: node.output)
        return answered.result().result.verdict

    trot = gaits_of(hyq)["trot"].model_copy(update={"name": "mine"})
    refused = verdict(trot.model_copy(update={"stance_length": 3.0}))
    assert not refused.accepted
    assert "the enquiry cannot be rehearsed: gait 'mine'" in refused.reason
    assert "0.765 m or its joint limits do not allow that" in refused.reason
    rehearsed = verdict(trot)
    assert [score.particles for score in rehearsed.scores] >= [1]
    assert "cannot" not in rehearsed.reason

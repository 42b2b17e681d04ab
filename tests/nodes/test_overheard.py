# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import SensorError
from surefoot.evaluation.bench.rehearsal import walking_rehearsal
from surefoot.evaluation.closed_loop import planner_settings
from surefoot.nodes.conversions.traces import candidate_shown, message_of_traces, traces_shown
from surefoot.nodes.overheard import Overheard
from surefoot.robot.model import RobotModel
from surefoot.traces.decision.decision import decide
from surefoot.traces.decision.offer import is_of_offer
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.jobs import Job, LocalExecutor
from surefoot.traces.outcome import Outcomes
from surefoot.traces.snapshot import transition_candidates
from surefoot.traces.tracer import Rehearsal, Tracer

SETTINGS = DecisionSettings(
    particles=2, most_particles=12, accept_at=0.5, confidence=0.6, horizon=0.3, shortest_horizon=0.3, blend_cycles=(0.0,), latency=0.1
)


def test_who_listens_hears_every_trace_and_changes_nothing(hyq: RobotModel) -> None:
    rehearsal = walking_rehearsal(hyq, SETTINGS.horizon, 3, seconds=1.0)
    snapshot = rehearsal.snapshot
    candidates = transition_candidates(snapshot.state.time, float(snapshot.planner["phase"][0]), snapshot.gait_from, (0.0, 0.5), 0.1)
    executor = LocalExecutor(Tracer(hyq, planner_settings(), 4))
    heard = []

    def hear(rehearsal: Rehearsal, job: Job, outcomes: Outcomes) -> None:
        heard.append(message_of_traces(5, rehearsal, job, outcomes, is_of_offer(job, SETTINGS)))

    listening = Overheard(executor, hear)
    decision = decide(listening, rehearsal, candidates, SETTINGS)
    alone = decide(executor, rehearsal, candidates, SETTINGS)
    assert (decision.chosen, decision.reason, decision.history) == (alone.chosen, alone.reason, alone.history)

    asked = [message for message in heard if not message.offer]
    assert sum(len(message.outcome) for message in asked) == sum(score.particles for score in decision.scores)
    about = {(message.request_id, message.gait_from, message.gait_to, message.header.frame_id) for message in heard}
    assert about == {(5, "walk", "trot", "odom")}
    for message in asked:
        shown = traces_shown(message)
        assert candidate_shown(message).way.transition_point == candidates[message.number].transition_point
        outcomes = decision.outcomes[message.number]
        for trace in shown:
            # They begin around the snapshot, as far as the estimate is not sure.
            assert trace.points[0] == pytest.approx(snapshot.state.base_position, abs=0.05)
        assert {trace.outcome for trace in shown} <= set(outcomes.verdict.tolist())


def test_lists_that_do_not_belong_together_are_refused() -> None:
    from surefoot_msgs.msg import Traces

    message = Traces(request_id=3, outcome=[0, 1], violated=["", "tilt"], length=[1, 2], points=[0.0] * 9, period=0.05)
    assert [len(trace.points) for trace in traces_shown(message)] == [1, 2]
    for spoilt in ({"length": [1, 3]}, {"violated": [""]}, {"points": [0.0] * 8}, {"period": float("nan")}):
        values = {"request_id": 3, "outcome": [0, 1], "violated": ["", "tilt"], "length": [1, 2], "points": [0.0] * 9, "period": 0.05}
        with pytest.raises(SensorError, match="request 3"):
            traces_shown(Traces(**(values | spoilt)))

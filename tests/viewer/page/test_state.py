# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

from surefoot.errors import SensorError
from surefoot.viewer.page.rehearsal import RehearsalShown, VerdictShown
from surefoot.viewer.page.state import MOST_NODES, ModeShown, NodeHealth, PageState, PlanShown, RobotShown
from surefoot.viewer.page.words import panel


def state_of(standing: RobotShown, planned: PlanShown) -> PageState:
    state = PageState(effort_limit=np.full(12, 150.0))
    state.plan = planned
    state.take_robot(standing)
    return state


def test_contacts_are_kept_thinned_out_for_some_seconds(standing: RobotShown, planned: PlanShown) -> None:
    state = state_of(standing, planned)
    for time in np.arange(10.0, 30.0, 0.004):
        state.take_robot(replace(standing, time=float(time)))
    columns = state.contacts.columns()
    assert 200 < len(columns["time"]) <= 301
    assert columns["time"][0] >= 30.0 - 6.05
    assert set(columns["planned"]) == {0b1101}
    assert set(columns["sensed"]) == {0b1101}


def test_a_robot_that_starts_again_is_another_robot(standing: RobotShown, planned: PlanShown, rehearsed: RehearsalShown) -> None:
    state = state_of(standing, planned)
    state.take_rehearsal(rehearsed)
    state.complain("something")
    state.take_robot(replace(standing, time=0.5))
    assert state.rehearsal is None
    assert state.faults == []
    assert state.contacts.columns()["time"] == [0.5]


def test_faults_refusals_and_complaints_are_told_once(standing: RobotShown, planned: PlanShown) -> None:
    state = state_of(standing, planned)
    for _ in range(3):
        state.take_mode(ModeShown("FAULT", "joint lf_haa is too hot", 9.0, "stand: a gate is open"))
        state.take_health("teleop", NodeHealth({}, "pad is late", 1.0))
    told = [words for _, words in state.faults]
    assert told == ["teleop: pad is late", "refused: stand: a gate is open", "fault: joint lf_haa is too hot"]


def test_a_fault_of_the_planner_is_shown_while_it_lasts_and_remembered(standing: RobotShown, planned: PlanShown) -> None:
    state = PageState(effort_limit=np.full(12, 150.0))
    state.take_robot(standing, 0.0)
    for _ in range(3):
        state.take_plan(replace(planned, fault="RF found no ground"))
    told = panel(state, 0.1)
    assert (told["bad"], told["why"], len(told["faults"])) == (True, "RF found no ground; ", 1)
    state.take_plan(planned)
    told = panel(state, 0.1)
    assert (told["bad"], told["why"]) == (False, "")
    assert told["faults"][0]["words"] == "gait planner: RF found no ground"


def test_nodes_with_ever_new_names_are_refused_and_those_that_are_known_go_on() -> None:
    state = PageState(effort_limit=np.full(12, 150.0))
    state.take_health("teleop", NodeHealth({}, "", 1.0))
    for number in range(MOST_NODES - 1):
        state.take_health(f"made up {number}", NodeHealth({}, "", 2.0))
    with pytest.raises(SensorError, match="one more"):
        state.take_health("one more", NodeHealth({}, "look at me", 3.0))
    assert (len(state.health), state.faults) == (MOST_NODES, [])
    state.take_health("teleop", NodeHealth({}, "pad is late", 4.0))
    assert state.health["teleop"].came == 4.0
    assert [words for _, words in state.faults] == ["teleop: pad is late"]


def test_torques_are_the_largest_of_the_last_second_whatever_is_not_a_number(standing: RobotShown, planned: PlanShown) -> None:
    state = state_of(standing, planned)
    state.take_robot(replace(standing, time=10.2, joint_effort=np.where(np.arange(12) == 3, -200.0, np.nan)))
    peaks = state.efforts.peak()
    assert peaks[3] == 200.0
    assert peaks[11] == 160.0
    state.take_robot(replace(standing, time=11.3, joint_effort=np.zeros(12)))
    assert (state.efforts.peak() == 0.0).all()


def test_the_panel_is_plain_json_whatever_is_unknown(standing: RobotShown, planned: PlanShown, rehearsed: RehearsalShown) -> None:
    import json

    empty = PageState(effort_limit=np.full(12, 150.0))
    assert json.loads(json.dumps(panel(empty, 0.0), allow_nan=False))["mode"] == "no robot heard yet"
    state = state_of(standing, planned)
    state.take_rehearsal(rehearsed)
    rehearsed.answer(VerdictShown(False, None, "not vouched for", offer="half the speed"), 10.5)
    state.health["teleop"] = NodeHealth({"rate_hz": "250"}, "", -10.0)
    told = json.loads(json.dumps(panel(state, 0.0), allow_nan=False))
    assert told["past"] == [
        {"time": 10.0, "from": "walk", "to": "trot", "accepted": False, "reason": "not vouched for", "offer": "half the speed"}
    ]
    assert told["health"][0]["silent"]
    assert told["latency"] == ""
    state.health["other"] = NodeHealth({"command_us_p50": "unknown"}, "", -10.0)
    state.health["simulator"] = NodeHealth({"command_us_p50": "4230.0", "command_us_p99": "9600.0"}, "", -10.0)
    assert panel(state, 0.0)["latency"] == "sensor sample to servo command: median 4.2 ms, 99 % within 9.6 ms"
    assert told["rehearsal"]["candidates"][0]["survived"] == 32
    assert [foot["mode"] for foot in told["feet"]] == ["stance", "swing", "reach", "support"]


def test_what_a_robot_said_before_it_fell_silent_is_the_past(standing: RobotShown, planned: PlanShown) -> None:
    state = state_of(standing, planned)
    state.take_mode(ModeShown("WALKING", "WALK by the operator", 5.0))
    state.take_robot(replace(standing, time=10.1), heard_at=100.0)
    fresh, stale = panel(state, 100.4), panel(state, 103.2)
    assert (fresh["mode"], fresh["bad"]) == ("walking", False)
    assert (stale["mode"], stale["bad"]) == ("nothing heard for 3.2 s", True)
    assert stale["why"].startswith("last heard: walking")


def test_a_rehearsal_that_is_past_keeps_its_counts_and_no_traces(
    standing: RobotShown, planned: PlanShown, rehearsed: RehearsalShown
) -> None:
    state = state_of(standing, planned)
    state.take_rehearsal(rehearsed)
    assert len(rehearsed.drawn()) == 128
    state.take_rehearsal(RehearsalShown(8, "walk", "pace", 11.0))
    assert state.past[0].particles == 128
    assert not any(candidate.traces for candidate in state.past[0].candidates.values())


def test_what_belongs_to_an_older_rehearsal_does_not_bring_it_back(standing: RobotShown, planned: PlanShown) -> None:
    state = state_of(standing, planned)
    first = state.rehearsal_of(1, "walk", "trot", 10.0)
    first.answer(VerdictShown(False, None, "tilt"), 11.0)
    second = state.rehearsal_of(2, "walk", "pace", 12.0)
    second.answer(VerdictShown(True, 0, "good"), 13.0)
    assert state.rehearsal_of(1, "walk", "trot", 10.0) is first
    unheard = state.rehearsal_of(3, "walk", "bound", 11.5)
    unheard.answer(VerdictShown(False, None, "scuff"), 13.0)
    assert state.rehearsal is second
    assert [past["to"] for past in panel(state, 0.0)["past"]] == ["pace", "bound", "trot"]

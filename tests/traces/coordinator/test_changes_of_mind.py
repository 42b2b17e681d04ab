# SPDX-License-Identifier: Apache-2.0
"""A verdict holds for the command, the ground and the controller that it was made for."""


from dataclasses import replace

import numpy as np
import pytest

from surefoot.locomotion.laws import COMPILED, COMPILED_JOINT_PID
from surefoot.servos.rate import rate_problem
from surefoot.traces.request import RequestState


def test_a_change_of_the_command_is_rehearsed_again_once_it_is_steady(walking) -> None:
    walking.ask("trot")
    walking.tick(5)
    walking.command(0.4, 0.0, 0.0)
    walking.tick()
    assert walking.coordinator.enquiry is None
    assert walking.status == (RequestState.REHEARSING, 1, "trot")
    assert len(walking.enquiries) == 2
    # A stick that still moves is not worth a rehearsal.
    for step in range(40):
        walking.command(0.4 - 0.001 * step, 0.0, 0.02 * (step % 2) + 0.005)
        walking.tick()
    walking.command(0.3, 0.0, 0.0)
    walking.tick(round(0.19 / walking.period))
    count = len(walking.enquiries)
    walking.tick(round(0.05 / walking.period))
    assert len(walking.enquiries) == count + 1 == 3
    again = walking.enquiries[-1]
    assert (again.request_id, again.snapshot.gait_to.name, again.snapshot.command.tolist()) == (1, "trot", [0.3, 0.0, 0.0])
    walking.wait_until_due()
    walking.answer()
    walking.tick(300)
    assert (walking.gait, walking.status) == ("trot", (RequestState.COMMITTED, 1, "trot"))


def test_a_scheduled_change_is_taken_back_when_the_command_changes(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    latest = max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time)
    walking.answer(latest)
    walking.command(0.2, 0.0, 0.3)
    walking.tick(round(0.19 / walking.period))
    assert (walking.gait, walking.status) == ("walk", (RequestState.REHEARSING, 1, "trot"))
    assert np.isnan(walking.coordinator.status.switch_time)


def test_a_small_change_of_the_command_leaves_the_verdict_as_it_is(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.command(0.3, 0.1, 0.1)
    walking.wait_until_due()
    walking.answer()
    assert walking.status == (RequestState.SCHEDULED, 1, "trot")


def test_a_command_that_keeps_changing_ends_in_a_veto(walking) -> None:
    walking.ask("trot")
    walking.tick()
    rehearsals = len(walking.enquiries)
    for step in range(4):
        walking.command(0.2 + 0.2 * ((step + 1) % 2), 0.0, 0.0)
        walking.tick(round(0.22 / walking.period))
    assert len(walking.enquiries) == rehearsals + 3
    assert walking.status == (RequestState.VETOED, 1, "trot")
    assert walking.reason == "the command keeps changing; ask again with a steady one"
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 2, "trot")


@pytest.mark.parametrize("scheduled", [False, True])
def test_news_of_the_ground_ends_a_rehearsal_for_other_ground(walking, scheduled: bool) -> None:
    walking.ask("trot")
    walking.tick()
    if scheduled:
        walking.wait_until_due()
        walking.answer(max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time))
    walking.say("ice")
    walking.tick(400)
    assert (walking.gait, walking.status) == ("walk", (RequestState.VETOED, 1, "trot"))
    assert walking.reason == "the ground ahead is now said to be ice; the rehearsal was for dry"


@pytest.mark.parametrize("scheduled", [False, True])
def test_a_verdict_is_for_the_law_that_drove_the_robot(walking, scheduled: bool) -> None:
    walking.ask("trot")
    walking.tick()
    assert walking.enquiries[-1].snapshot.law.name == COMPILED
    if scheduled:
        walking.wait_until_due()
        walking.answer(max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time))
        walking.tick()
    walking.coordinator.law.put(COMPILED_JOINT_PID)
    walking.tick()
    assert walking.reason == "the law that drives the robot is now compiled_joint_pid; the rehearsal was for compiled"
    walking.ask("trot")
    walking.tick()
    assert walking.enquiries[-1].snapshot.law.name == COMPILED_JOINT_PID


def test_ground_that_is_known_before_is_rehearsed_on(walking) -> None:
    walking.say("ice")
    walking.tick()
    walking.say("")
    walking.ask("pace")
    walking.tick()
    snapshot = walking.enquiries[-1].snapshot
    assert (snapshot.terrain.name, snapshot.terrain_here.name) == ("ice", "dry")


def test_ground_that_nobody_knows_changes_nothing_and_no_gait_is_changed_on_it(walking) -> None:
    walking.say("lava")
    walking.tick()
    assert walking.coordinator.ground.name == "dry"
    before = len(walking.enquiries)
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.VETOED, 1, "trot")
    assert walking.reason.startswith("unknown ground 'lava' ahead; known: dry, ")
    assert len(walking.enquiries) == before


@pytest.mark.parametrize("stage", ["before", "rehearsing", "scheduled"])
def test_a_robot_that_rehearsals_do_not_speak_for_keeps_its_gait(walking, stage: str) -> None:
    doubt = "another controller drives"
    if stage == "before":
        walking.coordinator.doubt = doubt
    walking.ask("trot")
    walking.tick()
    if stage == "scheduled":
        walking.wait_until_due()
        walking.coordinator.answer(walking.state, walking.answer())
        assert walking.status == (RequestState.SCHEDULED, 1, "trot")
    walking.coordinator.doubt = doubt
    walking.tick(500)
    assert walking.status == (RequestState.VETOED, 1, "trot")
    assert walking.reason == doubt
    assert walking.gait == "walk"
    walking.coordinator.doubt = ""
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 2, "trot")


def test_a_gait_that_the_servos_cannot_follow_is_refused_with_the_reason(walking) -> None:
    walking.coordinator.objection = lambda gait: rate_problem(gait, 20.0)
    before = len(walking.enquiries)
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.VETOED, 1, "trot")
    assert "targets at the 20 Hz at which the servos are reached" in walking.reason
    assert (len(walking.enquiries), walking.gait) == (before, "walk")
    walking.coordinator.objection = lambda gait: rate_problem(gait, 250.0)
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 2, "trot")


def test_a_verdict_is_about_the_posture_it_was_made_for(walking) -> None:
    """The posture of the very tick of the request counts, and one that is taken afterwards is rehearsed again."""
    walking.carry(0.0, 0.1, 0.0, 0.0)
    walking.ask("trot")
    walking.tick()
    assert walking.enquiries[-1].snapshot.planner["posture"][0].tolist() == [0.0, 0.1, 0.0, 0.0]
    walking.wait_until_due()
    walking.answer(3)
    assert walking.status == (RequestState.SCHEDULED, 1, "trot")
    walking.carry(0.0, -0.1, 0.0, 0.0)
    walking.tick()
    assert (walking.gait, walking.status) == ("walk", (RequestState.REHEARSING, 1, "trot"))
    assert walking.reason == "the posture changed: rehearsing again once it is steady"
    walking.tick(60)
    assert walking.enquiries[-1].snapshot.planner["posture"][0].tolist() == [0.0, -0.1, 0.0, 0.0]


@pytest.mark.parametrize("stage", ["rehearsing", "scheduled", "unsteady"])
def test_when_the_operator_is_gone_so_is_what_was_asked_for(walking, stage: str) -> None:
    walking.ask("trot")
    walking.tick()
    if stage == "scheduled":
        walking.wait_until_due()
        walking.answer(3)
    elif stage == "unsteady":
        walking.command(-0.2, 0.0, 0.0)
        walking.tick()
    walking.wish = replace(walking.wish, present=False)
    walking.tick(400)
    assert (walking.gait, walking.status) == ("walk", (RequestState.VETOED, 1, "trot"))
    assert walking.reason == "the operator who asked for it is gone; ask again"
    assert walking.coordinator.enquiry is None

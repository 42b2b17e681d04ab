# SPDX-License-Identifier: Apache-2.0
"""From a verdict to commit or veto, and cases 176, 188, 192."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.traces.decision.offer import Offer
from surefoot.traces.request import RequestState


def test_the_first_gait_is_rehearsed_from_the_stand(rig) -> None:
    rig.command(0.2, 0.0, 0.0)
    rig.walking = True
    rig.tick()
    enquiry = rig.enquiries[-1]
    assert (enquiry.snapshot.gait_from.name, enquiry.snapshot.gait_to.name, enquiry.request_id) == ("stand", "walk", 0)
    assert rig.status == (RequestState.REHEARSING, 0, "walk")
    assert rig.coordinator.enquiry is enquiry
    assert [candidate.transition_point for candidate in enquiry.candidates] == [0.0, 0.25, 0.5, 0.75]
    assert {candidate.switch_time for candidate in enquiry.candidates} == {enquiry.snapshot.state.time + rig.latency}
    assert enquiry.snapshot.command.tolist() == [0.2, 0.0, 0.0]
    rig.wait_until_due()
    assert rig.gait == "stand"
    rig.answer(2)
    assert rig.status == (RequestState.SCHEDULED, 0, "walk")
    rig.tick()
    assert (rig.gait, rig.status) == ("walk", (RequestState.COMMITTED, 0, "walk"))
    assert rig.reason == "walk taken; 16 of 16"
    assert rig.coordinator.planning.phase == pytest.approx(0.5, abs=0.01)


def test_a_change_is_made_at_the_chosen_moment_and_phase(walking) -> None:
    walking.tick(30)
    walking.ask("trot")
    walking.tick()
    enquiry = walking.enquiries[-1]
    walking.wait_until_due()
    walking.answer(3)
    chosen = enquiry.candidates[3]
    assert walking.coordinator.status.switch_time == chosen.switch_time
    while walking.state.time < chosen.switch_time - 1e-3:
        assert walking.gait == "walk"
        walking.tick()
        phase = walking.coordinator.planning.phase
    assert min(abs(phase - 0.75), abs(phase - 0.75 + 1.0)) <= 1.1 * walking.period / 0.8
    walking.tick()
    assert (walking.gait, walking.status) == ("trot", (RequestState.COMMITTED, 1, "trot"))
    assert walking.coordinator.planning.phase == pytest.approx(0.75, abs=1.1 * walking.period / 0.5)


def test_a_veto_keeps_the_gait_and_says_why(walking) -> None:
    walking.ask("pace")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    walking.tick(400)
    assert (walking.gait, walking.status, walking.reason) == ("walk", (RequestState.VETOED, 1, "pace"), "0 of 16")
    assert walking.coordinator.enquiry is None


def test_after_a_veto_another_gait_may_be_asked_for(walking) -> None:
    walking.ask("pace")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 2, "trot")


def test_silence_is_a_veto(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    walking.coordinator.no_answer("no verdict within 20 s")
    walking.tick(400)
    assert (walking.gait, walking.status, walking.reason) == ("walk", (RequestState.VETOED, 1, "trot"), "no verdict within 20 s")


def test_an_answer_that_nobody_waits_for_changes_nothing(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    late = walking.answer(1)
    before = walking.coordinator.status
    walking.coordinator.answer(walking.state, late)
    walking.coordinator.no_answer("too late to matter")
    assert walking.coordinator.status == before


def test_a_verdict_that_comes_after_its_moment_is_a_veto(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    first = min(walking.enquiries[-1].candidates, key=lambda candidate: candidate.switch_time)
    while walking.state.time < first.switch_time + 0.3:
        walking.tick()
    walking.answer(walking.enquiries[-1].candidates.index(first))
    assert walking.status == (RequestState.VETOED, 1, "trot")
    assert walking.reason.startswith("the verdict came too late: the change was due 0.3")
    walking.tick(400)
    assert walking.gait == "walk"


def test_a_change_that_is_due_between_two_ticks_is_not_late(fresh) -> None:
    """On a robot, samples do not come at round times."""
    rig = fresh
    rig.tick()
    rig.walking = True
    rig.tick()
    rig.wait_until_due()
    rig.state = replace(rig.state, time=rig.state.time + 0.6 * rig.period)
    rig.answer()
    rig.tick()
    assert (rig.gait, rig.status) == ("walk", (RequestState.COMMITTED, 0, "walk"))


@pytest.mark.parametrize(
    ("off", "deviation", "holds"), [(0.05, 0.001, True), (0.07, 0.001, False), (0.07, 0.02, True), (0.09, 0.02, False)]
)
@pytest.mark.parametrize("axis", range(3))
def test_a_robot_outside_its_predicted_cloud_is_not_the_one_that_was_rehearsed(
    walking, off: float, deviation: float, holds: bool, axis: int
) -> None:
    """Four standard deviations, or a tenth of the stand height where the cloud is tighter than the estimate."""
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    shift = np.zeros(3)
    shift[axis] = off
    walking.answer(0, tuple(shift), deviation)
    assert walking.status == (RequestState.SCHEDULED if holds else RequestState.VETOED, 1, "trot")
    if not holds:
        assert walking.reason.startswith(f"the robot left its predicted cloud: {off:.2f} m off in {'xyz'[axis]}, allowed ")


@pytest.mark.parametrize("nonsense", [np.nan, np.inf])
def test_a_prediction_that_is_not_a_number_is_a_veto(walking, nonsense: float) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    walking.answer(0, (nonsense, 0.0, 0.0))
    assert walking.status == (RequestState.VETOED, 1, "trot")


def test_the_place_is_that_at_which_the_answer_was_due_however_late_it_comes(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    place, latest = walking.state.base_position, max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time)
    walking.tick()
    walking.state = replace(walking.state, base_position=place + 0.3)
    walking.tick()
    walking.answer(latest, tuple(place - walking.state.base_position))
    assert walking.status == (RequestState.SCHEDULED, 1, "trot")


def test_a_veto_passes_on_what_could_be_done_instead_until_the_next_request(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    offer = Offer(0.5, "trot at 50% of the speed")
    walking.coordinator.answer(walking.state, replace(walking.answer_of(None), offer=offer))
    assert walking.coordinator.status.offer == offer
    walking.ask("pace")
    walking.tick()
    assert walking.coordinator.status.offer is None


def test_a_way_that_was_not_asked_about_is_no_verdict(walking) -> None:
    walking.ask("pace")
    walking.tick()
    walking.wait_until_due()
    answer = walking.answer_of(0)
    gone_wrong = replace(answer.candidate, intermediate="gavotte", intermediate_time=1.0)
    walking.coordinator.answer(walking.state, replace(answer, candidate=gone_wrong))
    walking.tick(400)
    assert (walking.gait, walking.status[0]) == ("walk", RequestState.VETOED)
    assert "a change through gavotte, which was not among the gaits that were asked about" in walking.reason

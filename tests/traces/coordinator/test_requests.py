# SPDX-License-Identifier: Apache-2.0
"""Which requests are taken up and which are refused at once, and why."""

from dataclasses import replace

import pytest

from surefoot.gait.of_robot import gaits_of
from surefoot.traces.request import RequestState


def test_it_begins_to_stand_and_nothing_was_asked(rig) -> None:
    assert rig.gait == "stand"
    assert rig.status == (RequestState.IDLE, 0, "")
    assert rig.enquiries == []
    assert rig.coordinator.ground.name == "dry"


def test_a_request_that_is_older_than_the_stand_is_history(fresh) -> None:
    rig = fresh
    rig.ask("trot")
    rig.walking = True
    rig.tick()
    assert [enquiry.snapshot.gait_to.name for enquiry in rig.enquiries] == ["walk"]


def test_a_request_while_standing_is_refused(rig) -> None:
    rig.ask("trot")
    rig.tick(5)
    assert rig.status == (RequestState.VETOED, 1, "trot")
    assert rig.reason == "the robot stands; switch walking on first"
    assert rig.enquiries == []


def test_an_unknown_gait_is_named_with_those_that_are_known(walking) -> None:
    walking.ask("moonwalk")
    walking.tick()
    assert walking.status == (RequestState.VETOED, 1, "moonwalk")
    assert walking.reason == "unknown gait 'moonwalk'; known: " + ", ".join(gaits_of(walking.model).names)


def test_the_gait_that_runs_is_accepted_without_a_rehearsal(walking) -> None:
    rehearsals = len(walking.enquiries)
    walking.ask("walk")
    walking.tick()
    assert (walking.status, walking.reason) == ((RequestState.COMMITTED, 1, "walk"), "walk runs already")
    assert len(walking.enquiries) == rehearsals


@pytest.mark.parametrize("replayed", [1, 2])
def test_a_replayed_request_is_ignored(walking, replayed: int) -> None:
    walking.ask("pace")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    walking.ask("walk")
    walking.tick()
    before, rehearsals = walking.coordinator.status, len(walking.enquiries)
    walking.wish = replace(walking.wish, request_id=replayed, gait="pace")
    walking.tick(10)
    assert (walking.coordinator.status, len(walking.enquiries)) == (before, rehearsals)


@pytest.mark.parametrize("scheduled", [False, True])
def test_a_second_request_waits_for_the_first_and_does_not_take_its_name(walking, scheduled: bool) -> None:
    walking.ask("trot")
    walking.tick()
    if scheduled:
        walking.wait_until_due()
        walking.answer(0)
    for number, gait in ((2, "pace"), (3, "walk")):
        walking.ask(gait)
        walking.tick()
        assert walking.status == (RequestState.VETOED, number, gait)
        assert walking.reason.startswith("the change to trot is scheduled" if scheduled else "trot is being rehearsed")
    if not scheduled:
        walking.wait_until_due()
        walking.answer(0)
        assert walking.status == (RequestState.SCHEDULED, 1, "trot")
    walking.tick(300)
    assert (walking.gait, walking.status) == ("trot", (RequestState.COMMITTED, 1, "trot"))


def test_a_veto_after_a_refused_request_names_what_was_rehearsed(walking) -> None:
    walking.ask("trot")
    walking.tick()
    walking.ask("pace")
    walking.tick()
    walking.coordinator.no_answer("silence")
    assert walking.status == (RequestState.VETOED, 1, "trot")


def test_a_gait_of_the_operators_own_is_rehearsed_under_its_name(walking) -> None:
    own = gaits_of(walking.model)["trot"].model_copy(update={"name": "my trot", "step_height": 0.06})
    walking.ask("my trot", own)
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 1, "my trot")
    assert walking.enquiries[-1].snapshot.gait_to == own
    walking.wait_until_due()
    walking.answer(0)
    walking.tick(400)
    assert (walking.gait, walking.status) == ("my trot", (RequestState.COMMITTED, 1, "my trot"))


def test_a_gait_of_the_operators_own_may_not_pass_for_one_of_the_library(walking) -> None:
    rehearsals = len(walking.enquiries)
    walking.ask("trot", gaits_of(walking.model)["trot"].model_copy(update={"step_height": 0.06}))
    walking.tick()
    assert (walking.status, walking.reason) == (
        (RequestState.VETOED, 1, "trot"), "'trot' is the name of another gait; give yours one of its own",
    )  # fmt: skip
    assert len(walking.enquiries) == rehearsals


def test_a_request_of_a_robot_that_does_not_stand_is_answered_and_not_kept(fresh) -> None:
    fresh.coordinator.rest(1, "trot")
    assert (fresh.status, fresh.reason) == ((RequestState.VETOED, 1, "trot"), "the robot does not stand; ask again when it does")
    fresh.ask("trot")
    fresh.walking = True
    fresh.tick()
    assert [enquiry.snapshot.gait_to.name for enquiry in fresh.enquiries] == ["walk"]


def test_a_gait_that_could_not_be_read_is_refused_with_the_reason(walking) -> None:
    walking.ask("mine")
    walking.wish = replace(walking.wish, unreadable="gait 'mine': period: must be at least 0.1")
    walking.tick()
    assert (walking.status, walking.reason) == ((RequestState.VETOED, 1, "mine"), "gait 'mine': period: must be at least 0.1")


def test_while_one_gait_fades_into_another_nothing_new_is_rehearsed(blending) -> None:
    blending.ask("trot")
    blending.tick()
    blending.wait_until_due()
    chosen = blending.enquiries[-1].candidates[4]
    assert chosen.blend_time == 0.5
    blending.answer(4)
    while blending.state.time < chosen.switch_time + 0.2:
        blending.tick()
    blending.ask("pace")
    blending.tick()
    assert blending.status == (RequestState.VETOED, 2, "pace")
    assert blending.reason == "the change to trot is under way; ask again after it"
    blending.tick(90)
    blending.ask("pace")
    blending.tick()
    assert blending.status == (RequestState.REHEARSING, 3, "pace")


def test_an_operator_who_was_started_again_is_heard_whatever_the_ids_before(walking) -> None:
    walking.wish = replace(walking.wish, request_id=9, gait="trot")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    walking.tick()
    assert walking.status == (RequestState.VETOED, 9, "trot")
    # It comes without a request, and that is no change.
    walking.wish = replace(walking.wish, request_id=0, gait="")
    walking.tick()
    assert walking.status == (RequestState.VETOED, 9, "trot")
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 1, "trot")


def through(rig, intermediate: str) -> None:
    rig.wish = replace(rig.wish, intermediate=intermediate)


def half_way(rig) -> None:
    """A robot that walks has made the first half of the change to pace, through trot."""
    through(rig, "trot")
    rig.ask("pace")
    rig.tick()
    rig.wait_until_due()
    rig.answer(1)
    rig.tick()
    while rig.gait == "walk":
        rig.tick()


def test_a_gait_that_was_asked_for_through_another_is_reached_through_it(walking) -> None:
    half_way(walking)
    chosen = walking.enquiries[-1].candidates[1]
    assert {candidate.intermediate for candidate in walking.enquiries[-1].candidates} == {"trot"}
    assert (walking.gait, walking.status) == ("trot", (RequestState.SCHEDULED, 1, "pace"))
    assert walking.reason == "trot taken; 16 of 16"
    assert walking.coordinator.status.switch_time == pytest.approx(chosen.switch_time + chosen.intermediate_time)
    while walking.gait == "trot":
        assert walking.status[0] is RequestState.SCHEDULED
        walking.tick()
    assert walking.state.time - walking.period == pytest.approx(chosen.switch_time + chosen.intermediate_time, abs=walking.period)
    assert (walking.gait, walking.status) == ("pace", (RequestState.COMMITTED, 1, "pace"))


def test_half_way_the_rest_of_a_change_is_rehearsed_anew_for_another_command(walking) -> None:
    half_way(walking)
    walking.command(0.6, 0.0, 0.0)
    walking.tick(2)
    assert walking.status == (RequestState.REHEARSING, 1, "pace")
    walking.tick(100)
    enquiry = walking.enquiries[-1]
    assert (enquiry.snapshot.gait_from.name, enquiry.snapshot.gait_to.name) == ("trot", "pace")
    assert {candidate.intermediate for candidate in enquiry.candidates} == {""}
    walking.wait_until_due()
    walking.answer(None)
    walking.tick()
    assert (walking.gait, walking.status[0]) == ("trot", RequestState.VETOED)


def test_half_way_to_stand_is_always_allowed_and_the_rest_does_not_come(walking) -> None:
    half_way(walking)
    walking.walking = False
    walking.tick()
    assert walking.status[0] is RequestState.VETOED
    assert walking.reason == "the robot was told to stand"
    walking.tick(400)
    assert walking.gait == "stand"


@pytest.mark.parametrize("change", ["operator", "ground", "fault"])
def test_what_ends_a_change_half_way_says_where_it_leaves_the_robot(walking, change: str) -> None:
    half_way(walking)
    if change == "operator":
        walking.wish = replace(walking.wish, present=False)
    elif change == "ground":
        walking.say("ice")
    else:
        walking.coordinator.doubt = "nobody knows"
    walking.tick(400)
    assert (walking.gait, walking.status) == ("trot", (RequestState.VETOED, 1, "pace"))
    assert walking.reason.endswith("; half of the change was made, and the robot stays in trot")
    # What is vetoed next has nothing to do with it.
    walking.wish = replace(walking.wish, present=True)
    walking.coordinator.doubt = ""
    through(walking, "")
    walking.ask("walk")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    assert walking.reason == "0 of 16"


def test_while_half_of_a_change_fades_in_nothing_new_is_rehearsed(blending) -> None:
    through(blending, "trot")
    blending.ask("pace")
    blending.tick()
    blending.wait_until_due()
    blending.answer(5)
    while blending.gait == "walk":
        blending.tick()
    assert blending.coordinator.planning.blending
    asked = len(blending.enquiries)
    blending.command(0.6, 0.0, 0.0)
    while blending.coordinator.planning.blending:
        assert len(blending.enquiries) == asked
        blending.tick()
    blending.tick(60)
    assert len(blending.enquiries) == asked + 1


def test_on_the_way_a_command_may_be_held_back_to_what_that_gait_does(walking) -> None:
    most = walking.coordinator.planning.gaits["trot"].max_forward_speed
    walking.command(most + 0.4, 0.0, 0.0)
    walking.tick(100)
    half_way(walking)
    walking.command(most, 0.0, 0.0)
    walking.tick(10)
    assert walking.status[0] is RequestState.SCHEDULED
    walking.command(most - 0.3, 0.0, 0.0)
    walking.tick(2)
    assert walking.status[0] is RequestState.REHEARSING


def test_the_way_of_a_request_is_not_that_of_the_next_start(walking) -> None:
    half_way(walking)
    while walking.gait == "trot":
        walking.tick()
    walking.walking = False
    walking.tick(400)
    walking.wish = replace(walking.wish, intermediate="walk", delay=-1.0)
    walking.walking = True
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 0, "walk")
    assert {candidate.intermediate for candidate in walking.enquiries[-1].candidates} == {""}


@pytest.mark.parametrize("delay", [-0.1, 1e3, float("nan")])
def test_a_delay_that_cannot_be_is_refused_with_the_reason(walking, delay: float) -> None:
    walking.wish = replace(walking.wish, delay=delay)
    walking.ask("pace")
    walking.tick()
    assert walking.reason == f"the change is asked for {delay:g} s later; it must be 0 to 20 s"


def test_a_change_that_is_asked_for_later_comes_later(walking) -> None:
    walking.wish = replace(walking.wish, delay=2.0)
    walking.ask("trot")
    walking.tick()
    snapshot, candidates = walking.enquiries[-1].snapshot, walking.enquiries[-1].candidates
    assert min(candidate.switch_time for candidate in candidates) - snapshot.state.time >= 2.0 + walking.latency


def test_the_gait_that_runs_is_there_by_any_way(walking) -> None:
    through(walking, "walk")
    walking.ask("walk")
    walking.tick()
    assert (walking.status[0], walking.reason) == (RequestState.COMMITTED, "walk runs already")


@pytest.mark.parametrize(
    ("intermediate", "words"),
    [
        ("gavotte", "unknown intermediate gait 'gavotte'; known: "),
        ("walk", "'walk' cannot be walked on the way from walk to pace"),
        ("pace", "'pace' cannot be walked on the way from walk to pace"),
        ("stand", "'stand' cannot be walked on the way from walk to pace"),
    ],
)
def test_a_way_that_leads_nowhere_is_refused_with_the_reason(walking, intermediate: str, words: str) -> None:
    through(walking, intermediate)
    walking.ask("pace")
    walking.tick()
    assert walking.status == (RequestState.VETOED, 1, "pace")
    assert walking.reason.startswith(words)
    assert len(walking.enquiries) == 1


def test_a_gait_that_cannot_be_tracked_is_neither_asked_for_nor_offered_as_a_way(walking) -> None:
    walking.coordinator.objection = lambda gait: "too quick" if gait.name in ("trot", "walking_trot") else ""
    through(walking, "trot")
    walking.ask("pace")
    walking.tick()
    assert (walking.status[0], walking.reason) == (RequestState.VETOED, "too quick")
    through(walking, "")
    walking.ask("pace")
    walking.tick()
    assert walking.enquiries[-1].snapshot.intermediates == ()

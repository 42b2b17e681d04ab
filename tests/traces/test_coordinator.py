# SPDX-License-Identifier: Apache-2.0
"""A request from its wish to commit or veto, and cases 176, 188, 192."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.evaluation.closed_loop import gaits_of
from surefoot.gait.settings import PlannerSettings
from surefoot.robot.model import RobotModel
from surefoot.terrain.belief import Grounds
from surefoot.traces.coordinator import Answer, Enquiry, GaitCoordinator, RequestState, Wish
from surefoot.traces.decision import DecisionSettings

LATENCY = 0.1
SETTINGS = DecisionSettings(latency=LATENCY)


class Rig:
    """A robot that floats along with its command, its operator, and whoever rehearses for it."""

    def __init__(self, model: RobotModel, grounds: Grounds) -> None:
        self.coordinator = GaitCoordinator(model, gaits_of(model), grounds, PlannerSettings(), SETTINGS)
        self.period = 1.0 / model.description.control.rate
        self.state = model.neutral()
        self.wish = Wish(np.zeros(3), 0, "", "")
        self.walking = False
        self.enquiries: list[Enquiry] = []

    @property
    def status(self) -> tuple[RequestState, int, str]:
        status = self.coordinator.status
        return status.state, status.request_id, status.gait

    @property
    def reason(self) -> str:
        return self.coordinator.status.reason

    @property
    def gait(self) -> str:
        return self.coordinator.planning.gait.name

    def ask(self, gait: str) -> None:
        self.wish = replace(self.wish, request_id=self.wish.request_id + 1, gait=gait)

    def command(self, *command: float) -> None:
        self.wish = replace(self.wish, command=np.array(command))

    def say(self, ground: str) -> None:
        self.wish = replace(self.wish, ground=ground)

    def tick(self, ticks: int = 1) -> None:
        for _ in range(ticks):
            enquiry = self.coordinator.tick(self.state, self.wish, self.walking)
            if enquiry is not None:
                self.enquiries.append(enquiry)
            self.state = replace(self.state, time=self.state.time + self.period)

    def wait_until_due(self) -> None:
        """Tick until the answer is due; the tick at which it is waits, as it does in lockstep."""
        while not self.coordinator.must_wait(self.state.time):
            self.tick()

    def answer(self, number: int | None = 0, off: tuple[float, float, float] = (0.0, 0.0, 0.0), deviation: float = 0.005) -> Answer:
        """Answer the newest enquiry: with a candidate, or with a veto."""
        answer = Answer(
            accepted=number is not None,
            candidate=None if number is None else self.enquiries[-1].candidates[number],
            reason="16 of 16" if number is not None else "0 of 16",
            predicted_position=self.state.base_position + off,
            predicted_deviation=np.full(3, deviation),
        )
        self.coordinator.answer(self.state, answer)
        return answer

    def walk(self) -> None:
        """Start to walk, and have it allowed."""
        self.command(0.2, 0.0, 0.0)
        self.walking = True
        self.tick()
        self.wait_until_due()
        self.answer()
        self.tick(2)
        assert self.gait == "walk"


@pytest.fixture
def rig(hyq: RobotModel, grounds: Grounds) -> Rig:
    rig = Rig(hyq, grounds)
    rig.tick(3)
    return rig


@pytest.fixture
def walking(rig: Rig) -> Rig:
    rig.walk()
    return rig


def test_it_begins_to_stand_and_nothing_was_asked(rig: Rig) -> None:
    assert rig.gait == "stand"
    assert rig.status == (RequestState.IDLE, 0, "")
    assert rig.enquiries == []
    assert rig.coordinator.ground.name == "dry"


def test_a_request_that_is_older_than_the_stand_is_history(hyq: RobotModel, grounds: Grounds) -> None:
    rig = Rig(hyq, grounds)
    rig.ask("trot")
    rig.walking = True
    rig.tick()
    assert [enquiry.snapshot.gait_to.name for enquiry in rig.enquiries] == ["walk"]


def test_a_request_while_standing_is_refused(rig: Rig) -> None:
    rig.ask("trot")
    rig.tick(5)
    assert rig.status == (RequestState.VETOED, 1, "trot")
    assert rig.reason == "the robot stands; switch walking on first"
    assert rig.enquiries == []


def test_an_unknown_gait_is_named_with_those_that_are_known(walking: Rig) -> None:
    walking.ask("gallop")
    walking.tick()
    assert walking.status == (RequestState.VETOED, 1, "gallop")
    assert walking.reason == "unknown gait 'gallop'; known: stand, walk, trot, pace"


def test_the_first_gait_is_rehearsed_from_the_stand(rig: Rig) -> None:
    rig.command(0.2, 0.0, 0.0)
    rig.walking = True
    rig.tick()
    enquiry = rig.enquiries[-1]
    assert (enquiry.snapshot.gait_from.name, enquiry.snapshot.gait_to.name, enquiry.request_id) == ("stand", "walk", 0)
    assert rig.status == (RequestState.REHEARSING, 0, "walk")
    assert rig.coordinator.enquiry is enquiry
    assert [candidate.transition_point for candidate in enquiry.candidates] == [0.0, 0.25, 0.5, 0.75]
    assert {candidate.switch_time for candidate in enquiry.candidates} == {enquiry.snapshot.state.time + LATENCY}
    assert enquiry.snapshot.command.tolist() == [0.2, 0.0, 0.0]
    rig.wait_until_due()
    assert rig.gait == "stand"
    rig.answer(2)
    assert rig.status == (RequestState.SCHEDULED, 0, "walk")
    rig.tick()
    assert (rig.gait, rig.status) == ("walk", (RequestState.COMMITTED, 0, "walk"))
    assert rig.reason == "walk taken; 16 of 16"
    assert rig.coordinator.planning.phase == pytest.approx(0.5, abs=0.01)


def test_a_change_is_made_at_the_chosen_moment_and_phase(walking: Rig) -> None:
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


def test_a_veto_keeps_the_gait_and_says_why(walking: Rig) -> None:
    walking.ask("pace")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    walking.tick(400)
    assert (walking.gait, walking.status, walking.reason) == ("walk", (RequestState.VETOED, 1, "pace"), "0 of 16")
    assert walking.coordinator.enquiry is None


def test_after_a_veto_another_gait_may_be_asked_for(walking: Rig) -> None:
    walking.ask("pace")
    walking.tick()
    walking.wait_until_due()
    walking.answer(None)
    walking.ask("trot")
    walking.tick()
    assert walking.status == (RequestState.REHEARSING, 2, "trot")


def test_silence_is_a_veto(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    walking.coordinator.no_answer("no verdict within 20 s")
    walking.tick(400)
    assert (walking.gait, walking.status, walking.reason) == ("walk", (RequestState.VETOED, 1, "trot"), "no verdict within 20 s")


def test_an_answer_that_nobody_waits_for_changes_nothing(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    late = walking.answer(1)
    before = walking.coordinator.status
    walking.coordinator.answer(walking.state, late)
    walking.coordinator.no_answer("too late to matter")
    assert walking.coordinator.status == before


def test_a_verdict_that_comes_after_its_moment_is_a_veto(walking: Rig) -> None:
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


def test_a_change_that_is_due_between_two_ticks_is_not_late(hyq: RobotModel, grounds: Grounds) -> None:
    """On a robot, samples do not come at round times."""
    rig = Rig(hyq, grounds)
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
    walking: Rig, off: float, deviation: float, holds: bool, axis: int
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
def test_a_prediction_that_is_not_a_number_is_a_veto(walking: Rig, nonsense: float) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    walking.answer(0, (nonsense, 0.0, 0.0))
    assert walking.status == (RequestState.VETOED, 1, "trot")


def test_the_place_is_that_at_which_the_answer_was_due_however_late_it_comes(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    place, latest = walking.state.base_position, max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time)
    walking.tick()
    walking.state = replace(walking.state, base_position=place + 0.3)
    walking.tick()
    walking.answer(latest, tuple(place - walking.state.base_position))
    assert walking.status == (RequestState.SCHEDULED, 1, "trot")


def test_a_change_of_the_command_is_rehearsed_again_once_it_is_steady(walking: Rig) -> None:
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


def test_a_scheduled_change_is_taken_back_when_the_command_changes(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    walking.wait_until_due()
    latest = max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time)
    walking.answer(latest)
    walking.command(0.2, 0.0, 0.3)
    walking.tick(round(0.19 / walking.period))
    assert (walking.gait, walking.status) == ("walk", (RequestState.REHEARSING, 1, "trot"))
    assert np.isnan(walking.coordinator.status.switch_time)


def test_a_small_change_of_the_command_leaves_the_verdict_as_it_is(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    walking.command(0.3, 0.1, 0.1)
    walking.wait_until_due()
    walking.answer()
    assert walking.status == (RequestState.SCHEDULED, 1, "trot")


def test_a_command_that_keeps_changing_ends_in_a_veto(walking: Rig) -> None:
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
def test_news_of_the_ground_ends_a_rehearsal_for_other_ground(walking: Rig, scheduled: bool) -> None:
    walking.ask("trot")
    walking.tick()
    if scheduled:
        walking.wait_until_due()
        walking.answer(max(range(4), key=lambda i: walking.enquiries[-1].candidates[i].switch_time))
    walking.say("ice")
    walking.tick(400)
    assert (walking.gait, walking.status) == ("walk", (RequestState.VETOED, 1, "trot"))
    assert walking.reason == "the ground ahead is now said to be ice; the rehearsal was for dry"


def test_ground_that_is_known_before_is_rehearsed_on(walking: Rig) -> None:
    walking.say("ice")
    walking.tick()
    walking.say("")
    walking.ask("pace")
    walking.tick()
    snapshot = walking.enquiries[-1].snapshot
    assert (snapshot.terrain.name, snapshot.terrain_here.name) == ("ice", "dry")


def test_ground_that_nobody_knows_changes_nothing_and_no_gait_is_changed_on_it(walking: Rig) -> None:
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
def test_a_robot_that_rehearsals_do_not_speak_for_keeps_its_gait(walking: Rig, stage: str) -> None:
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


def test_the_gait_that_runs_is_accepted_without_a_rehearsal(walking: Rig) -> None:
    rehearsals = len(walking.enquiries)
    walking.ask("walk")
    walking.tick()
    assert (walking.status, walking.reason) == ((RequestState.COMMITTED, 1, "walk"), "walk runs already")
    assert len(walking.enquiries) == rehearsals


@pytest.mark.parametrize("replayed", [1, 2])
def test_a_replayed_request_is_ignored(walking: Rig, replayed: int) -> None:
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
def test_a_second_request_waits_for_the_first_and_does_not_take_its_name(walking: Rig, scheduled: bool) -> None:
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


def test_a_veto_after_a_refused_request_names_what_was_rehearsed(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    walking.ask("pace")
    walking.tick()
    walking.coordinator.no_answer("silence")
    assert walking.status == (RequestState.VETOED, 1, "trot")


@pytest.mark.parametrize("stage", ["rehearsing", "scheduled", "unsteady", "nothing"])
def test_told_to_stand_it_stands_at_once_and_drops_everything(walking: Rig, stage: str) -> None:
    if stage != "nothing":
        walking.ask("trot")
        walking.tick()
    if stage == "scheduled":
        walking.wait_until_due()
        walking.answer(0)
    if stage == "unsteady":
        walking.command(0.5, 0.0, 0.0)
        walking.tick()
    walking.walking = False
    rehearsals = len(walking.enquiries)
    walking.tick()
    assert walking.gait == "stand"
    assert walking.coordinator.enquiry is None
    walking.tick(400)
    assert (walking.gait, len(walking.enquiries)) == ("stand", rehearsals)
    if stage != "nothing":
        assert (walking.status, walking.reason) == ((RequestState.VETOED, 1, "trot"), "the robot was told to stand")
    walking.walking = True
    walking.tick()
    assert walking.enquiries[-1].snapshot.gait_to.name == "walk"


@pytest.mark.parametrize("stage", ["rehearsing", "scheduled", "nothing"])
def test_a_robot_that_left_balance_forgets_and_stands_up_again(walking: Rig, stage: str) -> None:
    if stage != "nothing":
        walking.ask("trot")
        walking.tick()
    if stage == "scheduled":
        walking.wait_until_due()
        walking.answer(0)
    walking.coordinator.rest()
    walking.coordinator.rest()
    if stage != "nothing":
        assert (walking.status, walking.reason) == ((RequestState.VETOED, 1, "trot"), "the robot left balance control")
    walking.walking = False
    walking.state = replace(walking.state, base_position=np.array([2.0, 1.0, 0.5]))
    walking.tick()
    assert walking.gait == "stand"
    assert walking.coordinator.planning.planner["reference_position"][0, :2] == pytest.approx([2.0, 1.0])
    walking.tick(300)
    assert walking.gait == "stand"
    rehearsals = len(walking.enquiries)
    walking.walking = True
    walking.tick()
    assert len(walking.enquiries) == rehearsals + 1


def test_a_snapshot_is_of_its_moment(walking: Rig) -> None:
    walking.ask("trot")
    walking.tick()
    snapshot = walking.enquiries[-1].snapshot
    planner, command = snapshot.planner.copy(), snapshot.command.copy()
    walking.wish.command[:] = 0.25
    walking.tick(20)
    assert snapshot.planner.tobytes() == planner.tobytes()
    assert np.array_equal(snapshot.command, command)
    assert snapshot.state.time == pytest.approx(float(planner["time"][0]) + walking.period)

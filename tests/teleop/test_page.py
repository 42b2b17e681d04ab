# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.library import read_gaits
from surefoot.gait.parameters import Gait
from surefoot.gait.report import GaitError, GaitReport
from surefoot.teleop.driving import STILL
from surefoot.teleop.gait_editor import GaitEditor, Outcome
from surefoot.teleop.layout import PadLayout
from surefoot.teleop.offers import CounterOffer
from surefoot.teleop.operator import Operator, OperatorRequest, OperatorWish
from surefoot.teleop.page import TuningPage
from surefoot.teleop.settings import OperatorSettings
from surefoot.teleop.writer import pad_message

BOTH_STICKS = ("left_stick", "right_stick")


class Tuner:
    """Somebody who tunes at an Xbox pad; pad and operator at 50 Hz."""

    def __init__(self, layout: PadLayout, gait: Gait) -> None:
        self.layout = layout
        self.saved: list[Gait] = []
        trot = gait
        self.page = TuningPage(GaitEditor(gait), self.saved.append, lambda gait: ("trot_quick", "trot_mine") if gait != trot else ())
        self.operator = Operator(layout, OperatorSettings(), ("walk", "trot", "pace"), self.page)
        self.time = 0.0
        self.held: set[str] = set()
        self.forward = 0.0

    def wait(self, seconds: float) -> list[OperatorWish]:
        wishes = []
        for _ in range(round(seconds * 50)):
            self.time += 0.02
            self.operator.pad_message(self.time, *pad_message(self.layout, {"left_y": self.forward}, self.held))
            wishes.append(self.operator.tick(self.time))
        return wishes

    def press(self, *buttons: str, seconds: float = 0.1) -> list[OperatorWish]:
        self.held |= set(buttons)
        wishes = self.wait(seconds)
        self.held -= set(buttons)
        return wishes + self.wait(0.1)


def said(wishes: list[OperatorWish]) -> list[str]:
    return [notice for wish in wishes for notice in wish.notices]


def asked(wishes: list[OperatorWish]) -> list[OperatorRequest]:
    return [wish.request for wish in wishes if wish.request]


@pytest.fixture
def tuner(xbox: PadLayout, config: Path) -> Tuner:
    tuner = Tuner(xbox, read_gaits(config / "gaits" / "hyq.yaml")["trot"].model_copy(update={"period": 0.5}))
    tuner.wait(0.1)
    return tuner


def test_the_chord_opens_and_closes_it(tuner: Tuner) -> None:
    tuner.press("left_stick")
    tuner.press("right_stick")
    assert not tuner.page.is_open
    lines = said(tuner.press(*BOTH_STICKS))
    assert tuner.page.is_open
    assert lines[0] == "tuning page open"
    assert lines[1].startswith("trot: period = 0.5 s (time of one cycle; step 0.01); no difference")
    assert said(tuner.press(*BOTH_STICKS)) == ["tuning page closed"]
    assert not tuner.page.is_open


def test_its_buttons_mean_the_page_while_it_is_open(tuner: Tuner) -> None:
    tuner.press(*BOTH_STICKS)
    wishes = [wish for button in ("dpad_up", "dpad_down", "dpad_left", "dpad_right", "a", "x", "y") for wish in tuner.press(button)]
    assert asked(wishes) == []
    assert wishes[-1].ground == ""
    assert asked(tuner.press("right_bumper")) == [OperatorRequest.WALK]
    assert asked(tuner.press("b")) == [OperatorRequest.STOP]
    tuner.press(*BOTH_STICKS)
    wishes = tuner.press("dpad_up")
    assert asked(wishes) == [OperatorRequest.STAND]
    assert said(wishes) == []


def test_one_drives_on_while_tuning(tuner: Tuner) -> None:
    tuner.held, tuner.forward = {"left_bumper"}, 1.0
    tuner.wait(1.0)
    tuner.press(*BOTH_STICKS)
    wishes = tuner.press("dpad_right")
    assert all(wish.present and wish.twist != STILL for wish in wishes)


def test_an_edit_is_shown_asked_for_and_taken_after_the_verdict(tuner: Tuner) -> None:
    tuner.press(*BOTH_STICKS)
    assert said(tuner.press("dpad_right")) == ["tuning: period 0.5 s -> 0.51 s: edited"]
    wishes = tuner.press("a")
    assert wishes[-1].gait == "trot #1"
    assert wishes[-1].own_gait is not None
    assert wishes[-1].own_gait.period == pytest.approx(0.51)
    assert wishes[-1].gait_request_id == 1
    assert said(wishes) == ["tuning: gait trot #1: period 0.5 s -> 0.51 s: requested"]
    tuner.operator.gait_verdict("trot #1", False, "0 of 16 survive")
    assert said(tuner.wait(0.1)) == ["tuning: gait trot #1: vetoed (0 of 16 survive)"]
    assert tuner.page.editor.running.name == "trot"
    tuner.press("x")
    tuner.press("dpad_left")
    wish = tuner.press("a")[-1]
    assert (wish.gait, wish.gait_request_id) == ("trot #2", 2)
    assert wish.own_gait is not None
    assert wish.own_gait.period == pytest.approx(0.49)
    tuner.operator.gait_verdict("trot #2", True, "16 of 16 survive")
    tuner.wait(0.1)
    assert tuner.page.editor.running == wish.own_gait
    tuner.press(*BOTH_STICKS)
    wish = tuner.press("x")[-1]  # gait_2 again: one of the library, by name
    assert (wish.gait, wish.gait_request_id, wish.own_gait) == ("trot", 3, None)


def test_more_repeats_while_it_is_held_and_stops_at_the_limit(tuner: Tuner) -> None:  # case 30
    tuner.press(*BOTH_STICKS)
    tuner.press("dpad_down")
    assert tuner.page.line().startswith("trot: duty_factor")
    lines = said(tuner.press("dpad_right", seconds=1.0))
    assert 5 <= len(lines) <= 8
    lines = said(tuner.press("dpad_right", seconds=20.0))
    assert len([line for line in lines if "refused" in line]) == 1
    assert max(tuner.page.editor.draft.duty_factor.values()) < 1.0


def test_a_silent_pad_edits_nothing(tuner: Tuner) -> None:
    tuner.press(*BOTH_STICKS)
    tuner.held = {"dpad_right"}
    tuner.wait(0.1)
    last = tuner.time
    for _ in range(250):  # 5 s without a message
        tuner.time += 0.02
        tuner.operator.tick(tuner.time)
        if tuner.time - last <= 0.5:
            draft = tuner.page.editor.draft
    assert tuner.page.editor.draft == draft
    assert draft.period <= 0.521  # the press, and at most one repeat before the pad was too old


def test_a_refused_step_is_checked_once_and_not_again_while_the_button_is_held(config: Path) -> None:
    checked: list[Gait] = []

    def check(gait: Gait) -> GaitReport:
        checked.append(gait)
        raise GaitError(gait.name, "period", gait.period, 0.5, "too long")

    page = TuningPage(GaitEditor(read_gaits(config / "gaits" / "hyq.yaml")["trot"], check))
    page.toggle()
    page.press(0.0, "more")
    for tick in range(100):
        page.hold(0.05 * tick, lambda _: True)
    assert len(checked) == 1


def test_only_the_gait_that_runs_is_saved(tuner: Tuner) -> None:
    tuner.press(*BOTH_STICKS)
    tuner.press("dpad_right")
    tuner.press("a")
    assert "wait until it runs" in said(tuner.press("y"))[0]  # no verdict yet
    tuner.operator.gait_verdict("trot #1", False, "0 of 16 survive")
    tuner.wait(0.1)
    assert "not saved" in said(tuner.press("y"))[0]
    tuner.press("dpad_right")
    tuner.press("a")
    tuner.operator.gait_verdict("trot #2", True, "")
    tuner.press("dpad_right")
    assert "not saved" in said(tuner.press("y"))[0]  # edited since
    tuner.press("dpad_left")
    assert said(tuner.press("y"))[0].startswith("keep trot #2 as 'trot_quick'?")
    assert said(tuner.press("y")) == ["gait trot_quick saved"]
    assert tuner.saved == [tuner.page.editor.running.model_copy(update={"name": "trot_quick"})]


def test_a_name_is_chosen_with_the_buttons_of_the_page(tuner: Tuner) -> None:
    tuner.press(*BOTH_STICKS)
    assert said(tuner.press("y")) == ["gait trot not saved: there is such a gait already, and nothing of it was changed"]
    tuner.press("dpad_left")
    tuner.press("a")
    tuner.operator.gait_verdict("trot #1", True, "")
    running = tuner.page.editor.running
    tuner.wait(0.1)
    first = "keep trot #1 as 'trot_quick'? name 1 of 2; save: yes; next, previous: another name; undo: no"
    second = "keep trot #1 as 'trot_mine'? name 2 of 2; save: yes; next, previous: another name; undo: no"
    assert said(tuner.press("y")) == [first]
    # Held, and beyond the end; the gait stays as it is.
    assert said(tuner.press("dpad_down", seconds=2.0)) == [second]
    assert [said(tuner.press(button)) for button in ("dpad_right", "dpad_left", "dpad_up")] == [[first], [second], [first]]
    assert said(tuner.press("x")) == ["gait trot #1 not saved"]
    assert tuner.saved == []
    assert tuner.page.editor.draft == running
    # Closed in between, nothing is kept; and A says yes as well.
    tuner.press("y")
    tuner.press(*BOTH_STICKS)
    tuner.press(*BOTH_STICKS)
    assert said(tuner.press("y")) == [first]
    tuner.press("dpad_down")
    wishes = tuner.press("a")
    assert said(wishes) == ["gait trot_mine saved"]
    assert wishes[-1].gait_request_id == 1
    assert [gait.name for gait in tuner.saved] == ["trot_mine"]
    # And the buttons are again those of the page.
    assert said(tuner.press("dpad_right")) == ["tuning: period 0.49 s -> 0.5 s: edited"]


def test_saving_wants_a_verdict_and_may_fail_in_words(tuner: Tuner, xbox: PadLayout) -> None:
    tuner.press(*BOTH_STICKS)
    tuner.press("dpad_right")
    assert "ask for it first" in said(tuner.press("y"))[0]
    tuner.press("a")
    tuner.operator.gait_verdict("trot #1", True, "")
    tuner.press("y")
    assert "gait trot_quick saved" in said(tuner.press("y"))
    assert [gait.name for gait in tuner.saved] == ["trot_quick"]

    def full(_: Gait) -> None:
        raise ConfigurationError("the disk is full")

    page = TuningPage(tuner.page.editor, full)
    for _ in range(2):
        page.press(0.0, "save")
    assert page.take_lines()[:2] == ("keep trot #1 as 'trot #1'? save: yes; undo: no", "gait trot #1 not saved: the disk is full")


def test_it_starts_from_the_gait_that_runs_unless_there_is_a_draft(tuner: Tuner) -> None:
    walk = tuner.page.editor.running.model_copy(update={"name": "walk", "period": 0.8})
    tuner.operator.gait_runs(walk)
    assert tuner.page.editor.draft == walk
    tuner.press(*BOTH_STICKS)
    tuner.press("dpad_right")
    tuner.operator.gait_runs(walk.model_copy(update={"name": "pace"}))
    assert tuner.page.editor.running == walk
    assert tuner.page.editor.log[-1].outcome is Outcome.EDITED
    assert ("period", "0.8 s", "0.82 s") in tuner.page.table()


def test_a_verdict_on_another_gait_of_the_same_name_is_not_that_on_the_draft(tuner: Tuner) -> None:
    tuner.press(*BOTH_STICKS, "left_bumper")
    tuner.held = {"left_bumper"}
    tuner.press("dpad_right")
    draft = tuner.press("a")[-1].own_gait
    assert draft is not None
    other = draft.model_copy(update={"period": 0.6})
    assert tuner.operator.external_gait_request(1, other.name, other) == ""
    tuner.operator.gait_verdict(other.name, True, "")
    assert tuner.operator.running == other
    assert (tuner.page.editor.asked, tuner.page.editor.running.name) == (draft, "trot")
    tuner.press("x")  # without a draft the page follows the gait that runs, whatever it is called
    tuner.operator.gait_runs(other)
    assert tuner.page.editor.running == other
    tuner.operator.gait_runs(draft)
    assert tuner.page.editor.running == draft


def test_a_name_that_somebody_else_asked_for_is_given_to_no_draft(tuner: Tuner) -> None:
    tuner.held = {"left_bumper"}
    tuner.wait(0.1)
    other = tuner.page.editor.running.model_copy(update={"name": "trot #1", "period": 0.6})
    assert tuner.operator.external_gait_request(1, other.name, other) == ""
    tuner.press(*BOTH_STICKS)
    tuner.press("dpad_right")
    assert tuner.press("a")[-1].gait == "trot #2"


def test_without_a_page_the_chord_says_so(xbox: PadLayout) -> None:
    operator = Operator(xbox, OperatorSettings())
    operator.pad_message(0.0, *pad_message(xbox, {}, set()))
    operator.pad_message(0.02, *pad_message(xbox, {}, set(BOTH_STICKS)))
    assert operator.tick(0.02).notices == ("this program has no tuning page",)


def test_a_kept_gait_is_asked_for_by_name_and_travels_whole(xbox: PadLayout, tuner: Tuner) -> None:
    mine = tuner.page.editor.running.model_copy(update={"name": "mine"})
    operator = Operator(xbox, OperatorSettings(gaits=("mine",)), ("walk",), own_gaits={"mine": mine})
    operator.pad_message(0.0, *pad_message(xbox, {}, {"left_bumper"}))
    assert operator.tick(0.0).present
    assert operator.external_gait_request(1, "mine") == ""
    assert operator.tick(0.0).own_gait == mine
    assert operator.external_gait_request(2, "his", mine) == ""
    assert operator.tick(0.1).gait == "mine"
    assert "known: mine, walk" in operator.external_gait_request(3, "trot")
    assert operator.external_gait_request(4, "walk") == ""
    assert operator.tick(0.2).own_gait is None


def test_one_goes_on_with_another_gait_of_the_robot_or_one_that_was_kept(tuner: Tuner, config: Path) -> None:
    library = read_gaits(config / "gaits" / "hyq.yaml")
    gaits = [library["walk"], tuner.page.editor.running, library["amble"]]
    page = TuningPage(tuner.page.editor, tuner.saved.append, gaits=lambda: gaits)
    tuner.operator = Operator(tuner.layout, OperatorSettings(), ("walk", "trot", "amble"), page)
    tuner.wait(0.1)
    tuner.press(*BOTH_STICKS)
    # Before the first parameter comes the gait as a whole.
    assert said(tuner.press("dpad_up"))[0] == "trot: gait (to go on with another: walk, trot, amble); no difference"
    assert said(tuner.press("dpad_right", seconds=2.0)) == ["tuning: gait trot -> amble: edited"]
    wishes = tuner.press("a")
    assert (wishes[-1].gait, wishes[-1].own_gait) == ("amble", library["amble"])
    tuner.operator.gait_verdict("amble", False, "12 of 16 survive")
    assert said(tuner.press("dpad_right"))[-1] == "tuning: gait amble -> walk: edited"
    gaits.append(library["amble"].model_copy(update={"name": "amble_mine"}))  # kept meanwhile
    assert said(tuner.press("dpad_left")) == ["tuning: gait walk -> amble_mine: edited"]
    # One that is edited is no longer the one of that name.
    tuner.press("dpad_down")
    tuner.press("dpad_right")
    assert tuner.press("a")[-1].gait == "amble_mine #1"
    assert [said(tuner.press("x"))[-1] for _ in range(4)] == [
        "tuning: period: undone", "tuning: gait amble_mine: undone", "tuning: gait walk: undone", "tuning: gait amble: undone",
    ]  # fmt: skip
    assert tuner.page.editor.draft.name == "trot"


def test_a_gait_that_the_robot_cannot_do_is_not_gone_on_with(tuner: Tuner) -> None:
    def check(gait: Gait) -> GaitReport:
        raise GaitError(gait.name, "period", gait.period, 0.5, "too long")

    editor = GaitEditor(tuner.page.editor.running, check)
    assert editor.replace(editor.running.model_copy(update={"name": "slow"})).outcome is Outcome.REFUSED
    assert editor.draft == editor.running


def test_a_draft_that_runs_because_its_counter_offer_was_taken_up_is_the_gait_of_the_page(tuner: Tuner) -> None:
    tuner.held, tuner.forward = {"left_bumper"}, 1.0
    tuner.wait(1.0)
    tuner.press(*BOTH_STICKS)
    tuner.press("dpad_left")
    draft = tuner.press("a")[-1].own_gait
    assert draft is not None
    tuner.operator.gait_verdict("trot #1", False, "12 of 16 survive")
    tuner.operator.offer(tuner.time, CounterOffer("trot #1", 0.5, "trot #1 at 50% of the speed all of 16 traces survive"))
    tuner.press("guide")
    wish = tuner.wait(2.0)[-1]
    assert (wish.gait_request_id, wish.own_gait) == (2, draft)
    tuner.operator.gait_verdict("trot #1", True, "53 of 53 survive")
    assert tuner.page.editor.running == draft
    assert said(tuner.press("a"))[-1] == "tuning: request of trot #1: refused (it runs already)"
    assert "keep trot #1 as 'trot_quick'?" in said(tuner.press("y"))[0]
    assert said(tuner.press("y")) == ["gait trot_quick saved"]

# SPDX-License-Identifier: Apache-2.0
import pytest

from surefoot.errors import ConfigurationError
from surefoot.gait.library import GaitLibrary, read_gaits
from surefoot.gait.validator import check_gait
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.teleop.gait_editor import GaitEditor
from surefoot.teleop.gait_names import GaitNames
from surefoot.teleop.layout import read_layout
from surefoot.viewer.page.desk import Desk
from surefoot.viewer.page.messages import Draft, Edit, Gone, HoldPad, PadSaid, RequestGait, Stop, read_message
from surefoot.viewer.page.pad import OnScreenPad


@pytest.fixture
def gaits() -> GaitLibrary:
    return read_gaits(shared_directory() / "config" / "gaits" / "hyq.yaml")


@pytest.fixture
def desk(gaits: GaitLibrary, hyq: RobotModel) -> Desk:
    pad = OnScreenPad(read_layout(shared_directory() / "config" / "gamepads", "page"))
    return Desk(gaits.names, GaitEditor(gaits["walk"], lambda gait: check_gait(gait, hyq), GaitNames(gaits.names)), pad)


def test_gaits_are_asked_for_each_with_an_id_of_its_own(desk: Desk) -> None:
    for gait in ("trot", "walk"):
        reply = desk.take(1, 0.0, RequestGait(kind="request", gait=gait))
        assert reply is not None
        assert reply.good
    assert [asked.gait for asked in desk.asked] == ["trot", "walk"]
    assert 0 < desk.asked[0].request_id < desk.asked[1].request_id < 2**32
    reply = desk.take(1, 0.0, RequestGait(kind="request", gait="gallopp"))
    assert reply is not None
    assert not reply.good
    assert "trot" in reply.words
    assert len(desk.asked) == 2


def test_the_draft_is_edited_refused_and_asked_for(desk: Desk) -> None:
    before = {row["key"]: row for row in desk.parameters()}
    assert desk.take(1, 0.0, Edit(kind="edit", key="period", value=before["period"]["running"] * 1.1)).good  # type: ignore[union-attr]
    refused = desk.take(1, 0.0, Edit(kind="edit", key="stance_length", value=2.5))
    assert refused is not None
    assert not refused.good
    assert len(refused.words) > 20
    assert not desk.take(1, 0.0, Edit(kind="edit", key="perid", value=1.0)).good  # type: ignore[union-attr]
    assert desk.take(1, 0.0, Draft(kind="draft", do="request")).good  # type: ignore[union-attr]
    (asked,) = desk.asked
    assert asked.own_gait is not None
    assert asked.own_gait.period == pytest.approx(before["period"]["running"] * 1.1)
    desk.verdict(asked.gait, False, "0 of 16 survive")
    assert "vetoed" in desk.log()[0]
    assert "0 of 16 survive" in desk.log()[0]
    desk.take(1, 0.0, Draft(kind="draft", do="restart"))
    assert not desk.take(1, 0.0, Draft(kind="draft", do="request")).good  # type: ignore[union-attr]


def test_every_value_lies_on_its_slider(desk: Desk, gaits: GaitLibrary) -> None:
    for name in gaits.names:
        if gaits[name].moves:
            desk.gait_runs(gaits[name])
            assert all(row["least"] <= row["running"] <= row["most"] for row in desk.parameters()), name


def test_a_draft_without_edits_follows_the_gait_that_runs(desk: Desk, gaits: GaitLibrary) -> None:
    desk.gait_runs(gaits["trot"])
    assert desk.draft_name() == "trot"
    desk.take(1, 0.0, Edit(kind="edit", key="step_height", value=0.11))
    desk.gait_runs(gaits["walk"])
    assert desk.draft_name() == "trot"


def test_gaits_are_told_apart_by_what_they_are_and_not_by_their_names(desk: Desk, gaits: GaitLibrary) -> None:
    desk.gait_runs(gaits["walk"].model_copy(update={"period": 0.9}))
    period = next(row for row in desk.parameters() if row["key"] == "period")
    assert (period["running"], period["draft"]) == (0.9, 0.9)


def test_starting_over_goes_back_to_the_draft_that_was_accepted_and_runs(desk: Desk, gaits: GaitLibrary) -> None:
    desk.take(1, 0.0, Edit(kind="edit", key="period", value=0.9))
    desk.take(1, 0.0, Draft(kind="draft", do="request"))
    name = desk.asked[0].gait
    desk.verdict(name, True, "16 of 16 survive")
    desk.take(1, 0.0, Edit(kind="edit", key="period", value=1.0))
    reply = desk.take(1, 0.0, Draft(kind="draft", do="restart"))
    assert reply is not None
    assert reply.words == f"back to {name}"
    assert desk.parameters()[0]["draft"] == 0.9
    # Once it walks one of the library again, that is what a draft starts from.
    desk.gait_runs(gaits["walk"])
    assert desk.parameters()[0]["draft"] == gaits["walk"].period


def test_the_pad_goes_from_hand_to_hand(desk: Desk) -> None:
    said = PadSaid(kind="pad", sent=1.0, axes={"forward": 1.0}, pressed=("dead_man",))
    assert desk.take(1, 0.0, HoldPad(kind="hold", hold=True)).pad is True  # type: ignore[union-attr]
    assert desk.take(2, 0.0, HoldPad(kind="hold", hold=True)).pad is False  # type: ignore[union-attr]
    assert desk.take(1, 0.1, said) is None
    assert desk.take(2, 0.1, said).pad is False  # type: ignore[union-attr]
    assert desk.take(1, 0.2, Gone()) is None
    assert desk.take(2, 0.3, HoldPad(kind="hold", hold=True)).pad is True  # type: ignore[union-attr]


@pytest.mark.parametrize("said", [Stop(kind="stop"), PadSaid(kind="pad", sent=1.0, axes={"forward": 1.0}, pressed=("stop",))])
def test_who_does_not_hold_the_pad_may_stop_and_no_more(desk: Desk, said: Stop | PadSaid) -> None:
    assert desk._pad is not None
    desk.take(1, 0.0, HoldPad(kind="hold", hold=True))
    desk.take(2, 0.1, PadSaid(kind="pad", sent=0.9, axes={"forward": 1.0}, pressed=("walk",)))
    assert desk._pad.message(0.1) is None
    desk.take(2, 0.1, said)
    message = desk._pad.message(0.1)
    assert message is not None
    assert (sum(message.buttons), any(message.axes)) == (1, False)


def test_without_a_pad_that_is_said(gaits: GaitLibrary) -> None:
    desk = Desk(gaits.names, GaitEditor(gaits["walk"]), None)
    reply = desk.take(1, 0.0, HoldPad(kind="hold", hold=True))
    assert reply is not None
    assert (reply.good, reply.pad) == (False, False)
    assert desk.take(1, 0.0, Gone()) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "nonsense", '{"kind": "shell"}', '{"kind": "request"}', '{"kind": "request", "gait": "trot", "more": 1}',
        '{"kind": "edit", "key": "period", "value": NaN}', '{"kind": "edit", "key": "period", "value": 1e999}',
        '{"kind": "pad", "sent": 1, "axes": {"forward": "fast"}, "pressed": []}', '{"kind": "request", "gait": "' + "x" * 100 + '"}',
    ],
)  # fmt: skip
def test_what_no_page_says_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        read_message(text)
